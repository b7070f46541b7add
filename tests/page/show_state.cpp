// Shows the nodes of tests/unit/daemon/states.cpp as spark-web does:
//   show_state names             their names, one a line
//   show_state NAME /PATH        the body of that path
//   show_state NAME serve        serves it on 127.0.0.1, prints the port, ends with its stdin
// Exit code: 0, or 1 for an error.

#include <array>
#include <iostream>
#include <string_view>

#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "helpers/web/http_server.hpp"
#include "helpers/web/routes.hpp"
#include "unit/daemon/states.hpp"

namespace {

int serve(const spark::daemon::NodeState& state) {
  boost::asio::io_context context;
  auto server = spark::helpers::HttpServer::listen(
      context, {*spark::IpAddress::parse("127.0.0.1"), 0}, {}, [&state](std::string_view path) {
        return spark::helpers::site(path, state, spark::daemon::test_now());
      });
  if (!server) {
    std::cerr << server.error().what << '\n';
    return 1;
  }
  std::cout << server->port() << std::endl;
  boost::asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
  input.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [&context](boost::system::error_code) { context.stop(); });
  context.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto& states = spark::daemon::test_states();
  if (argc == 2 && std::string_view(argv[1]) == "names") {
    for (const auto& [name, state] : states) {
      std::cout << name << '\n';
    }
    return 0;
  }
  const auto state = argc == 3 ? states.find(argv[1]) : states.end();
  if (state == states.end()) {
    std::cerr << "usage: show_state names | NAME /PATH | NAME serve\n";
    return 1;
  }
  if (std::string_view(argv[2]) == "serve") {
    return serve(state->second);
  }
  std::cout << spark::helpers::site(argv[2], state->second, spark::daemon::test_now()).body;
  return 0;
}
