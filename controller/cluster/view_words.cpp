#include "cluster/view_words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "protocol/paths.hpp"

namespace spark::cluster {
namespace {

using protocol::Reach;
using protocol::Verdict;
using std::chrono::milliseconds;

constexpr std::size_t kShort = 7;  ///< of a digest or a commit

constexpr std::string_view kItself = "·";
constexpr std::string_view kNoCable = "–";
constexpr std::string_view kNotKnown = "–";

/// Of two ways over one rail of two cables: what is wrong comes before what nobody knows.
int badness(Reach reach) {
  constexpr std::array kBadness{2, 3, 1, 0};
  return kBadness.at(static_cast<std::size_t>(reach));
}

bool is_whole(const PairView& pair) {
  return std::ranges::all_of(pair.ways, [](const auto& way) { return way.reach == Reach::kRdma; });
}

}  // namespace

std::string age_text(milliseconds age) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(age).count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 86400) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86400);
}

std::string digest_text(std::string_view digest) { return std::string(digest.substr(0, kShort)); }

std::string file_text(const FileOrigin& file) {
  return digest_text(file.commit.empty() ? file.digest : file.commit);
}

std::string origin_text(const FileOrigin& file) {
  if (file.commit.empty()) {
    // Where it usually is, its folder says nothing.
    const std::string_view path = file.name;
    const auto name = path == protocol::kDefaultFile ? path.substr(path.rfind('/') + 1) : path;
    return file.digest.empty() ? fmt::format("{} · not in force", name)
                               : fmt::format("{} · digest {}", name, digest_text(file.digest));
  }
  std::vector<std::string> more;
  more.push_back(file.principal.empty() ? "not verified" : "signed: " + file.principal);
  if (file.age) more.push_back(age_text(*file.age) + " ago");
  return fmt::format("git {} ({})", file_text(file), fmt::join(more, ", "));
}

bool is_heard(const NodeView& node) { return node.is_own || (!node.is_silent && node.heard_ago); }

std::size_t awaited_nodes(const ClusterView& view) {
  return static_cast<std::size_t>(std::ranges::count(view.nodes, false, &NodeView::is_away));
}

bool are_all_ready(const ClusterView& view) {
  return static_cast<std::size_t>(view.ready) == awaited_nodes(view);
}

Verdict worst_of(const ClusterView& view) {
  auto worst = Verdict::kReady;
  for (const auto& node : view.nodes) {
    if (!node.is_away) worst = std::max(worst, node.verdict);
  }
  return worst;
}

std::string ready_text(const ClusterView& view) {
  const auto awaited = awaited_nodes(view);
  auto text = fmt::format("{} of {} ready", view.ready, awaited);
  const auto away = view.nodes.size() - awaited;
  return away == 0 ? text : fmt::format("{}, {} away", text, away);
}

std::string heard_text(const NodeView& node) {
  if (node.is_own) return "here";
  if (!node.heard_ago) {
    const bool is_told_before = !node.told_by.empty() || !node.follows_from.empty();
    return is_told_before ? std::string(kNotKnown) : "never";
  }
  // Who is not silent was heard within this time, though nothing has been written since.
  const auto age = !node.is_silent && *node.heard_ago > protocol::kSilentAfter
                       ? "< " + age_text(protocol::kSilentAfter)
                       : age_text(*node.heard_ago);
  return node.told_by.empty() ? age : fmt::format("{} by {}", age, node.told_by);
}

std::string node_file_text(const NodeView& node, const ClusterView& view) {
  if (!node.has_our_file) return std::string(kNotKnown);
  return *node.has_our_file ? file_text(view.file) : "≠ " + digest_text(node.file);
}

std::string rails_text(const NodeView& node) {
  return is_heard(node) && node.rails > 0 ? fmt::format("{}/{}", node.proven, node.rails)
                                          : std::string(kNotKnown);
}

Reach shown_reach(const WayView& way) {
  if (way.reach == Reach::kRdma) return way.reach;
  switch (way.fault) {
    case WayFault::kAway:
    case WayFault::kSilent:
      return Reach::kNotAsked;
    case WayFault::kCarrier:
    case WayFault::kCable:
    case WayFault::kMtu:
      return Reach::kNone;
    case WayFault::kRdma:
    case WayFault::kNone:
      break;
  }
  return way.reach;
}

std::string_view sign_of(Reach reach) {
  constexpr std::array<std::string_view, 4> kSigns{"?", "✗", "e", "✓"};
  return kSigns.at(static_cast<std::size_t>(reach));
}

std::string_view words_of(Reach reach) {
  constexpr std::array<std::string_view, 4> kWords{"not known", "neither", "echo only",
                                                   "echo and RDMA"};
  return kWords.at(static_cast<std::size_t>(reach));
}

MatrixCell matrix_cell(const ClusterView& view, std::string_view row, std::string_view column) {
  MatrixCell cell;
  if (row == column) {
    cell.word = kItself;
    return cell;
  }
  const auto* pair = view.pair(row, column);
  if (pair == nullptr) {
    cell.word = kNoCable;
    return cell;
  }
  for (const auto& way : pair->ways) {
    const auto rail = static_cast<std::size_t>(way.rail);
    if (cell.rails.size() <= rail) cell.rails.resize(rail + 1, Reach::kRdma);
    const auto reach = shown_reach(way);
    if (badness(reach) > badness(cell.rails[rail])) cell.rails[rail] = reach;
    // A silent node says so on its own line.
    if (cell.why.empty() && way.fault != WayFault::kSilent) cell.why = name_of(way.fault);
  }
  return cell;
}

std::vector<std::string> names_in_matrix(const ClusterView& view) {
  std::map<std::string, int> troubles;  // pairs that are not whole, by node
  for (const auto& pair : view.pairs) {
    if (is_whole(pair)) continue;
    ++troubles[pair.node];
    ++troubles[pair.other];
  }
  const bool are_few = view.nodes.size() <= kMostInMatrix;
  std::vector<std::string> names;
  for (const auto& node : view.nodes) {
    if (are_few || troubles.contains(node.name)) names.push_back(node.name);
  }
  if (names.size() <= kMostInMatrix) return names;
  // Who is at the end of most of them comes before whom each of these has failed with.
  auto worst = names;
  std::ranges::stable_sort(worst, std::ranges::greater{},
                           [&](const auto& name) { return troubles[name]; });
  worst.resize(kMostInMatrix);
  std::erase_if(names,
                [&](const auto& name) { return std::ranges::find(worst, name) == worst.end(); });
  return names;
}

std::string left_out_of_matrix(const ClusterView& view, const std::vector<std::string>& names) {
  if (names.size() == view.nodes.size()) return {};
  const auto is_shown = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::size_t whole = 0;
  std::size_t others = 0;
  for (const auto& pair : view.pairs) {
    if (is_shown(pair.node) && is_shown(pair.other)) continue;
    ++(is_whole(pair) ? whole : others);
  }
  auto text = fmt::format("{} of nodes not shown: {} proven over every rail",
                          counted(whole + others, "pair"), whole);
  if (others > 0) text += fmt::format(", {} not", others);
  return text;
}

std::string matrix_legend(const ClusterView& view, const std::vector<std::string>& names,
                          std::string_view gap) {
  std::size_t rails = 0;
  bool has_gaps = false;
  for (const auto& row : names) {
    for (const auto& column : names) {
      const auto cell = matrix_cell(view, row, column);
      rails = std::max(rails, cell.rails.size());
      has_gaps = has_gaps || cell.word == kNoCable;
    }
  }
  std::vector<std::string> each;
  each.reserve(rails);
  for (std::size_t rail = 0; rail < rails; ++rail) each.push_back(fmt::format("rail {}", rail));
  return fmt::format("{}:{}✓ echo and RDMA, e echo only, ✗ neither, ? not known{}",
                     fmt::join(each, " / "), gap, has_gaps ? ", – no cable" : "");
}

}  // namespace spark::cluster
