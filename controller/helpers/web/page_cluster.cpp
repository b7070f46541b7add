#include "helpers/web/page_cluster.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/html.hpp"
#include "base/text.hpp"
#include "cluster/make_view.hpp"
#include "cluster/rollout_words.hpp"
#include "cluster/view_words.hpp"
#include "drawing/live_map.hpp"
#include "drawing/map_words.hpp"
#include "drawing/topology_svg.hpp"
#include "helpers/web/page_last_day.hpp"
#include "helpers/web/page_parts.hpp"
#include "helpers/web/page_sections.hpp"
#include "node_state/known_node.hpp"

namespace spark::helpers {
namespace {

using cluster::ClusterView;
using cluster::NodeView;
using protocol::Reach;
using protocol::Verdict;

// --- what the view is made of

/// What differs from the file.
std::string differs_in(const node_state::NodeState& state) {
  if (!state.refusals.empty()) return "refused: " + printable(state.refusals.front());
  if (state.drifts.empty()) return {};
  return fmt::format("differs: {}", counted(state.drifts.size(), "resource"));
}

// --- how it looks

std::string_view tone_of(Reach reach) {
  switch (reach) {
    case Reach::kRdma:
      return "good";
    case Reach::kNone:
      return "bad";
    case Reach::kEcho:
    case Reach::kNotAsked:
      break;
  }
  return "warn";
}

constexpr std::string_view kMapLegend =
    R"(<p class="legend"><span class="good">✓ proven</span>: RDMA moved bytes both ways. )"
    R"(<span class="warn">? not proven</span>: an end is silent, nobody was asked, or only an echo )"
    R"(passed. <span class="bad">✗ fails</span>: nothing passes; the word beside it says why.</p>)"
    "\n";

/// Of many nodes it would be a long picture that nobody takes in: `topology --live` draws it.
std::string map_html(const ClusterView& view, const cluster::Shape& shape) {
  constexpr std::size_t kMostDrawn = 16;
  if (shape.nodes.size() > kMostDrawn) return {};
  auto map = drawing::fabric_map(shape);
  drawing::add_live(map, view);
  const auto places = drawing::places_text(map);
  return card(
      "Cluster",
      drawing::topology_in_page(map) + std::string(kMapLegend) +
          (places.empty() ? std::string() : fmt::format("<p class=\"legend\">{}</p>\n", places)));
}

std::string root_html(const diagnosis::Root& root, const ClusterView& view) {
  const auto& problem = root.problem;
  const auto node = std::ranges::find(view.nodes, problem.node, &NodeView::name);
  const auto is_bad = node != view.nodes.end() && node->verdict == Verdict::kNotReady;
  auto about = html(problem.found.id);
  if (const auto count = root.effects.size(); count > 0) {
    about += fmt::format("{}{} from it", about.empty() ? "" : " · ",
                         count == 1 ? "1 other follows" : fmt::format("{} others follow", count));
  }
  return fmt::format(
      R"(<li>{}<div><p class="what">{}</p><p class="todo">→ {}</p>{}</div></li>
)",
      tag(is_bad ? "bad" : "warn", problem.node),
      html(written(sentence_of(alike_in(root).front()))), prose(written(text_of(problem.remedy))),
      about.empty() ? "" : fmt::format("<p class=\"about\">{}</p>", about));
}

std::string roots_html(const ClusterView& view) {
  if (view.roots.empty()) return {};
  std::string roots;
  for (const auto& root : view.roots) roots += root_html(root, view);
  return card(view.roots.size() == 1 ? "The cause" : "Causes, the most basic first",
              fmt::format("<ol class=\"faults\">\n{}</ol>\n", roots));
}

std::string rollout_html(const ClusterView& view) {
  return view.rollout ? card("Roll-out", sentence(cluster::rolling_text(view))) : std::string();
}

/// What the causes above do not say of it.
std::string what_html(const NodeView& node, const ClusterView& view) {
  if (!node.follows_from.empty()) return "follows from " + html(node.follows_from);
  const auto count = std::ranges::count(
      view.roots, node.name, [](const diagnosis::Root& root) { return root.problem.node; });
  if (count == 0) return html(written(node.what));
  return count == 1 ? "a cause, see above" : fmt::format("{} causes, see above", count);
}

std::string ready_html(const NodeView& node) {
  const auto look = look_of(node.verdict);
  // A node that was never heard is unknown since nobody knows when.
  return fmt::format(R"(<span class="{}"><span aria-hidden="true">{}</span> {}</span>{})",
                     look.tone, look.sign, name_of(node.verdict),
                     node.since ? small("for " + cluster::age_text(*node.since)) : "");
}

std::string file_cell_html(const NodeView& node, const ClusterView& view) {
  const auto text = cluster::node_file_text(node, view);
  if (!node.has_our_file) return sign_and_words(text, "not known");
  return *node.has_our_file ? mono(text)
                            : sign_and_words(mono(text), "another file, digest " +
                                                             cluster::digest_text(node.file));
}

std::string rails_cell_html(const NodeView& node) {
  const auto text = cluster::rails_text(node);
  return cluster::is_heard(node) && node.rails > 0
             ? sign_and_words(text, fmt::format("{} of {}", node.proven, node.rails))
             : sign_and_words(text, "not known");
}

std::string heard_html(const NodeView& node) {
  const auto text = cluster::heard_text(node);
  const bool is_age = !node.is_own && node.told_by.empty() && node.heard_ago;
  return html(is_age ? text + " ago" : text);
}

std::string nodes_html(const ClusterView& view) {
  Table table({"Node", "Verdict", "File", "Rails proven", "Heard", "What"});
  for (const auto& node : view.nodes) {
    table.row_of({mono(node.name) + (node.is_own ? small("this node") : ""), ready_html(node),
                  file_cell_html(node, view), rails_cell_html(node), heard_html(node),
                  what_html(node, view)});
  }
  return card("Nodes", table.html());
}

std::string cell_html(const ClusterView& view, const std::string& row, const std::string& column) {
  const auto cell = cluster::matrix_cell(view, row, column);
  if (cell.rails.empty()) {
    return fmt::format("<td class=\"quiet\">{}</td>",
                       sign_and_words(cell.word, row == column ? "itself" : "no cable"));
  }
  std::vector<std::string> signs;
  std::vector<std::string> words;
  for (std::size_t rail = 0; rail < cell.rails.size(); ++rail) {
    const auto reach = cell.rails[rail];
    signs.push_back(
        fmt::format(R"(<span class="{}">{}</span>)", tone_of(reach), cluster::sign_of(reach)));
    words.push_back(fmt::format("rail {}: {}", rail, cluster::words_of(reach)));
  }
  return fmt::format("<td>{}{}</td>",
                     sign_and_words(fmt::format("{}", fmt::join(signs, "/")),
                                    fmt::format("{}", fmt::join(words, ", "))),
                     small(cell.why));
}

std::string ways_html(const ClusterView& view) {
  const auto names = cluster::names_in_matrix(view);
  const auto left_out = cluster::left_out_of_matrix(view, names);
  if (view.pairs.empty()) return {};
  if (names.empty()) return card("Ways between the nodes", sentence(left_out));
  std::string head = "<td></td>";
  std::string rows;
  for (const auto& row : names) {
    head += fmt::format(R"(<th scope="col"><span>{}</span></th>)", html(row));
    rows += fmt::format(R"(<tr><th scope="row">{}</th>)", html(row));
    for (const auto& column : names) rows += cell_html(view, row, column);
    rows += "</tr>\n";
  }
  // Of many nodes it is wider than a phone: who has no mouse moves it with the keys.
  return fmt::format(
      R"(<section class="card">
<h2 id="ways">Ways between the nodes</h2>
<div class="wide" role="region" aria-labelledby="ways" tabindex="0">
<table class="matrix">
<thead><tr>{}</tr></thead>
<tbody>
{}</tbody>
</table>
</div>
{}<p class="legend">{}</p>
</section>
)",
      head, rows, left_out.empty() ? "" : sentence(left_out),
      html(cluster::matrix_legend(view, names)));
}

}  // namespace

std::optional<ShownCluster> view_of(const node_state::NodeState& state, cluster::Told told,
                                    const Moment& now) {
  const bool is_ours = !state.node.empty() && told.own.node == state.node &&
                       std::ranges::find(state.shape.nodes, state.node) != state.shape.nodes.end();
  if (!is_ours || !told.is_enabled || told.expected.empty()) return std::nullopt;
  ShownCluster shown{.view = {}, .told = told.peers, .now = now.boot};
  auto own = node_state::own_node(state, now);
  const auto& path = state.file.path;
  own.file.name = printable(std::string_view(path).substr(path.rfind('/') + 1));
  own.differs = differs_in(state);
  auto rollout = node_state::known_rollout(state, now);
  rollout.groups = state.rollout_groups;
  rollout.is_asked = !rollout.groups.empty();
  shown.view = cluster::cluster_view({.shape = state.shape,
                                      .own = std::move(own),
                                      .told = std::move(told),
                                      .measured = {},
                                      .now = now.boot,
                                      .rollout = std::move(rollout)});
  return shown;
}

std::string cluster_title(const ClusterView& view) {
  return fmt::format("{}: {} ({})", html(view.cluster), ready_text(view),
                     html(view.nodes.front().name));
}

std::string cluster_top_html(const ClusterView& view) {
  const auto look = look_of(worst_of(view));
  return fmt::format(
      R"(<h1>{} · {} · <span class="{}">{}</span></h1><p class="quiet">{} · as {} knows it</p>)",
      html(view.cluster), html(view.shape), look.tone, ready_text(view),
      html(cluster::origin_text(view.file)), html(view.nodes.front().name));
}

std::string cluster_html(const ShownCluster& cluster, const node_state::NodeState& own,
                         const Moment& now) {
  const auto& view = cluster.view;
  return map_html(view, own.shape) + roots_html(view) + rollout_html(view) + nodes_html(view) +
         last_days_html(own, cluster, now) + ways_html(view) + other_nodes_html(cluster);
}

}  // namespace spark::helpers
