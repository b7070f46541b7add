#include "daemon/status_json.hpp"

#include <nlohmann/json.hpp>
namespace spark {
std::string status_json(const NodeState& state, const Moment&) {
  nlohmann::json j{{"verdict", name_of(state.verdict)}, {"node", state.node},
                   {"in_sync", state.in_sync},          {"digest", state.file.digest},
                   {"refused", state.file.refused},     {"passes", state.counters.passes},
                   {"pass_error", state.pass_error},    {"objections", state.objections}};
  j["episodes"] = nlohmann::json::array();
  for (auto& e : state.episodes)
    j["episodes"].push_back({{"kind", e.kind},
                             {"key", e.key},
                             {"state", name_of(e.state)},
                             {"have", e.have},
                             {"want", e.want},
                             {"why", e.why}});
  j["changes"] = nlohmann::json::array();
  for (auto& c : state.changes)
    j["changes"].push_back({{"kind", c.kind},
                            {"key", c.key},
                            {"before", c.before},
                            {"after", c.after},
                            {"failure", c.failure},
                            {"cause", name_of(c.cause)}});
  j["triggers"] = state.counters.triggers;
  return j.dump(1);
}
}  // namespace spark
