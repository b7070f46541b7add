// The server, over real sockets on loopback: it runs in a thread of its own, the clients here.

#include "helpers/web/http_server.hpp"

#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <boost/asio/io_context.hpp>

#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"

namespace spark::helpers {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view kLastGet =
    "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
/// Until a client that hears nothing gives up: the test has failed then.
constexpr timeval kPatience{.tv_sec = 10, .tv_usec = 0};

const IpAddress kLoopback = *IpAddress::parse("127.0.0.1");

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress address(kLoopback, port);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    EXPECT_EQ(::connect(socket_.get(), address.get(), address.size()), 0);
  }

  void send(std::string_view text) const {
    // The server may have ended the connection: what it said then is read all the same.
    static_cast<void>(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL));
  }

  /// Until `end` was read. Short of it, the connection was closed.
  std::string read_until(std::string_view end) {
    std::string text;
    char c = 0;
    while (!text.ends_with(end) && ::recv(socket_.get(), &c, 1, 0) == 1) {
      text += c;
    }
    return text;
  }

  /// All that comes until the server closes.
  std::string read_all() {
    std::string text;
    std::array<char, 4096> some{};
    ssize_t size = 0;
    while ((size = ::recv(socket_.get(), some.data(), some.size(), 0)) > 0) {
      text.append(some.data(), static_cast<std::size_t>(size));
    }
    closed_ = size == 0;
    return text;
  }

  [[nodiscard]] bool was_closed() const { return closed_; }

 private:
  UniqueFd socket_;
  bool closed_ = false;
};

class HttpServerTest : public testing::Test {
 protected:
  void serve(const HttpLimits& limits = {}) {
    auto server = HttpServer::listen(
        context_, {kLoopback, 0}, {"spark1"},
        [](const Request& request) {
          return Response{.status = request.path == "/" ? 200 : 404,
                          .type = "text/plain",
                          .body = request.is_form
                                      ? fmt::format("{} sent {}", request.from.text(), request.body)
                                      : "body of " + std::string(request.path),
                          .headers = {{"X-Ours", "yes"}}};
        },
        "/login", limits);
    ASSERT_TRUE(server) << server.error().what;
    port_ = server->port();
    server_.emplace(std::move(*server));
    thread_ = std::thread([this] { context_.run(); });
  }

  ~HttpServerTest() override {
    context_.stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  [[nodiscard]] Client client() const { return Client(port_); }

  [[nodiscard]] std::string answer_to(std::string_view request) const {
    auto one = client();
    one.send(request);
    return one.read_all();
  }

  boost::asio::io_context context_;
  std::optional<HttpServer> server_;
  std::thread thread_;
  std::uint16_t port_ = 0;
};

TEST_F(HttpServerTest, AnswersAGet) {
  serve();
  EXPECT_THAT(answer_to(kLastGet),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 9\r\n"),
                    HasSubstr("X-Ours: yes\r\n"), HasSubstr("X-Content-Type-Options: nosniff\r\n"),
                    HasSubstr("Date: "), HasSubstr("Connection: close\r\n"),
                    EndsWith("\r\n\r\nbody of /")));
}

TEST_F(HttpServerTest, DoesNotNameItsVersion) {
  serve();
  EXPECT_THAT(answer_to(kLastGet), Not(HasSubstr("Server:")));
}

TEST_F(HttpServerTest, AnswersAHeadWithoutTheBody) {
  serve();
  EXPECT_THAT(answer_to("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 9\r\n"),
                    EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, GivesThePathWithoutTheQuery) {
  serve();
  EXPECT_THAT(answer_to("GET /a/b?c=d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 404 Not Found\r\n"), EndsWith("\r\n\r\nbody of /a/b")));
}

TEST_F(HttpServerTest, RefusesWhatIsNoGet) {
  serve();
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "FROB"}) {
    EXPECT_THAT(
        answer_to(method + " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"),
        AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n"),
              HasSubstr("Connection: close\r\n")))
        << method;
  }
}

TEST_F(HttpServerTest, RefusesABody) {
  serve();
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(
      answer_to("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
      StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, TakesASmallFormAtItsOnePath) {
  serve();
  const auto post = [](std::string_view path, std::string_view body) {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
        path, body.size(), body);
  };
  EXPECT_THAT(answer_to(post("/login", "a=b")), EndsWith("\r\n\r\n127.0.0.1 sent a=b"));
  EXPECT_THAT(answer_to(post("/login?token=c", "")), EndsWith("127.0.0.1 sent "));
  EXPECT_THAT(answer_to(post("/login", std::string(1024, 'x'))),
              EndsWith("sent " + std::string(1024, 'x')));
  EXPECT_THAT(answer_to(post("/login", std::string(1025, 'x'))),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("Connection: close\r\n")));
  EXPECT_THAT(answer_to("POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                        "18446744073709551615\r\n\r\nx"),
              AnyOf(StartsWith("HTTP/1.1 413 "), StartsWith("HTTP/1.1 400 ")));
  EXPECT_THAT(answer_to(post("/", "a=b")),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n")));
  EXPECT_THAT(answer_to(post("/login/", "a=b")), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(answer_to("PUT /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD, POST\r\n")));
  EXPECT_THAT(answer_to("GET /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, WantsTheLengthOfAForm) {
  serve();
  EXPECT_THAT(answer_to("POST /login HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              StartsWith("HTTP/1.1 411 "));
  EXPECT_THAT(answer_to("POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
                        "chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"),
              StartsWith("HTTP/1.1 411 "));
}

TEST_F(HttpServerTest, TakesNoFormForAnotherHost) {
  serve();
  EXPECT_THAT(answer_to("POST /login HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1\r\n\r\nx"),
              AllOf(StartsWith("HTTP/1.1 421 "), Not(HasSubstr("sent"))));
}

TEST_F(HttpServerTest, AnswersWhatComesBehindAForm) {
  serve();
  auto one = client();
  one.send("POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na=b" +
           std::string(kLastGet));
  EXPECT_THAT(one.read_until("sent a=b"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(one.read_all(), EndsWith("body of /"));
}

TEST_F(HttpServerTest, ClosesOnAClientThatNeverEndsItsForm) {
  serve({.request = 50ms});
  auto one = client();
  one.send("POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na");
  EXPECT_THAT(one.read_all(), IsEmpty());
  EXPECT_TRUE(one.was_closed());
}

TEST_F(HttpServerTest, TakesNoFormWhereThereIsNone) {
  const auto other = HttpServer::listen(context_, {kLoopback, 0}, {},
                                        [](const Request& /*request*/) { return Response{}; });
  ASSERT_TRUE(other);
  serve();
  port_ = other->port();
  EXPECT_THAT(answer_to("POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n")));
}

TEST_F(HttpServerTest, RefusesAHostThatWasMadeToLeadHere) {
  serve();
  for (const std::string host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example"}) {
    EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 421 "), Not(HasSubstr("body of"))))
        << host;
  }
}

TEST_F(HttpServerTest, WantsOneHostAndAPath) {
  serve();
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, RefusesWhatIsNoHttp) {
  serve();
  EXPECT_THAT(answer_to("\x16\x03\x01\x02hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, RefusesAHeaderThatIsTooLarge) {
  serve();
  for (const std::size_t size : {9'000U, 100'000U}) {
    EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(size, 'x')),
                StartsWith("HTTP/1.1 431 "))
        << size;
  }
  EXPECT_THAT(answer_to("GET /" + std::string(9'000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, KeepsAConnectionForSoManyRequests) {
  serve({.requests = 3});
  auto one = client();
  for (int i = 0; i < 2; ++i) {
    one.send(kGet);
    EXPECT_THAT(one.read_until("body of /"), Not(HasSubstr("Connection: close")));
  }
  one.send(kGet);
  EXPECT_THAT(one.read_all(), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(one.was_closed());
}

TEST_F(HttpServerTest, AnswersRequestsThatCameTogether) {
  serve();
  auto one = client();
  one.send(std::string(kGet) + std::string(kLastGet));
  EXPECT_THAT(one.read_until("body of /"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(one.read_all(), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("body of /")));
}

TEST_F(HttpServerTest, ClosesOnAClientThatSaysNothing) {
  serve({.request = 50ms});
  auto one = client();
  EXPECT_THAT(one.read_all(), IsEmpty());
  EXPECT_TRUE(one.was_closed());
}

TEST_F(HttpServerTest, ClosesOnAClientThatNeverEndsItsRequest) {
  serve({.request = 50ms});
  auto one = client();
  one.send("GET / HTTP/1.1\r\nHo");
  EXPECT_THAT(one.read_all(), IsEmpty());
  EXPECT_TRUE(one.was_closed());
}

TEST_F(HttpServerTest, ClosesOnAClientThatKeepsTheConnectionIdle) {
  serve({.idle = 50ms});
  auto one = client();
  one.send(kGet);
  EXPECT_THAT(one.read_all(), EndsWith("body of /"));
  EXPECT_TRUE(one.was_closed());
}

TEST_F(HttpServerTest, AnswersAVisitorAlsoWhereSomebodyKeepsAllConnections) {
  serve({.connections = 2});
  auto first = client();
  auto second = client();
  // They are answered: so both have been accepted. The first is idle for longer.
  first.send(kGet);
  first.read_until("body of /");
  second.send(kGet);
  second.read_until("body of /");
  EXPECT_THAT(answer_to(kLastGet), EndsWith("body of /"));
  EXPECT_THAT(first.read_all(), IsEmpty());
  EXPECT_TRUE(first.was_closed());
}

TEST_F(HttpServerTest, AnswersAVisitorAlsoWhereNobodyElseAsksForAnything) {
  serve({.connections = 2});
  const auto first = client();
  const auto second = client();
  const auto third = client();
  EXPECT_THAT(answer_to(kLastGet), EndsWith("body of /"));
}

TEST_F(HttpServerTest, TakesConnectionsAgainOnceOthersEnded) {
  serve({.connections = 1});
  for (int i = 0; i < 3; ++i) {
    // Closed by the server only after the one before has gone: until then it may be refused.
    std::string answer;
    while (answer.empty()) {
      answer = answer_to(kLastGet);
    }
    EXPECT_THAT(answer, EndsWith("body of /"));
  }
}

TEST_F(HttpServerTest, EndsOpenConnectionsWhenItEnds) {
  serve();
  auto one = client();
  one.send(kGet);
  one.read_until("body of /");
  context_.stop();
  thread_.join();
  server_.reset();
  context_.restart();
  context_.run();  // ends: nothing waits any more
  EXPECT_THAT(one.read_all(), IsEmpty());
  EXPECT_TRUE(one.was_closed());
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  serve();
  const auto second = HttpServer::listen(context_, {kLoopback, port_}, {}, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what,
            fmt::format("listen on 127.0.0.1, port {}: Address already in use", port_));
}

TEST_F(HttpServerTest, ListensOnIpv6Too) {
  const auto server = HttpServer::listen(context_, {*IpAddress::parse("::1"), 0}, {}, {});
  ASSERT_TRUE(server) << server.error().what;
  EXPECT_NE(server->port(), 0);
}

TEST(OwnHost, IsTheHostNameItsFirstLabelAndThatInLocal) {
  for (const auto* hostname : {"spark1", "Spark1.example"}) {
    const auto names = names_of_machine(hostname);
    for (const auto* host : {"spark1", "spark1.local:9842", "spark1.local."}) {
      EXPECT_TRUE(is_own_host(host, names)) << hostname << ": " << host;
    }
    for (const auto* host :
         {"spark2.local", "local", ".local", "spark1.local.example", "example"}) {
      EXPECT_FALSE(is_own_host(host, names)) << hostname << ": " << host;
    }
  }
  EXPECT_TRUE(is_own_host("spark1.example", names_of_machine("spark1.example")));
  EXPECT_FALSE(is_own_host(".local", names_of_machine("")));
}

TEST(OwnHost, IsLocalhostAnAddressOrTheMachinesName) {
  const std::vector<std::string> names = {"spark1", "spark1.example"};
  for (const auto* host :
       {"localhost", "LOCALHOST:9842", "localhost.", "127.0.0.1:9842", "192.0.2.11", "[::1]",
        "[2001:db8::1]:9842", "spark1", "Spark1:80", "spark1.example"}) {
    EXPECT_TRUE(is_own_host(host, names)) << host;
  }
  for (const auto* host : {"", ":9842", "evil.example", "spark2", "spark1.evil.example",
                           "127.0.0.1.evil.example", "localhost:99999999", "localhost:80:80",
                           "[evil.example]", "[127.0.0.1]", "::1", "user@localhost"}) {
    EXPECT_FALSE(is_own_host(host, names)) << host;
  }
}

}  // namespace
}  // namespace spark::helpers
