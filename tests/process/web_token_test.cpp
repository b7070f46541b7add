// spark-web where others reach it: nobody is shown anything without the token.

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/page_token.hpp"
#include "base/text.hpp"
#include "process/daemon_world.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kToken = "Zq3+token/of+the=page99";
constexpr const char* kEncoded = "Zq3%2Btoken%2Fof%2Bthe%3Dpage99";
constexpr std::string_view kOther = "another-token-of-the-page";
constexpr const char* kHost = "192.0.2.1:9842";
constexpr std::chrono::seconds kUntilItHolds{30};

class WebToken : public Daemon {
 protected:
  WebToken() {
    spark_.ip("link set lo up");
    for (const auto* stranger : {"198.51.100.1", "198.51.100.2", "198.51.100.3"}) {
      spark_.ip(fmt::format("addr add {}/32 dev lo", stranger));
    }
    spark_.write("/etc/passwd", "spark-web:x:65534:65534::/nonexistent:/usr/sbin/nologin\n");
  }

  void put_token(std::string_view token, mode_t mode = 0640) const {
    spark_.write(kTokenFile, fmt::format("{}\n", token));
    const auto path = spark_.host_path(kTokenFile);
    ASSERT_EQ(chown(path.c_str(), 0, 65534), 0);
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
  }

  /// The daemon and spark-web at the node's address, which the first pass sets.
  void serve_others(const std::string& more = fmt::format("token_file: {}\n", kTokenFile)) {
    spark_.write("/etc/spark-reconcile/agent.yaml", fmt::format("listen: {}\n{}", kHost, more));
    start();
    serve();
    if (!more.empty()) until([&] { return !ask("GET", "/style.css").empty(); });
  }

  void until(const std::function<bool()>& holds) const {
    EXPECT_TRUE(spark::test::wait_until(holds, kUntilItHolds)) << web_->output();
  }

  /// The answer to that request from an address of a stranger; empty: nobody answers.
  [[nodiscard]] std::string ask(const std::string& method, const std::string& path,
                                const std::string& headers = "", const std::string& body = "",
                                const std::string& from = "198.51.100.1") const {
    std::string answer;
    in_network(spark_.network(), [&] {
      const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const SocketAddress own(*IpAddress::parse(from), 0);
      const SocketAddress server(*IpAddress::parse("192.0.2.1"), 9842);
      const timeval longest{.tv_sec = 10, .tv_usec = 0};
      setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
      ASSERT_EQ(bind(fd.get(), own.get(), own.size()), 0) << from;
      if (connect(fd.get(), server.get(), server.size()) != 0) return;
      const auto request =
          fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}\r\n{}", method, path,
                      kHost, headers, body);
      ASSERT_EQ(send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(request.size()));
      std::array<char, 4096> chunk{};
      for (ssize_t got = 0; (got = recv(fd.get(), chunk.data(), chunk.size(), 0)) > 0;) {
        answer.append(chunk.data(), static_cast<std::size_t>(got));
      }
    });
    return answer;
  }
  [[nodiscard]] std::string get_with(std::string_view token, const std::string& path = "/metrics",
                                     const std::string& from = "198.51.100.1") const {
    return ask("GET", path, fmt::format("Authorization: Bearer {}\r\n", token), "", from);
  }
  [[nodiscard]] std::string log_in(const std::string& body, const std::string& more = "",
                                   const std::string& from = "198.51.100.1") const {
    return ask("POST", "/login",
               fmt::format("Content-Type: application/x-www-form-urlencoded\r\n"
                           "Content-Length: {}\r\n{}",
                           body.size(), more),
               body, from);
  }
  /// "Cookie: …" of an answer that sets one.
  [[nodiscard]] static std::string cookie_of(const std::string& answer) {
    constexpr std::string_view kHeader = "Set-Cookie: ";
    const auto begin = answer.find(kHeader);
    if (begin == std::string::npos) return {};
    const auto value = answer.substr(begin + kHeader.size());
    return "Cookie: " + value.substr(0, value.find(';')) + "\r\n";
  }
  /// What it logged.
  [[nodiscard]] static std::string end(Running& service) {
    service.signal(SIGTERM);
    const auto outcome = service.wait();
    return outcome.out + outcome.err;
  }
  /// Without its line breaks.
  [[nodiscard]] std::string doctor() const {
    auto said = spark_.reconcile({"doctor", "-v"}).out;
    std::ranges::replace(said, '\n', ' ');
    return fold_blanks(said);
  }
};

TEST_F(WebToken, ShowsAStrangerNothingAndWhoHasTheTokenAll) {
  put_token(kToken);
  serve_others();
  for (const auto* path : {"/", "/still", "/status.json", "/metrics", "/readyz", "/nothing"}) {
    EXPECT_THAT(ask("GET", path),
                AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("WWW-Authenticate: Bearer\r\n"),
                      Not(HasSubstr("enp1s0f0np0")), Not(HasSubstr("spark1"))))
        << path;
  }
  EXPECT_THAT(ask("GET", "/"), HasSubstr("<form method=\"post\" action=\"/login\">"));
  EXPECT_THAT(ask("GET", "/healthz"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\r\n\r\nok\n")));
  EXPECT_THAT(ask("GET", "/style.css"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get_with(kToken, "/"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("enp1s0f0np0")));
  EXPECT_THAT(get_with(kToken, "/metrics"), HasSubstr("spark_reconcile_"));
  EXPECT_THAT(get_with(kToken, "/status.json"), HasSubstr("spark-reconcile/daemon-status/v1"));
  EXPECT_THAT(doctor(), HasSubstr("served on 192.0.2.1:9842, to who has the token of "
                                  "'/etc/spark-reconcile/page.token'"));
  EXPECT_THAT(get("/healthz"), IsEmpty()) << "127.0.0.1 is not where it listens";
}

TEST_F(WebToken, NeverTakesATokenOfAUrl) {
  put_token(kToken);
  serve_others();
  for (const auto* query : {"token", "access_token", "spark_page_9842"}) {
    EXPECT_THAT(ask("GET", fmt::format("/?{}={}", query, kEncoded)), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(ask("POST", fmt::format("/login?{}={}", query, kEncoded),
                    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n"),
                StartsWith("HTTP/1.1 401 "));
  }
  EXPECT_THAT(end(*web_), Not(HasSubstr(std::string(kEncoded))));
}

TEST_F(WebToken, TheFormGivesACookieUntilTheTokenChanges) {
  put_token(kToken);
  serve_others();
  const auto let_in =
      log_in(fmt::format("token={}", kEncoded), fmt::format("Origin: http://{}\r\n", kHost));
  EXPECT_THAT(let_in, AllOf(StartsWith("HTTP/1.1 303 "), HasSubstr("Location: /\r\n"),
                            HasSubstr("; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000\r\n"),
                            Not(HasSubstr(std::string(kToken)))));
  const auto cookie = cookie_of(let_in);
  EXPECT_THAT(ask("GET", "/", cookie),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("enp1s0f0np0")));
  EXPECT_THAT(ask("GET", "/", cookie, "", "198.51.100.2"), StartsWith("HTTP/1.1 200 "));

  put_token(kOther);
  EXPECT_THAT(ask("GET", "/", cookie), AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("Max-Age=0")));
  EXPECT_THAT(get_with(kToken), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(get_with(kOther), StartsWith("HTTP/1.1 200 "));
}

TEST_F(WebToken, TheFormIsSmallAndOfThePageItself) {
  put_token(kToken);
  serve_others();
  const auto right = fmt::format("token={}", kEncoded);
  EXPECT_THAT(log_in(right + "&x=" + std::string(1024, 'x')), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask("POST", "/login", "Content-Type: application/x-www-form-urlencoded\r\n"),
              StartsWith("HTTP/1.1 411 "));
  EXPECT_THAT(ask("POST", "/", "Content-Length: 0\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(log_in(right, "Origin: http://evil.example\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(log_in(right, "Origin: null\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(log_in(right, "Sec-Fetch-Site: cross-site\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(log_in(right, "Sec-Fetch-Site: same-origin\r\n"), StartsWith("HTTP/1.1 303 "));
}

TEST_F(WebToken, FiveWrongTriesLockOutThatAddressAlone) {
  put_token(kToken);
  serve_others();
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(i % 2 == 0 ? get_with("0123456789abcdef") : log_in("token=wrong"),
                StartsWith("HTTP/1.1 401 "))
        << i;
  }
  EXPECT_THAT(get_with("0123456789abcdef"),
              AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("Retry-After: ")));
  EXPECT_THAT(get_with(kToken), StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(log_in(fmt::format("token={}", kEncoded)), StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(get_with(kToken, "/", "198.51.100.2"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(log_in(fmt::format("token={}", kEncoded), "", "198.51.100.3"),
              StartsWith("HTTP/1.1 303 "));
}

TEST_F(WebToken, WhereItCannotBeUsedNobodyIsLetInAndDoctorSaysWhy) {
  serve_others();
  const auto is_closed = AllOf(StartsWith("HTTP/1.1 503 "), Not(HasSubstr("page.token")),
                               Not(HasSubstr("enp1s0f0np0")));
  for (const auto* path : {"/", "/metrics"}) EXPECT_THAT(ask("GET", path), is_closed);
  EXPECT_THAT(ask("GET", "/healthz"), StartsWith("HTTP/1.1 200 ")) << "the daemon runs";
  EXPECT_THAT(doctor(), AllOf(HasSubstr("! page"), HasSubstr("nobody off this machine is let in"),
                              HasSubstr("page.token"), HasSubstr("head -c 24 /dev/urandom")));
  put_token(kToken, 0644);
  EXPECT_THAT(get_with(kToken), is_closed);
  EXPECT_THAT(doctor(), AllOf(HasSubstr("! page"), HasSubstr("is open to everybody")));
  put_token("too-short");
  EXPECT_THAT(get_with(kToken), is_closed);
  EXPECT_THAT(doctor(), AllOf(HasSubstr("! page"), HasSubstr("it has 9 characters")));
  EXPECT_EQ(web_report()["token_file"], kTokenFile);
  EXPECT_THAT(web_report()["access_failed"].get<std::string>(), HasSubstr("line 1, column 1"));
  put_token(kToken);
  EXPECT_THAT(get_with(kToken), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(web_report()["access_failed"], "");
  EXPECT_THAT(doctor(), HasSubstr("to who has the token of"));
}

TEST_F(WebToken, WhereNoneIsNamedThisMachineAloneIsServed) {
  serve_others("");
  until([&] { return get("/healthz").contains("200 OK"); });
  EXPECT_THAT(get("/"), HasSubstr("200 OK"));
  wait_until([&] { return has_mtu(9000); });
  EXPECT_THAT(ask("GET", "/healthz"), IsEmpty());
  EXPECT_THAT(doctor(), AllOf(HasSubstr("! page"), HasSubstr("names no 'token_file'"),
                              HasSubstr("[SR-SPEC-141]"), HasSubstr("-g spark-web -m 640")));
  EXPECT_THAT(end(*daemon_), AllOf(HasSubstr("agent.yaml:1:9: error:"), HasSubstr("SR-SPEC-141"),
                                   Not(HasSubstr("is left out"))));
}

TEST_F(WebToken, OnLoopbackNobodyIsAsked) {
  put_token(kToken);
  spark_.write("/etc/spark-reconcile/agent.yaml", fmt::format("token_file: {}\n", kTokenFile));
  start();
  serve();
  EXPECT_THAT(get("/"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("enp1s0f0np0")));
  EXPECT_THAT(get("/login"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(doctor(), Not(HasSubstr("token")));
}

TEST_F(WebToken, StandsInNoDocumentAndNoLog) {
  put_token(kToken);
  serve_others();
  EXPECT_THAT(get_with(kToken), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(log_in(fmt::format("token={}", kEncoded)), StartsWith("HTTP/1.1 303 "));
  EXPECT_THAT(get_with(kToken, "/status.json"), Not(HasSubstr(std::string(kToken) + "\n")));
  std::vector<std::string> holders;
  const std::filesystem::recursive_directory_iterator all(
      spark_.host_path("/"), std::filesystem::directory_options::skip_permission_denied);
  for (const auto& entry : all) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (text.contains(kToken)) holders.push_back(entry.path());
  }
  EXPECT_EQ(holders, std::vector{spark_.host_path(kTokenFile).string()});
  EXPECT_THAT(spark_.reconcile({"doctor"}).out + spark_.reconcile({"status", "--json"}).out +
                  end(*web_) + end(*daemon_),
              AllOf(Not(HasSubstr(std::string(kToken))), Not(HasSubstr(kEncoded))));
}

}  // namespace
}  // namespace spark::test
