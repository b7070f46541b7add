#include "cli/text/plan_text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/text/cages.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/state_words.hpp"
#include "plan/release.hpp"

namespace spark::cli {
namespace {

struct Sign {
  std::string_view text;
  Tone tone;
};

Sign sign_of(const plan::Step& step) {
  if (!step.before) return {"+", Tone::kGood};
  return step.after ? Sign{"~", Tone::kChange} : Sign{"-", Tone::kBad};
}

std::string place(const std::string& file, config::Where where) {
  return where.line == 0 ? std::string() : fmt::format("{}:{}", printable(file), where.line);
}

std::string disturbance_of_link(const kinds::Effect& effect) {
  switch (effect.disturbs) {
    case kinds::Effect::Disturbs::kNothing:
      return {};
    case kinds::Effect::Disturbs::kAddress:
      return fmt::format("interrupts {}{}{}{}", effect.ips.front().text(),
                         effect.ips.size() == 1
                             ? std::string()
                             : fmt::format(" and {} more", effect.ips.size() - 1),
                         effect.may_carry_rdma ? ", RDMA on it included" : "",
                         effect.sets_promote_secondaries
                             ? "; promote_secondaries is 1 meanwhile, so that no other goes with it"
                             : "");
    case kinds::Effect::Disturbs::kTraffic:
      if (effect.ends_ipv6) {
        return fmt::format("ends IPv6 on {}", effect.link.empty() ? "every link" : effect.link);
      }
      return effect.link_goes_down ? fmt::format("ends all traffic on {}", effect.link)
                                   : fmt::format("pauses traffic on {}", effect.link);
  }
  return {};
}

std::string disturbance(const kinds::Effect& effect) {
  return disturbance_of_link(effect) + routes_cut_text(effect);
}

struct Changes {
  std::size_t added;
  std::size_t changed;
  std::size_t removed;
};

Changes changes_in(const plan::Plan& plan) {
  Changes changes{};
  for (const auto& step : plan.steps) {
    (!step.before ? changes.added : step.after ? changes.changed : changes.removed) += 1;
  }
  return changes;
}

/// "12 in sync; 2 unknown".
std::string rest_text(const plan::Plan& plan) {
  std::map<std::string, std::size_t> skipped;
  for (const auto& item : plan.skipped) ++skipped[state_word(item.skipped.why)];
  auto text = fmt::format("{} in sync", plan.in_sync);
  for (const auto& [word, count] : skipped) {
    text += fmt::format("; {} {}", count, word);
  }
  return text;
}

}  // namespace

std::string cause_without_line(const plan::Plan& plan) {
  return plan::is_released(plan.remember) ? "release" : "no longer in the file";
}

std::string change_text(const plan::Step& step) {
  if (!step.before) return fmt::format("{} (new)", printable(*step.after));
  const auto before = printable(*step.before);
  if (step.after) return fmt::format("{} → {}", before, printable(*step.after));
  if (step.left == step.before) return fmt::format("{} (stays)", before);
  return step.left ? fmt::format("{} → {} (removed)", before, printable(*step.left))
                   : fmt::format("{} (removed)", before);
}

std::string steps_text(const plan::Plan& plan, const std::string& file, const Terminal& terminal) {
  std::size_t kind_width = 0;
  std::size_t key_width = 0;
  std::size_t change_width = 0;
  // One very long value must not push the places of all others out of sight.
  constexpr std::size_t kWidestChange = 48;
  for (const auto& step : plan.steps) {
    kind_width = std::max(kind_width, step.kind.size());
    key_width = std::max(key_width, columns(printable(step.key)));
    change_width = std::max(change_width, std::min(kWidestChange, columns(change_text(step))));
  }
  std::string text;
  for (const auto& step : plan.steps) {
    const auto sign = sign_of(step);
    const auto where = place(file, step.where);
    const auto disturbs = disturbance(step.effect);
    text += fmt::format("  {} {}  {}  {}", terminal.paint(sign.tone, sign.text),
                        padded(step.kind, kind_width), padded(printable(step.key), key_width),
                        padded(change_text(step), change_width));
    text += "  " + terminal.paint(Tone::kFaint, where.empty() ? cause_without_line(plan) : where);
    if (!disturbs.empty()) text += "  " + terminal.paint(Tone::kChange, disturbs);
    text += '\n';
  }
  return text;
}

std::string skipped_text(const plan::Plan& plan, const std::string& file,
                         const Terminal& terminal) {
  // One absent device keeps many resources waiting for one reason: said once.
  std::vector<std::pair<const plan::SkippedResource*, std::vector<std::string>>> groups;
  for (const auto& item : plan.skipped) {
    const auto same = std::ranges::find_if(
        groups, [&](const auto& group) { return group.first->skipped == item.skipped; });
    auto& names = same != groups.end()
                      ? same->second
                      : groups.emplace_back(&item, std::vector<std::string>{}).second;
    const auto where = place(file, item.where);
    names.push_back(
        fmt::format("{} {}{}", item.kind, printable(item.key),
                    where.empty() ? "" : terminal.paint(Tone::kFaint, " (" + where + ")")));
  }
  std::string text;
  for (const auto& [item, names] : groups) {
    text += fmt::format("  {} {}\n    {} [{}]\n",
                        terminal.paint(Tone::kChange, state_word(item->skipped.why) + ":"),
                        fmt::join(names, ", "), printable(item->skipped.reason_here()),
                        item->skipped.id);
  }
  return text;
}

std::string step_counts(const plan::Plan& plan) {
  const auto [added, changed, removed] = changes_in(plan);
  return fmt::format("{} to add, {} to change, {} to remove", added, changed, removed);
}

std::string counts_text(const plan::Plan& plan) {
  const auto rest = rest_text(plan);
  return plan.steps.empty() ? rest : fmt::format("{}; {}", step_counts(plan), rest);
}

std::string screen_counts(const plan::Plan& plan) {
  const auto [added, changed, removed] = changes_in(plan);
  const auto rest = rest_text(plan);
  return plan.steps.empty()
             ? rest
             : fmt::format("{} new, {} changed, {} removed; {}", added, changed, removed, rest);
}

std::string plan_text(const plan::Plan& plan, const std::string& file, const Terminal& terminal) {
  std::string text = steps_text(plan, file, terminal);
  if (!plan.skipped.empty()) {
    text += fmt::format("{}skipped (everything else continues):\n{}", text.empty() ? "" : "\n",
                        skipped_text(plan, file, terminal));
  }
  if (!plan.left_unchanged.empty()) {
    text += fmt::format("{}not managed, left unchanged:\n", text.empty() ? "" : "\n");
    for (const auto& item : plan.left_unchanged) {
      text += fmt::format("    {}  {}\n", printable(item.what),
                          terminal.paint(Tone::kFaint, printable(item.reason)));
    }
  }
  if (!plan.refusals.empty()) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n",
                        terminal.paint(Tone::kBad, "refused; nothing is changed:"));
    for (const auto& refusal : plan.refusals) {
      const auto where = place(file, refusal.where);
      text +=
          fmt::format("  {} {} [{}]{}\n", terminal.paint(Tone::kBad, "!"), printable(refusal.what),
                      refusal.id, where.empty() ? "" : "  " + terminal.paint(Tone::kFaint, where));
    }
  }
  return text;
}

namespace {

struct Disturbed {
  std::set<std::string> pause;
  std::set<std::string> end;
  std::set<std::string> lose_ipv6;
  bool all_lose_ipv6 = false;
  std::set<IpAddress> addresses;
  std::set<std::string> routes;
  bool rdma = false;
};

void note(Disturbed& found, const kinds::Effect& effect) {
  using enum kinds::Effect::Disturbs;
  found.routes.insert(effect.routes.begin(), effect.routes.end());
  if (effect.disturbs == kAddress) {
    found.addresses.insert(effect.ips.begin(), effect.ips.end());
    found.rdma |= effect.may_carry_rdma;
  } else if (effect.disturbs == kTraffic && effect.ends_ipv6) {
    found.all_lose_ipv6 |= effect.link.empty();
    if (!effect.link.empty()) found.lose_ipv6.insert(effect.link);
  } else if (effect.disturbs == kTraffic) {
    (effect.link_goes_down ? found.end : found.pause).insert(effect.link);
  }
}

std::string cut_text(std::size_t count, const std::string& first) {
  return count == 1 ? "cuts the route " + first : fmt::format("cuts {} routes", count);
}

/// Link-local addresses are of no use to a job, and a pause of their link disturbs more.
bool is_minor(const plan::Step& step, const std::set<std::string>& paused) {
  return step.kind == "link" && step.effect.disturbs == kinds::Effect::Disturbs::kAddress &&
         paused.contains(step.effect.link);
}

std::string addresses_text(const Disturbed& found) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> names;
  for (const auto& ip : found.addresses) names.push_back(ip.text());
  const auto which =
      names.size() > kMost ? fmt::format("{} addresses", names.size()) : listed(names);
  return fmt::format("connections of {}{}", which, found.rdma ? ", RDMA too" : "");
}

}  // namespace

std::string disturbs_text(const plan::Plan& plan, const config::Node& node) {
  std::set<std::string> paused;
  for (const auto& step : plan.steps) {
    const auto& effect = step.effect;
    if (effect.disturbs == kinds::Effect::Disturbs::kTraffic && !effect.ends_ipv6) {
      paused.insert(effect.link);
    }
  }
  Disturbed found;
  for (const auto& step : plan.steps) {
    if (!is_minor(step, paused)) note(found, step.effect);
  }
  std::vector<std::string> texts;
  if (!found.pause.empty()) texts.push_back(links_text(found.pause, node) + ", briefly");
  if (!found.end.empty()) texts.push_back("ends all traffic on " + links_text(found.end, node));
  if (found.all_lose_ipv6) {
    texts.emplace_back("ends IPv6 on every link");
  } else if (!found.lose_ipv6.empty()) {
    texts.push_back("ends IPv6 on " + links_text(found.lose_ipv6, node));
  }
  if (!found.addresses.empty()) texts.push_back(addresses_text(found));
  if (!found.routes.empty()) texts.push_back(cut_text(found.routes.size(), *found.routes.begin()));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string routes_cut_text(const kinds::Effect& effect) {
  if (effect.routes.empty()) return {};
  return fmt::format("; cuts the route{} {}", effect.routes.size() == 1 ? "" : "s",
                     fmt::join(effect.routes, ", "));
}

std::string users_text(const plan::RailUses& uses, const Terminal& terminal) {
  std::string text;
  for (const auto& [link, use] : uses) {
    for (const auto& reason : plan::texts_of(use)) {
      text += fmt::format("{} in use: {}\n", terminal.paint(Tone::kChange, "!"), printable(reason));
    }
  }
  return fitting(text, terminal);
}

}  // namespace spark::cli
