#pragma once
// node_here: what a daemon has written of its node, for those who read it.

#include <string>

#include "base/moment.hpp"
#include "daemon/export/node_document.hpp"
#include "fake/fake_files.hpp"
#include "protocol/web.hpp"

namespace spark::test {

/// spark1 with a file in force, ready.
inline daemon::NodeState ready_node() {
  daemon::NodeState state;
  state.version = "0.2.0";
  state.node = "spark1";
  state.file.path = "/etc/spark-reconcile/cluster.yaml";
  state.file.digest = "3b55";
  state.gate = gate::GateReport{};
  state.verdict = gate::Verdict::kReady;
  return state;
}

/// With a reason that no gate has.
inline daemon::NodeState node_not_ready(const std::string& why) {
  auto state = ready_node();
  state.gate.reset();
  state.verdict = gate::Verdict::kNotReady;
  state.pass_error = why;
  return state;
}

inline Moment moment_at(const std::string& utc) { return {.wall = *wall_from_utc(utc)}; }

inline std::string node_state_text(const daemon::NodeState& state) {
  return daemon::node_document_text({.listen = {.ip = *IpAddress::parse("127.0.0.1"), .port = 9842},
                                     .at = moment_at("2026-11-21T21:56:57Z"),
                                     .state = state});
}

inline void put_state(FakeFiles& files, const daemon::NodeState& state) {
  files.put(protocol::kNodeStateFile, node_state_text(state));
}

}  // namespace spark::test
