#include "helpers/web/http_server.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"

namespace spark::helpers {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

/// What of a refused request is read and thrown away, so that the answer to it arrives: closing a
/// socket with unread bytes resets the connection (RFC 9112, section 9.6).
constexpr std::size_t kMostDrained = std::size_t{64} * 1024;
constexpr std::chrono::seconds kDrain{1};

std::string http_date() {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(std::time(nullptr)));
}

Response refusal(http::status status, std::string_view why) {
  return {.status = static_cast<int>(status),
          .type = "text/plain; charset=utf-8",
          .body = fmt::format("{}\n", why)};
}

/// The other end; the unspecified address where it has gone already.
IpAddress peer_of(const Tcp::socket& socket) {
  error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return {};
  const auto from = [](const auto& bytes) {
    return IpAddress::from_bytes(std::span(bytes)).value_or(IpAddress());
  };
  const auto address = endpoint.address();
  return address.is_v4() ? from(address.to_v4().to_bytes()) : from(address.to_v6().to_bytes());
}

class Connection;

/// What all connections of a server share; each holds on to it.
struct Service {
  std::vector<std::string> names;
  HttpServer::Answer answer;
  std::string form;  ///< the path that takes a POST; empty: none does
  HttpLimits limits;
  std::set<Connection*> open;
  bool ended = false;  ///< the server is gone, and what `answer` refers to with it
};

/// One connection. It lives as long as an operation on it is under way, each of which has a
/// deadline.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, std::shared_ptr<Service> service)
      : from_(peer_of(socket)),
        stream_(std::move(socket)),
        buffer_(service->limits.header_bytes),
        service_(std::move(service)) {
    service_->open.insert(this);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { service_->open.erase(this); }

  /// Which connection gives way to a new one: one that asks for nothing before one that is being
  /// answered, and of those the one that has been so for longest. What a visitor asks for at once
  /// is answered, however many connections somebody else keeps open.
  [[nodiscard]] std::pair<bool, std::chrono::steady_clock::time_point> claim() const {
    return {answers_, since_};
  }

  /// `patience`: until the first byte of the request.
  void await_request(std::chrono::milliseconds patience) {
    answers_ = false;
    since_ = std::chrono::steady_clock::now();
    if (buffer_.size() != 0) {  // it was sent along with the one before
      read_header();
      return;
    }
    stream_.expires_after(patience);
    stream_.async_read_some(buffer_.prepare(buffer_.max_size()),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              if (!error) {
                                self->buffer_.commit(size);
                                self->read_header();
                              }
                            });
  }

  void close() {
    service_->open.erase(this);
    error_code ignored;  // it is going away either way
    static_cast<void>(stream_.socket().close(ignored));
  }

 private:
  void read_header() {
    parser_.emplace();
    parser_->header_limit(service_->limits.header_bytes);
    // respond() bounds the body, and says more of it. Not "none": Boost 1.74 takes each length for
    // more than that.
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    stream_.expires_after(service_->limits.request);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->have_header(error); });
  }

  void have_header(error_code error) {
    ++requests_;
    if (service_->ended) return;
    if (!error) {
      respond();
    } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      refuse(refusal(http::status::request_header_fields_too_large, "the header is too large"));
    } else if (error.category() == http::make_error_code(http::error::bad_method).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message) {
      refuse(refusal(http::status::bad_request, "this is no HTTP request"));
    }
    // Else it ended: the connection goes with its last operation.
  }

  void respond() {
    const auto& request = parser_->get();
    const auto target = std::string_view(request.target().data(), request.target().size());
    const auto hosts = request.count(http::field::host);
    const auto host = request[http::field::host];
    const bool takes_form = !service_->form.empty() && path_of(target) == service_->form;
    const bool is_form = takes_form && request.method() == http::verb::post;
    is_head_ = request.method() == http::verb::head;
    if (request.method() != http::verb::get && !is_head_ && !is_form) {
      auto refused = refusal(http::status::method_not_allowed,
                             takes_form ? "only GET, HEAD and POST" : "only GET and HEAD");
      refused.headers = {{"Allow", takes_form ? "GET, HEAD, POST" : "GET, HEAD"}};
      refuse(std::move(refused));
    } else if (is_form && (parser_->chunked() || !parser_->content_length())) {
      refuse(refusal(http::status::length_required, "it needs its Content-Length"));
    } else if (is_form && *parser_->content_length() > service_->limits.form_bytes) {
      refuse(refusal(http::status::payload_too_large, "the form is too long"));
    } else if (!is_form && (parser_->chunked() || parser_->content_length().value_or(0) != 0)) {
      refuse(refusal(http::status::payload_too_large, "a request here has no body"));
    } else if (hosts != 1 || !target.starts_with('/')) {
      refuse(refusal(http::status::bad_request, "it needs one Host, and a path"));
    } else if (!is_own_host({host.data(), host.size()}, service_->names)) {
      refuse(refusal(http::status::misdirected_request,
                     "this machine goes by no such name: ask for it by address, or as localhost"));
    } else if (is_form) {
      read_form();
    } else {
      answer(false);
    }
  }

  /// Under the deadline of read_header(), and as long as its Content-Length.
  void read_form() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error && !self->service_->ended) self->answer(true);
                     });
  }

  void answer(bool is_form) {
    const auto& request = parser_->get();
    const auto text_of = [](const auto& text) {
      return std::string_view(text.data(), text.size());
    };
    const bool keep = request.keep_alive() && requests_ < service_->limits.requests;
    write(service_->answer({.is_form = is_form,
                            .path = path_of(text_of(request.target())),
                            .from = from_,
                            .host = text_of(request[http::field::host]),
                            .authorization = text_of(request[http::field::authorization]),
                            .cookie = text_of(request[http::field::cookie]),
                            .origin = text_of(request[http::field::origin]),
                            .fetch_site = text_of(request["Sec-Fetch-Site"]),
                            .type = text_of(request[http::field::content_type]),
                            .body = request.body()}),
          keep);
  }

  /// Without the query.
  static std::string_view path_of(std::string_view target) {
    return target.substr(0, target.find_first_of("?#"));
  }

  /// Answers, and ends the connection, since where the next request begins is not known.
  void refuse(Response response) { write(std::move(response), false); }

  void write(Response response, bool keep_alive) {
    answers_ = true;
    since_ = std::chrono::steady_clock::now();
    answer_.emplace();
    answer_->result(static_cast<unsigned>(response.status));
    answer_->set(http::field::date, http_date());
    answer_->set(http::field::content_type, response.type);
    answer_->set(http::field::cache_control, "no-store");
    answer_->set("X-Content-Type-Options", "nosniff");
    answer_->set("Referrer-Policy", "no-referrer");
    answer_->set("Cross-Origin-Resource-Policy", "same-origin");
    for (const auto& [name, value] : response.headers) answer_->set(name, value);
    answer_->keep_alive(keep_alive);
    answer_->content_length(response.body.size());
    if (!is_head_) answer_->body() = std::move(response.body);
    stream_.expires_after(service_->limits.answer);
    http::async_write(stream_, *answer_,
                      [self = shared_from_this(), keep_alive](error_code error, std::size_t) {
                        if (error) return;
                        if (keep_alive) {
                          self->await_request(self->service_->limits.idle);
                        } else {
                          self->finish();
                        }
                      });
  }

  void finish() {
    error_code ignored;  // the peer may have ended it first
    static_cast<void>(stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored));
    stream_.expires_after(kDrain);
    buffer_.clear();
    drain();
  }

  /// Under the deadline of finish().
  void drain() {
    stream_.async_read_some(buffer_.prepare(buffer_.max_size()),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              self->drained_ += size;
                              if (!error && self->drained_ < kMostDrained) self->drain();
                            });
  }

  IpAddress from_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::shared_ptr<Service> service_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> answer_;
  bool answers_ = false;  ///< else it waits for a request
  std::chrono::steady_clock::time_point since_;
  bool is_head_ = false;
  std::size_t requests_ = 0;
  std::size_t drained_ = 0;  ///< bytes
};

}  // namespace

/// Accepts connections for as long as it lives.
class HttpServer::Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(asio::io_context& context, const Tcp& protocol, std::shared_ptr<Service> service)
      : context_(context),
        protocol_(protocol),
        acceptor_(context),
        again_(context),
        service_(std::move(service)) {}

  error_code take(UniqueFd socket) {
    error_code error;
    acceptor_.assign(protocol_, socket.get(), error);
    if (!error) {
      static_cast<void>(socket.release());  // the acceptor's now
    }
    return error;
  }

  void arm() {
    acceptor_.async_wait(Tcp::acceptor::wait_read, [self = shared_from_this()](error_code error) {
      if (!error) self->accept();
    });
  }

  void end() {
    service_->ended = true;
    error_code ignored;  // it is going away either way
    static_cast<void>(acceptor_.close(ignored));
    again_.cancel();
    while (!service_->open.empty()) (*service_->open.begin())->close();
  }

  [[nodiscard]] std::uint16_t port() const {
    error_code error;
    const auto endpoint = acceptor_.local_endpoint(error);
    return error ? std::uint16_t{0} : endpoint.port();
  }

 private:
  void accept() {
    // Not by Asio, which would let a program that is started at this moment inherit it.
    UniqueFd socket(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid() &&
        (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
      // The connection stays in the queue, and would wake the loop at once, again and again.
      again_.expires_after(std::chrono::seconds(1));
      again_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->arm();
      });
      return;
    }
    if (socket.valid()) {
      make_room();
      Tcp::socket stream(context_);
      error_code error;
      stream.assign(protocol_, socket.get(), error);
      if (!error) {
        static_cast<void>(socket.release());  // the stream's now
        std::make_shared<Connection>(std::move(stream), service_)
            ->await_request(service_->limits.request);
      }
    }
    arm();
  }

  void make_room() {
    auto& open = service_->open;
    if (open.size() >= service_->limits.connections) {
      (*std::ranges::min_element(open, {}, &Connection::claim))->close();
    }
  }

  asio::io_context& context_;
  Tcp protocol_;
  Tcp::acceptor acceptor_;
  asio::steady_timer again_;
  std::shared_ptr<Service> service_;
};

namespace {

std::string text_of(const HttpEndpoint& endpoint) {
  return fmt::format("listen on {}, port {}", endpoint.ip.text(), endpoint.port);
}

Result<UniqueFd> listening_socket(const HttpEndpoint& endpoint) {
  const int family = endpoint.ip.is_v4() ? AF_INET : AF_INET6;
  UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!socket.valid()) return fail_errno(errno, text_of(endpoint));
  // A daemon that starts again at once finds connections of the last one in TIME_WAIT.
  const int yes = 1;
  const SocketAddress address(endpoint.ip, endpoint.port);
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      (family == AF_INET6 &&
       ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) != 0) ||
      ::bind(socket.get(), address.get(), address.size()) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    return fail_errno(errno, text_of(endpoint));
  }
  return socket;
}

}  // namespace

Result<HttpServer> HttpServer::listen(asio::io_context& context, const HttpEndpoint& endpoint,
                                      std::vector<std::string> names, Answer answer,
                                      std::string form, const HttpLimits& limits) {
  auto socket = listening_socket(endpoint);
  if (!socket) return std::unexpected(socket.error());
  auto service = std::make_shared<Service>(Service{.names = std::move(names),
                                                   .answer = std::move(answer),
                                                   .form = std::move(form),
                                                   .limits = limits});
  const auto protocol = endpoint.ip.is_v4() ? Tcp::v4() : Tcp::v6();
  auto listener = std::make_shared<Listener>(context, protocol, std::move(service));
  if (const auto error = listener->take(std::move(*socket))) {
    return fail(ErrorCode::kSystem, fmt::format("{}: {}", text_of(endpoint), error.message()));
  }
  listener->arm();
  return HttpServer(std::move(listener));
}

HttpServer::HttpServer(std::shared_ptr<Listener> listener) : listener_(std::move(listener)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;

HttpServer& HttpServer::operator=(HttpServer&& other) noexcept {
  std::swap(listener_, other.listener_);
  return *this;
}

HttpServer::~HttpServer() {
  if (listener_) listener_->end();
}

std::uint16_t HttpServer::port() const { return listener_->port(); }

}  // namespace spark::helpers
