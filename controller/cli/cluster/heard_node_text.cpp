#include "cli/cluster/heard_node_text.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/cluster/cluster_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/state_words.hpp"
#include "cluster/view_words.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::cli {
namespace {

using cluster::ClusterView;
using cluster::HeardNode;

constexpr std::size_t kLabelColumns = 9;

/// "file     832c98e, as here".
std::string labelled(std::string_view label, std::string_view text, const Terminal& terminal) {
  if (text.empty()) return {};
  const auto head = padded(label, kLabelColumns);
  return terminal.width() ? hanging(head, text, *terminal.width())
                          : fmt::format("{}{}\n", head, text);
}

std::string wrong_text(const HeardNode& heard) {
  const auto& node = heard.node;
  return node.follows_from.empty()
             ? written(node.what)
             : fmt::format("{}; it follows from {}", written(node.what), node.follows_from);
}

/// A node of an older version tells sentences, of which its problem has the first alone.
bool tells_sentences(const HeardNode& heard, const ClusterView& view) {
  const auto is_said = [&](const diagnosis::Problem& problem) {
    return problem.node == heard.node.name && problem.found.name == diagnosis::kSaid;
  };
  return std::ranges::any_of(view.roots, [&](const diagnosis::Root& root) {
    return is_said(root.problem) || std::ranges::any_of(root.effects, is_said);
  });
}

/// Of who told its details: how old they are.
std::string told_text(const HeardNode& heard) {
  if (!heard.told_ago) return "nothing of itself in this boot";
  const auto age = cluster::age_text(*heard.told_ago) + " ago";
  return heard.told_failed.empty()
             ? age
             : fmt::format("{}, and has not answered since: {}", age, heard.told_failed);
}

std::string heard_how(const HeardNode& heard) {
  const auto& node = heard.node;
  if (!node.heard_ago) {
    if (!node.told_by.empty()) return fmt::format("not by {} either", node.told_by);
    return node.follows_from.empty() ? "never in this boot" : "not any more";
  }
  if (node.told_by.empty()) return cluster::heard_text(node) + " ago";
  return fmt::format("{} ago by {}", cluster::age_text(*node.heard_ago), node.told_by);
}

std::string file_of(const HeardNode& heard, const ClusterView& view) {
  const auto& node = heard.node;
  if (node.file.empty()) return "not known";
  auto text = cluster::file_text(view.file);
  if (node.has_our_file == true) {
    text += ", as here";
  } else if (node.has_our_file == false) {
    text = fmt::format("digest {}, here {}", cluster::digest_text(node.file),
                       cluster::digest_text(view.file.digest));
  } else {
    text = "digest " + cluster::digest_text(node.file);
  }
  if (heard.candidate.empty()) return text;
  return text + (heard.candidate == node.file
                     ? ", on trial"
                     : fmt::format("; {} waits", cluster::digest_text(heard.candidate)));
}

std::string version_of(const HeardNode& heard, const ClusterView& view) {
  const auto& version = heard.node.version;
  if (version.empty()) return "not known";
  const auto& here = view.nodes.front().version;
  if (here.empty()) return version;
  return version + (version == here ? ", as here" : ", here " + here);
}

// --- its ways

std::string way_text(const cluster::WayView& way, bool has_words) {
  const auto reach = cluster::shown_reach(way);
  const auto sign = cluster::sign_of(reach);
  const auto text =
      has_words ? fmt::format("{} {}", sign, cluster::words_of(reach)) : std::string(sign);
  return way.fault == cluster::WayFault::kNone
             ? text
             : fmt::format("{}{}{}", text, has_words ? ", " : " ", name_of(way.fault));
}

/// A line for each cable or pair of ports, with the titles.
std::vector<std::vector<std::string>> way_cells(const HeardNode& heard, bool has_words) {
  std::vector<std::vector<std::string>> lines{{"TO", "CAGES"}};
  for (const auto& pair : heard.pairs) {
    std::pair<int, int> cages{-1, -1};
    for (const auto& way : pair.ways) {
      if (cages != std::pair(way.cage, way.other_cage)) {
        cages = {way.cage, way.other_cage};
        lines.push_back({pair.other == heard.by ? pair.other + " *" : pair.other,
                         fmt::format("{} ══ {}", way.cage, way.other_cage)});
      }
      auto& line = lines.back();
      line.push_back(way_text(way, has_words));
      if (lines.front().size() < line.size()) {
        lines.front().push_back(fmt::format("RAIL {}", way.rail));
      }
    }
  }
  return lines;
}

std::string in_table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      row += (i == 0 ? "" : "  ") + (i + 1 < line.size() ? padded(line[i], widths[i]) : line[i]);
    }
    text += row + "\n";
  }
  return text;
}

std::string ways_of(const HeardNode& heard, const Terminal& terminal) {
  if (heard.pairs.empty()) return {};
  auto text = in_table(way_cells(heard, true));
  if (!terminal.width()) return text;
  const auto fits = [&](const std::string& table) {
    return std::ranges::all_of(
        lines_of(table), [&](std::string_view line) { return columns(line) <= *terminal.width(); });
  };
  return fits(text) ? text : in_table(way_cells(heard, false));
}

}  // namespace

std::string heard_node_heading(const HeardNode& heard, const ClusterView& view,
                               const Terminal& terminal) {
  const auto text = fmt::format("{} · cluster {} · as {} knows it", heard.node.name,
                                printable(view.cluster), heard.by);
  return terminal.paint(Tone::kStrong, text) + "\n";
}

std::string heard_node_verdict(const HeardNode& heard, const Terminal& terminal) {
  const auto& node = heard.node;
  const auto [tone, sign] = look_of(node.verdict);
  return fmt::format("{} {}{}\n", terminal.paint(tone, std::string(sign)), name_of(node.verdict),
                     node.since ? " for " + cluster::age_text(*node.since) : "");
}

std::string heard_node_text(const HeardNode& heard, const ClusterView& view,
                            const Terminal& terminal) {
  const auto& node = heard.node;
  auto text = labelled("what", wrong_text(heard), terminal);
  for (std::size_t i = 1; i < heard.roots.size(); ++i) {
    text += labelled("also", written(text_of(heard.roots[i])), terminal);
  }
  if (tells_sentences(heard, view)) {
    for (const auto& reason : heard.reasons | std::views::drop(1)) {
      text += labelled("it says", reason, terminal);
    }
  }
  text += labelled("heard", heard_how(heard), terminal) +
          labelled("told", told_text(heard), terminal) +
          labelled("file", file_of(heard, view), terminal) +
          labelled("version", version_of(heard, view), terminal);
  if (node.rails > 0 && cluster::is_heard(node)) {
    text += labelled("rails", fmt::format("{} of {} proven", node.proven, node.rails), terminal);
  }
  if (node.measured) {
    constexpr double kGigabit = 1e9;
    text +=
        labelled("measured",
                 fmt::format("{:.0f} Gb/s from {}", *node.measured / kGigabit, heard.by), terminal);
  }
  const auto ways = ways_of(heard, terminal);
  return text + (ways.empty() ? "" : "\n" + ways);
}

std::string heard_node_closing(const HeardNode& heard, const ClusterView& view,
                               const Terminal& terminal) {
  if (!heard.roots.empty()) return remedies_text(heard.roots, terminal);
  const auto* root = view.root_at(heard.node.follows_from);
  return root == nullptr ? next_line("The whole cluster", "spark-reconcile status")
                         : remedy_line("Next", root->problem.remedy, terminal);
}

}  // namespace spark::cli
