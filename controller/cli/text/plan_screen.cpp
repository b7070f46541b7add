#include "cli/text/plan_screen.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "cli/text/cable_text.hpp"
#include "cli/text/cages.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_items.hpp"
#include "cli/text/plan_text.hpp"
#include "cli/text/state_words.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

/// What the parts of this screen go by.
struct Sheet {
  const config::Node& node;
  const plan::Plan& plan;
  const std::string& file;
  const Terminal& terminal;
  std::size_t width;

  /// The file's name alone: the title has its path.
  [[nodiscard]] std::string place(config::Where where) const {
    if (where.line == 0) return {};
    const auto name = std::filesystem::path(file).filename().string();
    return terminal.paint(Tone::kFaint, fmt::format("{}:{}", printable(name), where.line));
  }
};

/// Lines of items behind `indent` columns; whom they disturb is a column, or stands below.
std::string item_lines(const Sheet& sheet, const std::vector<PlanItem>& items, std::size_t indent) {
  std::size_t text_width = 0;
  std::size_t side_width = 0;
  for (const auto& item : items) {
    if (item.disturbs.empty()) continue;
    text_width = std::max(text_width, columns(item.text) + 2);
    side_width = std::max(side_width, columns(item.disturbs));
  }
  const bool has_column = indent + text_width + 2 + side_width <= sheet.width;
  std::string lines;
  for (const auto& item : items) {
    const auto head =
        std::string(indent, ' ') + sheet.terminal.paint(tone_of(item.sign), item.sign) + " ";
    if (item.disturbs.empty()) {
      lines += hanging(head, item.text, sheet.width);
      continue;
    }
    const auto side = sheet.terminal.paint(Tone::kChange, item.disturbs);
    const auto text = has_column ? padded(item.text, text_width - 2) : item.text;
    if (columns(head) + columns(text) + 2 + columns(side) <= sheet.width) {
      lines += fmt::format("{}{}  {}\n", head, text, side);
    } else {
      lines += hanging(head, item.text, sheet.width) +
               hanging(std::string(indent + 4, ' '), side, sheet.width);
    }
  }
  return lines;
}

std::string values_of(const std::vector<PlanItem>& items) {
  std::vector<std::string> values;
  for (const auto& item : items) {
    if (!item.value.empty()) values.push_back(item.value);
  }
  return listed(values);
}

std::string link_lines(const Sheet& sheet, const std::string& link, std::size_t name_width,
                       const std::vector<PlanItem>& items, const std::vector<PlanItem>* twin) {
  const auto head = link_head(sheet.node, link, name_width, sheet.width);
  if (twin != nullptr && are_twins(*twin, items)) {
    const auto values = values_of(items);
    return hanging(head, values.empty() ? std::string("the same") : "the same, with " + values,
                   sheet.width);
  }
  const auto indent = last_line_columns(head);
  auto lines = item_lines(sheet, items, indent);
  return lines.replace(0, indent, head);
}

std::string group_text(const Sheet& sheet, const LinkGroup& group, const PlanItems& items) {
  std::size_t name_width = 0;
  for (const auto& link : group.links) name_width = std::max(name_width, columns(printable(link)));
  std::string text;
  const std::vector<PlanItem>* twin = nullptr;
  for (const auto& link : group.links) {
    const auto found = items.links.find(link);
    if (found == items.links.end()) {
      twin = nullptr;
      continue;
    }
    text += link_lines(sheet, link, name_width, found->second, group.cage ? twin : nullptr);
    twin = &found->second;
  }
  if (text.empty()) return text;
  return "\n" +
         row(sheet.terminal.paint(Tone::kStrong, title_of(group, sheet.node)),
             sheet.place(place_of(group, sheet.node)), sheet.width) +
         text;
}

std::string node_text(const Sheet& sheet, const std::vector<PlanItem>& items) {
  if (items.empty()) return {};
  auto text = "\n" + sheet.terminal.paint(Tone::kStrong, "this node") + "\n";
  for (const auto& item : items) {
    const auto head = "  " + sheet.terminal.paint(tone_of(item.sign), item.sign) + " ";
    const auto place = sheet.place(item.where);
    const auto whole = columns(head) + columns(item.text) + 2 + columns(place);
    text += whole <= sheet.width ? row(head + item.text, place, sheet.width)
                                 : hanging(head, item.text + " " + place, sheet.width);
    if (!item.disturbs.empty()) {
      text += hanging("      ", sheet.terminal.paint(Tone::kChange, item.disturbs), sheet.width);
    }
  }
  return text;
}

/// By cage and rail, then those of the node beside its links.
std::string steps_of(const Sheet& sheet) {
  const auto items = items_of(sheet.plan);
  std::set<std::string> links;
  for (const auto& [link, of_link] : items.links) links.insert(link);
  std::string text;
  for (const auto& group : grouped_links(sheet.node, links)) {
    text += group_text(sheet, group, items);
  }
  return text + node_text(sheet, items.node);
}

std::string unchanged_text(const Sheet& sheet) {
  if (sheet.plan.left_unchanged.empty()) return {};
  std::string text = "\nnot managed, left unchanged:\n";
  for (const auto& item : sheet.plan.left_unchanged) {
    text +=
        hanging("  ", printable(item.what), sheet.width) +
        hanging("    ", sheet.terminal.paint(Tone::kFaint, printable(item.reason)), sheet.width);
  }
  return text;
}

std::string refusals_text(const Sheet& sheet) {
  if (sheet.plan.refusals.empty()) return {};
  auto text = "\n" + sheet.terminal.paint(Tone::kBad, "refused; nothing is changed:") + "\n";
  for (const auto& refusal : sheet.plan.refusals) {
    const auto place = sheet.place(refusal.where);
    text +=
        hanging("  " + sheet.terminal.paint(Tone::kBad, "!") + " ",
                fmt::format("{} [{}] {}", printable(refusal.what), refusal.id, place), sheet.width);
  }
  return text;
}

std::string counts_text(const Sheet& sheet) {
  const auto& steps = sheet.plan.steps;
  const auto counts = fmt::format(
      "{}: {}.", steps.empty() ? std::string("Nothing to do") : counted(steps.size(), "change"),
      screen_counts(sheet.plan));
  if (steps.empty() || !sheet.plan.refusals.empty()) return "\n" + hanging("", counts, sheet.width);
  const auto disturbed = disturbs_text(sheet.plan, sheet.node);
  const auto side = disturbed.empty() ? std::string("Disturbs: nothing.")
                                      : fmt::format("Disturbs: {}.", disturbed);
  if (columns(counts) + 4 + columns(side) <= sheet.width) {
    return "\n" + row(counts, side, sheet.width);
  }
  return "\n" + hanging("", counts, sheet.width) + hanging("", side, sheet.width);
}

/// "sysctl net.core.rmem_max, net.core.wmem_max; memlock logins", or "2 sysctl, memlock".
std::string names_in(const std::vector<const plan::SkippedResource*>& items, bool names) {
  std::vector<std::pair<std::string_view, std::vector<std::string>>> kinds;
  for (const auto* item : items) {
    const auto known = std::ranges::find(
        kinds, item->kind, &std::pair<std::string_view, std::vector<std::string>>::first);
    auto& keys = known != kinds.end()
                     ? known->second
                     : kinds.emplace_back(item->kind, std::vector<std::string>{}).second;
    keys.push_back(printable(item->key));
  }
  std::vector<std::string> texts;
  texts.reserve(kinds.size());
  for (const auto& [kind, keys] : kinds) {
    texts.push_back(names              ? fmt::format("{} {}", kind, fmt::join(keys, ", "))
                    : keys.size() == 1 ? std::string(kind)
                                       : fmt::format("{} {}", keys.size(), kind));
  }
  return fmt::format("{}", fmt::join(texts, names ? "; " : ", "));
}

}  // namespace

bool shows_screen(const Command& command) {
  return command.terminal.width().has_value() && command.arguments.verbosity == 0;
}

std::string title_line(const config::Node& node, const std::string& file, std::string_view aside,
                       const Terminal& terminal) {
  const auto width = terminal.width().value_or(80);
  // The usual place needs no words.
  const auto name = file == protocol::kDefaultFile ? "cluster.yaml" : printable(file);
  const auto title = fmt::format("{} · cluster {} · {} · digest {:.7}", node.name, node.cluster,
                                 name, node.digest);
  std::string text;
  const auto lines = broken(title, width);
  for (const auto& line : lines) {
    text += &line == &lines.back() ? row(terminal.paint(Tone::kStrong, line), aside, width)
                                   : terminal.paint(Tone::kStrong, line) + "\n";
  }
  return text;
}

std::string skipped_screen(const plan::Plan& plan, bool names, const Terminal& terminal) {
  const auto width = terminal.width().value_or(80);
  std::vector<std::pair<const kinds::Skipped*, std::vector<const plan::SkippedResource*>>> reasons;
  std::size_t word_width = 0;
  for (const auto& item : plan.skipped) {
    const auto same = std::ranges::find_if(
        reasons, [&](const auto& reason) { return *reason.first == item.skipped; });
    auto& items =
        same != reasons.end()
            ? same->second
            : reasons.emplace_back(&item.skipped, std::vector<const plan::SkippedResource*>{})
                  .second;
    items.push_back(&item);
    word_width = std::max(word_width, state_word(item.skipped.why).size());
  }
  std::string text;
  for (const auto& [skipped, items] : reasons) {
    // The reason names the device that all of them wait for.
    constexpr std::size_t kFew = 2;
    const bool all =
        skipped->why != kinds::Skipped::Why::kWaiting && (names || items.size() <= kFew);
    const auto word = terminal.paint(Tone::kChange, state_word(skipped->why));
    text += hanging(fmt::format("  {}  ", padded(word, word_width)), names_in(items, all), width) +
            hanging(std::string(word_width + 4, ' '),
                    fmt::format("{} [{}]", printable(skipped->reason_here()), skipped->id), width);
  }
  return text;
}

std::string steps_screen(const plan::Plan& plan, const config::Node& node, const std::string& file,
                         const Terminal& terminal) {
  return steps_of(Sheet{node, plan, file, terminal, terminal.width().value_or(80)});
}

std::string plan_screen(const PlanContext& context, std::string_view aside,
                        const Terminal& terminal, const std::string& hints) {
  const Sheet sheet{context.before_release ? *context.before_release : context.selection.node,
                    context.plan, context.file.name, terminal, terminal.width().value_or(80)};
  auto text = title_line(sheet.node, context.file.name, aside, terminal) + steps_of(sheet);
  if (!hints.empty()) text += "\n" + hints;
  if (const auto skipped = skipped_screen(context.plan, true, terminal); !skipped.empty()) {
    text += "\nskipped (everything else continues):\n" + skipped;
  }
  return text + unchanged_text(sheet) + refusals_text(sheet) + counts_text(sheet) +
         users_text(context.uses, terminal);
}

std::string shown_plan(const Command& command, PlanContext& context, std::string_view aside) {
  const auto& terminal = command.terminal;
  if (!shows_screen(command)) {
    return plan_text(context.plan, context.file.name, terminal) +
           users_text(context.uses, terminal);
  }
  const auto hints = command.arguments.release ? "" : cable_hints_text(context, terminal);
  return plan_screen(context, aside, terminal, fitting(hints, terminal));
}

}  // namespace spark::cli
