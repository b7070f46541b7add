#include "helpers/web/page_nodes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/html.hpp"
#include "cluster/view_words.hpp"
#include "helpers/web/page_parts.hpp"

namespace spark::helpers {
namespace {

using protocol::NodeDetails;
using protocol::ToldDetails;

/// What it told is news while it answers and is heard.
std::string beside(const cluster::NodeView& node, const ToldDetails& told,
                   std::chrono::milliseconds now) {
  const auto age = cluster::age_text(std::max(now - std::chrono::milliseconds(told.told_ms), {}));
  if (!cluster::is_heard(node)) {
    return fmt::format("{}; what it told is {} old", node.is_silent ? "silent" : "not heard", age);
  }
  const auto text =
      fmt::format("{}, {} of {} rails proven", name_of(node.verdict), node.proven, node.rails);
  return told.failed.empty()
             ? text
             : fmt::format("{}; what it told is {} old: {}", text, age, told.failed);
}

std::string versions_html(const NodeDetails& told) {
  std::string list;
  for (const auto& [what, value] : {std::pair("spark-reconcile", &told.version),
                                    {"DGX OS", &told.dgx_os},
                                    {"kernel", &told.kernel},
                                    {"ConnectX firmware", &told.firmware},
                                    {"ConnectX driver", &told.driver},
                                    {"GPU driver", &told.gpu_driver},
                                    {"memlock of services", &told.memlock},
                                    {"NVMe host", &told.host_nqn}}) {
    if (value->empty()) continue;
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", what, mono(*value));
  }
  return fmt::format("<dl class=\"files\">\n{}</dl>\n", list);
}

std::string reasons_html(const NodeDetails& told) {
  std::string text;
  for (const auto& reason : told.reasons) text += sentence(reason);
  return text;
}

std::string rails_html(const NodeDetails& told) {
  auto rails = told.rails;
  std::ranges::sort(rails, {}, [](const auto& rail) { return std::pair(rail.cage, rail.rail); });
  Table table({"Link", "Place", "Address", "MTU", "RDMA"});
  for (const auto& rail : rails) {
    const auto state = !rail.fault.empty()   ? html(rail.fault)
                       : rail.device.empty() ? "no device"
                                             : mono(rail.device);
    table.row_of({mono(rail.link), fmt::format("cage {}, rail {}", rail.cage, rail.rail),
                  rail.ip ? mono(rail.ip->text()) : "none",
                  rail.mtu == 0 ? "not known" : std::to_string(rail.mtu), state});
  }
  return told.rails.empty() ? std::string() : table.html();
}

}  // namespace

std::string other_nodes_html(const ShownCluster& cluster) {
  std::string sections;
  for (const auto& node : cluster.view.nodes) {
    const auto* told = protocol::told_by(cluster.told, node.name);
    if (node.is_own || told == nullptr) continue;
    sections += fmt::format(
        "<details>\n<summary><strong>{}</strong> <span class=\"quiet\">{}</span></summary>\n{}"
        "</details>\n",
        html(node.name), html(beside(node, *told, cluster.now)),
        reasons_html(told->details) + versions_html(told->details) + rails_html(told->details));
  }
  return sections.empty() ? sections : card("What the other nodes told", sections);
}

}  // namespace spark::helpers
