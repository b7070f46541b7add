#include "fake/http_receiver.hpp"

#include <array>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/write.hpp>

namespace spark::test {

using Tcp = boost::asio::ip::tcp;
using BoostError = boost::system::error_code;

namespace {

Tcp::endpoint loopback(std::uint16_t port) {
  return {boost::asio::ip::address_v4::loopback(), port};
}

std::size_t length_in(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
}

}  // namespace

struct HttpReceiver::Session : std::enable_shared_from_this<Session> {
  Session(Tcp::socket accepted, HttpReceiver& owner)
      : socket(std::move(accepted)), receiver(owner) {}

  void read() {
    socket.async_read_some(boost::asio::buffer(buffer),
                           [self = shared_from_this()](const BoostError& error, std::size_t size) {
                             if (!error) self->take(size);
                           });
  }

  void take(std::size_t size) {
    text.append(buffer.data(), size);
    const auto end = text.find("\r\n\r\n");
    if (end == std::string::npos || text.size() < end + 4 + length_in(text.substr(0, end))) {
      read();
      return;
    }
    receiver.requests_.push_back({text.substr(0, end), text.substr(end + 4)});
    text = receiver.answer;
    if (text.empty()) {
      read();  // until the other end gives up
      return;
    }
    boost::asio::async_write(socket, boost::asio::buffer(text),
                             [self = shared_from_this()](const BoostError&, std::size_t) {});
  }

  Tcp::socket socket;
  HttpReceiver& receiver;
  std::array<char, 4096> buffer{};
  std::string text;
};

HttpReceiver::HttpReceiver(boost::asio::io_context& context, std::uint16_t port)
    : acceptor_(context, loopback(port)), port_(acceptor_.local_endpoint().port()) {
  accept();
}

HttpReceiver::~HttpReceiver() = default;

std::string HttpReceiver::url(const std::string& target) const {
  return "http://127.0.0.1:" + std::to_string(port_) + target;
}

void HttpReceiver::accept() {
  acceptor_.async_accept([this](const BoostError& error, Tcp::socket socket) {
    if (error) return;
    std::make_shared<Session>(std::move(socket), *this)->read();
    accept();
  });
}

bool run_until(boost::asio::io_context& context, const std::function<bool()>& so,
               std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!so()) {
    context.restart();
    if (std::chrono::steady_clock::now() >= end) return false;
    if (context.run_one_until(end) == 0 && context.stopped()) return so();
  }
  return true;
}

HeldPort::HeldPort() : socket_(context_, Tcp::v4()) {
  socket_.set_option(Tcp::acceptor::reuse_address(true));
  socket_.bind(loopback(0));
}

}  // namespace spark::test
