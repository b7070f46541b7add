#include "cli/text/rollout_text.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/text/layout.hpp"
#include "config/parse/parse.hpp"
#include "state/in_force_file.hpp"

namespace spark::cli {

plan::RolloutOrder rollout_of(const config::Cluster& cluster, host::Files& files) {
  // Others than root cannot read it: the order then is that of a first file, as the file has it.
  const auto kept = state::read_in_force(files);
  if (!kept || kept->text() == nullptr) return plan::rollout_order(nullptr, cluster);
  const auto former = config::parse(*kept->text());
  if (config::has_errors(former.diagnostics)) return plan::rollout_order(nullptr, cluster);
  if (former.cluster.digest == cluster.digest) return {};
  return plan::rollout_order(&former.cluster, cluster);
}

std::string rollout_text(const plan::RolloutOrder& order) {
  if (order.groups.empty()) return {};
  if (!order.is_staged()) {
    return fmt::format("Roll-out: cannot be staged: all nodes take the file at once{}.\n",
                       order.joined.empty() ? "" : ", since cables between them change");
  }
  std::vector<std::string> groups;
  std::ranges::transform(order.groups, std::back_inserter(groups),
                         [](const auto& group) { return listed(group); });
  auto text = fmt::format("Roll-out: {}.", fmt::join(groups, ", then "));
  if (!order.joined.empty()) {
    text += fmt::format(" A cable changes between {}, which take the file together.",
                        fmt::join(order.joined, ", and between "));
  }
  if (!order.away.empty()) text += fmt::format(" Away: {}.", listed(order.away));
  return text + "\n";
}

nlohmann::json to_json(const plan::RolloutOrder& order) {
  if (order.groups.empty()) return nullptr;
  return {{"groups", order.groups}, {"joined", order.joined}, {"away", order.away}};
}

}  // namespace spark::cli
