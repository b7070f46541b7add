#pragma once
// HttpReceiver: a web server on a loopback port that remembers what it was sent, and answers as it
// is told.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace spark::test {

class HttpReceiver {
 public:
  struct Request {
    std::string head;
    std::string body;
  };

  /// `port` 0: a free one.
  explicit HttpReceiver(boost::asio::io_context& context, std::uint16_t port = 0);
  HttpReceiver(const HttpReceiver&) = delete;
  HttpReceiver& operator=(const HttpReceiver&) = delete;
  ~HttpReceiver();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url(const std::string& target) const;
  [[nodiscard]] const std::vector<Request>& requests() const { return requests_; }

  std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";  ///< empty: never

 private:
  struct Session;
  void accept();

  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::vector<Request> requests_;
};

/// Runs the context until that is so. False: it was not within five seconds.
bool run_until(boost::asio::io_context& context, const std::function<bool()>& so,
               std::chrono::milliseconds limit = std::chrono::seconds(5));

/// A port of 127.0.0.1 on which nobody listens. The kernel gives it to nobody else, and who is told
/// it may bind it too.
class HeldPort {
 public:
  HeldPort();
  [[nodiscard]] std::uint16_t number() const { return socket_.local_endpoint().port(); }

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor socket_;
};

}  // namespace spark::test
