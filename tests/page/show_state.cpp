// Shows the nodes of tests/unit/daemon/states.cpp and clusters of tests/unit/cluster/clusters.hpp
// as spark-web does:
//   show_state names             their names, one a line
//   show_state NAME /PATH        the body of that path
//   show_state NAME serve        serves it on 127.0.0.1, prints the port, ends with its stdin
// Exit code: 0, or 1 for an error.

#include <array>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "helpers/web/http_server.hpp"
#include "helpers/web/routes.hpp"
#include "unit/cluster/clusters.hpp"
#include "unit/daemon/states.hpp"

namespace {

using spark::test::KnownCluster;

/// What spark-web has to show.
struct Shown {
  spark::daemon::NodeState state;
  std::optional<spark::cluster::ClusterView> view;

  [[nodiscard]] const spark::cluster::ClusterView* of_cluster() const {
    return view ? &*view : nullptr;
  }
};

Shown cluster_of(const KnownCluster& cluster, const std::string& state) {
  Shown shown{.state = spark::daemon::test_states().at(state), .view = cluster.view()};
  shown.state.cluster = cluster.known.shape.cluster;
  shown.state.file.digest = cluster.known.own.file.digest;
  shown.state.shape = cluster.known.shape;
  return shown;
}

std::map<std::string, Shown> all_shown() {
  std::map<std::string, Shown> all;
  for (const auto& [name, state] : spark::daemon::test_states()) all[name].state = state;
  all["cluster-pair"] = cluster_of(spark::test::known_pair(), "ready");
  all["cluster-ring"] = cluster_of(spark::test::known_ring(), "ring");
  all["cluster-switch"] = cluster_of(spark::test::known_switch(), "switch");
  auto wrong = spark::test::known_ring();
  wrong.has_swapped_plugs();
  all["cluster-cable"] = cluster_of(wrong, "miswired");
  auto silent = spark::test::known_ring();
  silent.goes_silent("spark3");
  all["cluster-silent"] = cluster_of(silent, "unproven");
  auto small = spark::test::known_switch();
  small.has_a_small_mtu("spark2");
  small.goes_silent("spark7");
  small.has_another_file("spark5");
  all["cluster-many"] = cluster_of(small, "switch");
  return all;
}

int serve(const Shown& shown) {
  boost::asio::io_context context;
  auto server = spark::helpers::HttpServer::listen(
      context, {*spark::IpAddress::parse("127.0.0.1"), 0}, {}, [&shown](std::string_view path) {
        return spark::helpers::site(path, shown.state, spark::daemon::test_now(),
                                    shown.of_cluster());
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
  const auto states = all_shown();
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
  const auto& shown = state->second;
  std::cout << spark::helpers::site(argv[2], shown.state, spark::daemon::test_now(),
                                    shown.of_cluster())
                   .body;
  return 0;
}
