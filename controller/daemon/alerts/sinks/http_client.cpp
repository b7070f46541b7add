#include "daemon/alerts/sinks/http_client.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "base/text.hpp"

namespace spark::daemon {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using BoostError = boost::system::error_code;

constexpr std::size_t kMostAnswer = std::size_t{64} * 1024;
constexpr std::size_t kMostBodyLine = 200;

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(asio::io_context& context, HttpPost post, std::function<void(Result<HttpAnswer>)> done)
      : resolver_(context),
        stream_(context),
        timer_(context),
        url_(std::move(post.url)),
        done_(std::move(done)) {
    request_.method(http::verb::post);
    request_.target(url_.target);
    request_.version(11);
    request_.set(http::field::host, url_.authority());
    request_.set(http::field::user_agent, "spark-reconcile");
    request_.set(http::field::content_type, post.content_type);
    request_.set(http::field::accept, "*/*");
    if (!post.authorization.empty()) request_.set(http::field::authorization, post.authorization);
    request_.keep_alive(false);
    request_.body() = std::move(post.body);
    request_.prepare_payload();
    answer_.body_limit(kMostAnswer);
  }

  void start(std::chrono::milliseconds deadline) {
    timer_.expires_after(deadline);
    timer_.async_wait([self = shared_from_this(), deadline](const BoostError& error) {
      if (error) return;  // the exchange has ended
      self->finish(fail(
          ErrorCode::kTimeout,
          fmt::format("no answer of {} within {} ms", self->url_.authority(), deadline.count())));
    });
    resolve();
  }

 private:
  /// An address needs no resolver, whose thread nobody can stop.
  void resolve() {
    BoostError error;
    const auto ip = asio::ip::make_address(url_.host, error);
    if (!error) {
      stream_.async_connect(
          Tcp::endpoint(ip, url_.port),
          [self = shared_from_this()](const BoostError& failed) { self->connected(failed); });
      return;
    }
    resolver_.async_resolve(
        url_.host, std::to_string(url_.port),
        [self = shared_from_this()](const BoostError& failed,
                                    const Tcp::resolver::results_type& to) {
          if (self->ended_ || self->failed("resolve", failed)) return;
          self->stream_.async_connect(
              to, [self](const BoostError& error2, const Tcp::endpoint& /*endpoint*/) {
                self->connected(error2);
              });
        });
  }

  void connected(const BoostError& error) {
    if (failed("connect to", error)) return;
    http::async_write(stream_, request_,
                      [self = shared_from_this()](const BoostError& written, std::size_t /*size*/) {
                        // A receiver may answer, as 413, before it has read all.
                        if (self->failed("write to", written)) return;
                        self->read();
                      });
  }

  void read() {
    http::async_read(stream_, buffer_, answer_,
                     [self = shared_from_this()](const BoostError& error, std::size_t /*size*/) {
                       self->answered(error);
                     });
  }

  void answered(const BoostError& error) {
    // The status is what counts: a body beyond the limit, or cut off, changes nothing about it.
    if (!answer_.is_header_done() && failed("read from", error)) return;
    const std::string_view body = answer_.get().body();
    finish(HttpAnswer{answer_.get().result_int(),
                      printable(body.substr(0, body.find('\n')), kMostBodyLine)});
  }

  bool failed(std::string_view what, const BoostError& error) {
    if (!error) return false;
    finish(fail(ErrorCode::kSystem,
                fmt::format("{} {}: {}", what, url_.authority(), error.message())));
    return true;
  }

  void finish(Result<HttpAnswer> result) {
    if (std::exchange(ended_, true)) return;
    timer_.cancel();
    resolver_.cancel();
    BoostError ignored;  // there is nothing left to say to the other end
    stream_.socket().close(ignored);
    std::exchange(done_, nullptr)(std::move(result));
  }

  Tcp::resolver resolver_;
  boost::beast::tcp_stream stream_;
  asio::steady_timer timer_;
  HttpUrl url_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response_parser<http::string_body> answer_;
  std::function<void(Result<HttpAnswer>)> done_;
  bool ended_ = false;
};

}  // namespace

void post_http(asio::io_context& context, HttpPost post, std::chrono::milliseconds deadline,
               std::function<void(Result<HttpAnswer>)> done) {
  const auto exchange = std::make_shared<Exchange>(context, std::move(post), std::move(done));
  asio::post(context, [exchange, deadline] { exchange->start(deadline); });
}

}  // namespace spark::daemon
