#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "helpers/web/http_server.hpp"

namespace {

using boost::asio::ip::tcp;

struct World {
  boost::asio::io_context context;
  spark::helpers::HttpServer server =
      spark::helpers::HttpServer::listen(
          context, {*spark::IpAddress::parse("127.0.0.1"), 0}, {"spark1"},
          [](const spark::helpers::Request& request) {
            return spark::helpers::Response{
                .type = "text/plain",
                .body = std::string(request.path) + std::string(request.body),
                .headers = {}};
          },
          "/login")
          .value();
};

}  // namespace

// Whatever comes over a connection: it is answered in HTTP or closed, and the next one is served.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  tcp::socket client(world.context);
  // From an address of its own, for a connection that has ended keeps its pair of ports for a
  // minute.
  static std::uint32_t clients = 0;
  client.open(tcp::v4());
  client.bind({boost::asio::ip::address_v4(0x7F000002U + clients++ % 0x00FFFFF0U), 0});
  boost::system::error_code error;
  std::string answer;
  bool ended = false;
  const auto ask = [&](const boost::system::error_code& refused) {
    if (refused) std::abort();
    // The server reads in the same thread: more than the socket takes is not for this.
    client.send(boost::asio::buffer(data, size), 0, error);
    static_cast<void>(client.shutdown(tcp::socket::shutdown_send, error));
    boost::asio::async_read(client, boost::asio::dynamic_buffer(answer),
                            [&](const boost::system::error_code&, std::size_t) { ended = true; });
  };
  // Not connect(2) itself, which the fuzzer's alarm clock interrupts.
  client.async_connect({boost::asio::ip::address_v4::loopback(), world.server.port()}, ask);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  while (!ended && std::chrono::steady_clock::now() < deadline) {
    world.context.restart();
    world.context.run_one_for(std::chrono::seconds(1));
  }
  if (!ended || (!answer.empty() && !answer.starts_with("HTTP/1."))) {
    std::abort();
  }
  return 0;
}
