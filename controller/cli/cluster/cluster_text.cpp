#include "cli/cluster/cluster_text.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/state_words.hpp"
#include "cluster/rollout_words.hpp"
#include "cluster/view_words.hpp"

namespace spark::cli {
namespace {

using cluster::age_text;
using cluster::ClusterView;
using cluster::NodeView;
using cluster::sign_of;
using protocol::Reach;

constexpr std::size_t kLeastForWhat = 28;  ///< columns; with fewer it has lines of its own
constexpr std::string_view kGap = "  ";

// --- the nodes

std::string what_text(const NodeView& node) {
  return node.follows_from.empty() ? written(node.what) : "follows from " + node.follows_from;
}

/// One line of the table: the texts as they are, and the tone of the sign.
struct Row {
  std::vector<std::string> cells;
  std::string what;
  std::optional<VerdictSign> look;  ///< empty: the titles
};

Row titles(bool has_measured) {
  Row row{.cells = {"NODE", "READY", "FILE", "RAILS"}, .what = "WHAT", .look = {}};
  if (has_measured) row.cells.emplace_back("Gb/s");
  row.cells.emplace_back("HEARD");
  return row;
}

Row row_of(const NodeView& node, const ClusterView& view, bool has_measured) {
  const auto look = look_of(node.verdict);
  Row row{.cells = {}, .what = what_text(node), .look = look};
  row.cells.push_back(node.name + (node.is_own ? " *" : ""));
  row.cells.push_back(node.since ? fmt::format("{} {}", look.sign, age_text(*node.since))
                                 : std::string(look.sign));
  row.cells.push_back(node_file_text(node, view));
  row.cells.push_back(rails_text(node));
  if (has_measured) {
    constexpr double kGigabit = 1e9;
    row.cells.push_back(node.measured ? fmt::format("{:.0f}", *node.measured / kGigabit)
                        : node.is_own ? ""
                                      : "–");
  }
  row.cells.push_back(heard_text(node));
  return row;
}

/// The cells of a row, the sign of the verdict painted.
std::string cells_text(const Row& row, const std::vector<std::size_t>& widths,
                       const Terminal& terminal) {
  std::string text;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    auto cell = padded(row.cells[i], widths[i]);
    if (i == 1 && row.look && cell.starts_with(row.look->sign)) {
      cell = terminal.paint(row.look->tone, std::string(row.look->sign)) +
             cell.substr(row.look->sign.size());
    }
    text += cell + std::string(kGap);
  }
  return text;
}

std::string lines_of_row(const Row& row, const std::vector<std::size_t>& widths,
                         const Terminal& terminal) {
  const auto head = cells_text(row, widths, terminal);
  if (!terminal.width()) return without_end_blanks(head + row.what) + "\n";
  std::size_t used = 0;
  for (const auto width : widths) used += width + kGap.size();
  const auto width = *terminal.width();
  const bool is_beside = width >= used + kLeastForWhat;
  if (is_beside) {
    std::string text;
    auto begin = head;
    for (const auto& line : broken(row.what, width - used)) {
      text += without_end_blanks(begin + line) + "\n";
      begin = std::string(used, ' ');
    }
    return text.empty() ? without_end_blanks(head) + "\n" : text;
  }
  auto text = without_end_blanks(head) + "\n";
  if (!row.look) return text;  // the title would stand above nothing
  constexpr std::string_view kIndent = "    ";
  for (const auto& line : broken(row.what, width - kIndent.size())) {
    if (!line.empty()) text += fmt::format("{}{}\n", kIndent, line);
  }
  return text;
}

// --- the ways

Tone tone_of(Reach reach) {
  switch (reach) {
    case Reach::kRdma:
      return Tone::kGood;
    case Reach::kNone:
      return Tone::kBad;
    case Reach::kEcho:
    case Reach::kNotAsked:
      break;
  }
  return Tone::kChange;
}

/// A cell of the matrix.
struct Cell : cluster::MatrixCell {
  [[nodiscard]] std::size_t width(bool has_words) const {
    if (rails.empty()) return columns(word);
    return 2 * rails.size() - 1 + (has_words && !why.empty() ? 1 + columns(why) : 0);
  }

  [[nodiscard]] std::string text(bool has_words, const Terminal& terminal) const {
    if (rails.empty()) return std::string(word);
    std::vector<std::string> signs;
    signs.reserve(rails.size());
    for (const auto reach : rails) {
      signs.push_back(terminal.paint(tone_of(reach), std::string(sign_of(reach))));
    }
    return fmt::format("{}{}{}", fmt::join(signs, "/"), has_words && !why.empty() ? " " : "",
                       has_words ? why : "");
  }
};

Cell cell_of(const ClusterView& view, const std::string& row, const std::string& column) {
  return {cluster::matrix_cell(view, row, column)};
}

class Matrix {
 public:
  Matrix(const ClusterView& view, const Terminal& terminal)
      : view_(view), terminal_(terminal), names_(names_in_matrix(view)) {
    for (const auto& name : names_) label_ = std::max(label_, columns(name));
    has_words_ = !terminal.width() || width_of(0, names_.size(), true) <= *terminal.width();
  }

  std::string text() {
    if (view_.pairs.empty()) return {};
    std::string text;
    for (std::size_t first = 0; first < names_.size();) {
      auto last = first + 1;
      while (last < names_.size() && fits(first, last + 1)) ++last;
      text += (text.empty() ? "" : "\n") + block(first, last);
      first = last;
    }
    if (const auto left_out = left_out_of_matrix(view_, names_); !left_out.empty()) {
      text += fitting(left_out + "\n", terminal_);
    }
    return text + legend();
  }

 private:
  [[nodiscard]] std::size_t column_width(const std::string& name, bool has_words) const {
    auto width = columns(name);
    for (const auto& row : names_) {
      width = std::max(width, cell_of(view_, row, name).width(has_words));
    }
    return width;
  }

  [[nodiscard]] std::size_t width_of(std::size_t first, std::size_t last, bool has_words) const {
    auto width = label_;
    for (auto i = first; i < last; ++i) width += kGap.size() + column_width(names_[i], has_words);
    return width;
  }

  [[nodiscard]] bool fits(std::size_t first, std::size_t last) const {
    return !terminal_.width() || width_of(first, last, has_words_) <= *terminal_.width();
  }

  std::string block(std::size_t first, std::size_t last) {
    std::string head = padded("", label_);
    for (auto i = first; i < last; ++i) {
      head += std::string(kGap) + padded(names_[i], column_width(names_[i], has_words_));
    }
    auto text = without_end_blanks(head) + "\n";
    for (const auto& row : names_) {
      auto line = padded(row, label_);
      for (auto i = first; i < last; ++i) {
        const auto cell = cell_of(view_, row, names_[i]);
        const auto width = column_width(names_[i], has_words_);
        line += std::string(kGap) + cell.text(has_words_, terminal_) +
                std::string(width - cell.width(has_words_), ' ');
      }
      text += without_end_blanks(line) + "\n";
    }
    return text;
  }

  /// What is too wide for one line has the rails on a line of their own.
  [[nodiscard]] std::string legend() const {
    const auto line = matrix_legend(view_, names_) + "\n";
    if (!terminal_.width() || columns(line) <= *terminal_.width()) return line;
    return fitting(matrix_legend(view_, names_, "\n") + "\n", terminal_);
  }

  const ClusterView& view_;
  const Terminal& terminal_;
  std::vector<std::string> names_;
  std::size_t label_ = 0;
  bool has_words_ = true;
};

}  // namespace

std::string cluster_heading(const ClusterView& view, const Terminal& terminal) {
  const auto left =
      fmt::format("{} · {} · {}", printable(view.cluster), view.shape, origin_text(view.file));
  const auto right = cluster::ready_text(view);
  const auto verdict =
      terminal.paint(cluster::are_all_ready(view) ? Tone::kGood : Tone::kBad, right);
  if (!terminal.width()) {
    return fmt::format("{} · {}\n", terminal.paint(Tone::kStrong, left), verdict);
  }
  const auto width = *terminal.width();
  const auto taken = columns(left) + columns(right);
  if (taken + kGap.size() <= width) {
    return fmt::format("{}{}{}\n", terminal.paint(Tone::kStrong, left),
                       std::string(width - taken, ' '), verdict);
  }
  std::string text;
  for (const auto& line : broken(left, width)) text += terminal.paint(Tone::kStrong, line) + "\n";
  return text + verdict + "\n";
}

std::string cluster_nodes_text(const ClusterView& view, const Terminal& terminal) {
  const bool has_measured = std::ranges::any_of(
      view.nodes, [](const NodeView& node) { return node.measured.has_value(); });
  std::vector<Row> rows{titles(has_measured)};
  for (const auto& node : view.nodes) rows.push_back(row_of(node, view, has_measured));
  std::vector<std::size_t> widths(rows.front().cells.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row.cells[i]));
    }
  }
  const bool is_well = std::ranges::all_of(rows.begin() + 1, rows.end(),
                                           [](const Row& row) { return row.what.empty(); });
  if (is_well) rows.front().what.clear();
  std::string text;
  for (const auto& row : rows) text += lines_of_row(row, widths, terminal);
  return text;
}

std::string cluster_ways_text(const ClusterView& view, const Terminal& terminal) {
  return Matrix(view, terminal).text();
}

std::string further_roots_text(const ClusterView& view, const Terminal& terminal) {
  std::string text;
  std::set<std::string> said;
  for (const auto& root : view.roots) {
    const auto& node = root.problem.node;
    if (said.insert(node).second) continue;  // its line has it
    text += fmt::format("also {}: {}\n", node, written(text_of(root)));
  }
  return fitting(text, terminal);
}

std::string cluster_rollout_text(const ClusterView& view, const Terminal& terminal) {
  return view.rollout ? fitting(cluster::rolling_text(view) + "\n", terminal) : std::string();
}

std::string cluster_brief(const ClusterView& view, const Terminal& terminal) {
  const auto [tone, sign] = look_of(cluster::worst_of(view));
  auto text = fmt::format("{} {}: {}", terminal.paint(tone, std::string(sign)),
                          printable(view.cluster), cluster::ready_text(view));
  const auto rolling = cluster::rolling_brief(view);
  const auto end = rolling.empty() ? "" : "; " + rolling;
  if (view.roots.empty()) return text + end;
  const auto& root = view.roots.front();
  const auto found = std::ranges::find(view.nodes, root.problem.node, &NodeView::name);
  const auto& node = found == view.nodes.end() ? view.nodes.front() : *found;
  const auto what = written(text_of(root.problem));
  if (found == view.nodes.end()) {
    text += fmt::format("; {}: {}", printable(root.problem.node), what);
  } else if (node.is_silent && node.since) {
    text += fmt::format("; {} has been silent for {}", node.name, age_text(*node.since));
  } else if (node.verdict == protocol::Verdict::kReady) {
    text += fmt::format("; {}: {}", node.name, what);
  } else {
    text += fmt::format("; {} is {}: {}", node.name, name_of(node.verdict), what);
  }
  text +=
      fmt::format("{} → {}", written(follows_text(root)), written(text_of(root.problem.remedy)));
  if (view.roots.size() > 1) text += fmt::format("; and {} more", view.roots.size() - 1);
  return text + end;
}

std::string remedies_text(const std::vector<diagnosis::Root>& roots, const Terminal& terminal) {
  std::string text;
  std::set<std::string> said;
  for (const auto& root : roots) {
    const auto& remedy = root.problem.remedy;
    if (!said.insert(written(text_of(remedy))).second) continue;
    text += remedy_line(text.empty() ? "Next" : "Then", remedy, terminal);
  }
  return text;
}

std::string cluster_closing(const ClusterView& view, const Terminal& terminal) {
  if (!view.roots.empty()) return remedies_text(view.roots, terminal);
  // Nothing is wrong with the node that a roll-out waits for, as far as it is heard.
  const auto awaited = cluster::awaited_by(view, view.nodes.front().name);
  return awaited.empty() ? next_line("This node alone", "spark-reconcile status --here")
                         : next_line("Next", "spark-reconcile doctor -n " + awaited);
}

}  // namespace spark::cli
