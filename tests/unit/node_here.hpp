#pragma once
// node_here: what a daemon has written of its node, for those who read it.

#include <string>

#include "base/moment.hpp"
#include "fake/fake_files.hpp"
#include "node_state/node_document.hpp"
#include "protocol/web.hpp"

namespace spark::test {

/// spark1 with a file in force, ready.
inline node_state::NodeState ready_node() {
  node_state::NodeState state;
  state.version = "0.2.0";
  state.node = "spark1";
  state.file.path = "/etc/spark-reconcile/cluster.yaml";
  state.file.digest = "3b55";
  state.gate = gate::GateReport{};
  state.verdict = gate::Verdict::kReady;
  return state;
}

/// With a reason that no gate has.
inline node_state::NodeState node_not_ready(const std::string& why) {
  auto state = ready_node();
  state.gate.reset();
  state.verdict = gate::Verdict::kNotReady;
  state.pass_error = why;
  return state;
}

inline Moment moment_at(const std::string& utc) { return {.wall = *wall_from_utc(utc)}; }

inline std::string node_state_text(const node_state::NodeState& state) {
  return node_state::node_document_text(
      {.listen = {.ip = *IpAddress::parse("127.0.0.1"), .port = 9842},
       .at = moment_at("2026-11-21T21:56:57Z"),
       .state = state});
}

inline void put_state(FakeFiles& files, const node_state::NodeState& state) {
  files.put(protocol::kNodeStateFile, node_state_text(state));
}

}  // namespace spark::test
