// Shows the nodes of tests/unit/daemon/states.cpp and clusters of tests/unit/cluster/clusters.hpp
// as spark-web does:
//   show_state names             their names, one a line
//   show_state NAME /PATH        the body of that path
//   show_state NAME serve        serves it on 127.0.0.1, prints the port, ends with its stdin
//   show_state NAME guard        the same, to who shows the token "a-token-of-the-tests"
// Exit code: 0, or 1 for an error.

#include <array>
#include <chrono>
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
#include "helpers/web/page_access.hpp"
#include "helpers/web/routes.hpp"
#include "node_state/time_text.hpp"
#include "unit/cluster/clusters.hpp"
#include "unit/daemon/states.hpp"

namespace {

using spark::test::KnownCluster;

/// What spark-web has to show.
struct Shown {
  spark::node_state::NodeState state;
  std::optional<spark::helpers::ShownCluster> cluster;

  [[nodiscard]] const spark::helpers::ShownCluster* of_cluster() const {
    return cluster ? &*cluster : nullptr;
  }
};

/// All were ready for the day but the second, which was not for half an hour; and who is not now.
void tell_their_day(KnownCluster& cluster) {
  using std::chrono::minutes;
  for (auto& told : cluster.known.told.peers) {
    auto& details = told.details;
    const auto stood = [&verdicts = details.verdicts](const std::string& verdict, minutes age) {
      verdicts.insert(verdicts.begin(),
                      {.verdict = verdict, .since = spark::utc_text(spark::daemon::ago(age).wall)});
    };
    stood("ready", minutes(30 * 60));
    if (details.node == cluster.known.shape.nodes[1]) {
      stood("not ready", minutes(8 * 60));
      stood("ready", minutes(7 * 60 + 30));
    }
    if (details.verdict != "ready") stood(details.verdict, minutes(4));
  }
}

Shown cluster_of(KnownCluster cluster, const std::string& state) {
  tell_their_day(cluster);
  Shown shown{.state = spark::daemon::test_states().at(state), .cluster = {}};
  cluster.known.own.since =
      spark::node_state::age(shown.state.verdict_since, spark::daemon::test_now());
  shown.cluster = {
      .view = cluster.view(), .told = cluster.known.told.peers, .now = cluster.known.now};
  shown.state.cluster = cluster.known.shape.cluster;
  shown.state.file.digest = cluster.known.own.file.digest;
  shown.state.shape = cluster.known.shape;
  return shown;
}

std::map<std::string, Shown> all_shown() {
  std::map<std::string, Shown> all;
  for (const auto& [name, state] : spark::daemon::test_states()) all[name].state = state;
  // Each shape well, with a cable that is wrong, and with a silent node.
  const auto add = [&all](const std::string& name, const KnownCluster& well, const char* state,
                          void (*breaks)(KnownCluster&), const char* broken,
                          const std::string& silent) {
    all[name] = cluster_of(well, state);
    auto wrong = well;
    breaks(wrong);
    all[name + "-wrong"] = cluster_of(wrong, broken);
    auto alone = well;
    alone.goes_silent(silent);
    all[name + "-silent"] = cluster_of(alone, "unproven");
  };
  const auto misplaced = [](KnownCluster& known) {
    known.has_its_plug_in_the_other_cage("spark2");
  };
  const auto unplugged = [](KnownCluster& known) { known.loses_its_switch(); };
  const auto swapped = [](KnownCluster& known) { known.has_swapped_plugs(); };
  add("cluster-pair", spark::test::known_pair(), "ready", misplaced, "misplaced", "spark2");
  add("cluster-ring", spark::test::known_ring(), "ring", swapped, "miswired", "spark3");
  add("cluster-four", spark::test::known_ring_of_four(), "ring", swapped, "miswired", "spark3");
  add("cluster-switch", spark::test::known_switch(), "switch", unplugged, "unplugged", "spark7");
  auto small = spark::test::known_switch();
  small.has_a_small_mtu("spark2");
  small.goes_silent("spark7");
  small.has_another_file("spark5");
  all["cluster-many"] = cluster_of(small, "switch");
  return all;
}

int serve(const Shown& shown, bool is_guarded) {
  boost::asio::io_context context;
  spark::helpers::PageAccess access;
  const spark::helpers::PageToken token{
      .digest = spark::helpers::TokenDigest::of("a-token-of-the-tests"), .failed = {}};
  auto server = spark::helpers::HttpServer::listen(
      context, {*spark::IpAddress::parse("127.0.0.1"), 0}, {},
      [&](const spark::helpers::Request& request) {
        if (is_guarded) {
          auto refused = access.answer(request, token, std::chrono::steady_clock::now());
          if (refused) return *refused;
        }
        return spark::helpers::site(request.path, shown.state, spark::daemon::test_now(),
                                    shown.of_cluster());
      },
      is_guarded ? spark::helpers::kLoginPath : "");
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
    std::cerr << "usage: show_state names | NAME /PATH | NAME serve | NAME guard\n";
    return 1;
  }
  const std::string_view what = argv[2];
  if (what == "serve" || what == "guard") return serve(state->second, what == "guard");
  const auto& shown = state->second;
  std::cout << spark::helpers::site(argv[2], shown.state, spark::daemon::test_now(),
                                    shown.of_cluster())
                   .body;
  return 0;
}
