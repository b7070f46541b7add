#include "cli/text/plan_items.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/text/plan_text.hpp"
#include "plan/release.hpp"

namespace spark::cli {
namespace {

/// Kinds whose key begins with a link, in the order in which a screen shows them; the sysctls of a
/// link are among them.
constexpr std::array<std::string_view, 8> kLinkKinds{
    "address", "route", "mtu", "link", "sysctl", "other_managers", "roce", "rdma_cm"};

std::size_t rank_of(std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::find(kLinkKinds, kind) - kLinkKinds.begin());
}

/// "enp1s0f0np0" and "arp_ignore" for net.ipv4.conf.enp1s0f0np0.arp_ignore; sysctl.d(5) has '/'
/// where a link's name has dots.
std::optional<std::pair<std::string, std::string>> link_and_name(std::string_view key) {
  const char dot = key.find('/') != std::string_view::npos ? '/' : '.';
  constexpr std::size_t kBefore = 3;  // net, ipv4 or ipv6, conf or neigh
  auto rest = key;
  for (std::size_t i = 0; i < kBefore; ++i) {
    const auto end = rest.find(dot);
    const auto part = rest.substr(0, end);
    if (end == std::string_view::npos || (i == 2 && part != "conf" && part != "neigh")) {
      return std::nullopt;
    }
    rest.remove_prefix(end + 1);
  }
  const auto end = rest.rfind(dot);
  const auto link = rest.substr(0, end);
  if (end == std::string_view::npos || link == "all" || link == "default") return std::nullopt;
  return std::pair(std::string(link), std::string(rest.substr(end + 1)));
}

/// The link that the step changes, and the rest of its key; empty: it changes no link.
std::optional<std::pair<std::string, std::string>> split_key(const plan::Step& step) {
  if (step.kind == "sysctl") return link_and_name(step.key);
  const bool is_file = step.key.starts_with('/');
  if (is_file || rank_of(step.kind) == kLinkKinds.size()) return std::nullopt;
  const auto end = std::min(step.key.find(' '), step.key.size());
  return std::pair(step.key.substr(0, end), step.key.substr(std::min(end + 1, step.key.size())));
}

std::string_view sign_text(const plan::Step& step) {
  if (!step.before) return "+";
  return step.after ? "~" : "-";
}

/// Without what a sysctl says of the next boot, where the value of now says enough.
std::string change_of_sysctl(plan::Step step) {
  if (step.before && step.after) {
    const auto live = step.before->substr(0, step.before->find(" ("));
    if (live != *step.after) step.before = live;
  }
  return change_text(step);
}

std::vector<std::string> parts_of(std::string_view label) {
  std::vector<std::string> parts;
  while (!label.empty()) {
    const auto end = std::min(label.find(", "), label.size());
    const auto part = label.substr(0, end);
    parts.emplace_back(part.substr(0, part.find(" with ")));
    label.remove_prefix(std::min(end + 2, label.size()));
  }
  return parts;
}

/// Only what differs: "link-local eui64 → none" for "up, link-local eui64 with fe80::1/64" and "up,
/// link-local none".
std::string change_of_link(const plan::Step& step) {
  const auto before = parts_of(step.before.value_or(""));
  const auto after = parts_of(step.after.value_or(""));
  if (before.size() != after.size() || before.empty()) return "link " + change_text(step);
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    constexpr std::string_view kLocal = "link-local ";
    const bool both = before[i].starts_with(kLocal) && after[i].starts_with(kLocal);
    text += fmt::format("{}{} → {}", text.empty() ? (both ? "IPv6 " : "link ") : ", ", before[i],
                        both ? after[i].substr(kLocal.size()) : after[i]);
  }
  return text.empty() ? "link " + change_text(step) : text;
}

std::string text_of_address(const plan::Step& step, const std::string& ip) {
  if (step.before && step.after) return fmt::format("{} {} → {}", ip, *step.before, *step.after);
  return ip + step.after.value_or(step.before.value_or(""));
}

std::string short_disturbance_of_link(const kinds::Effect& effect) {
  switch (effect.disturbs) {
    case kinds::Effect::Disturbs::kNothing:
      return {};
    case kinds::Effect::Disturbs::kAddress:
      return fmt::format(
          "interrupts it{}{}", effect.may_carry_rdma ? ", RDMA too" : "",
          effect.sets_promote_secondaries ? "; promote_secondaries is 1 meanwhile" : "");
    case kinds::Effect::Disturbs::kTraffic:
      if (effect.ends_ipv6) return effect.link.empty() ? "ends IPv6 on every link" : "ends IPv6";
      return effect.link_goes_down ? "ends all its traffic" : "traffic pauses for a moment";
  }
  return {};
}

std::string short_disturbance(const kinds::Effect& effect) {
  return short_disturbance_of_link(effect) + routes_cut_text(effect);
}

PlanItem item_of_link(const plan::Step& step, const std::string& rest, bool is_release) {
  PlanItem item{.sign = sign_text(step),
                .text = "",
                .value = "",
                .disturbs = short_disturbance(step.effect),
                .where = step.where};
  if (step.kind == "address") {
    item.text = printable(text_of_address(step, rest));
    item.value = item.text;
  } else if (step.kind == "route") {
    item.text = fmt::format("route {}: {}", printable(rest), change_text(step));
    item.value = item.text;
  } else if (step.kind == "link") {
    item.text = printable(change_of_link(step));
  } else if (step.kind == "sysctl") {
    item.text = fmt::format("{} {}", printable(rest), change_of_sysctl(step));
  } else if (step.kind == "roce") {
    item.text = fmt::format("GID of {}: {}", printable(rest), change_text(step));
    item.value = printable(rest);
  } else {
    const std::string name = step.kind == "other_managers" ? "" : std::string(step.kind) + " ";
    item.text = name + change_text(step);
  }
  if (step.where.line == 0 && !is_release) item.text += " (no longer in the file)";
  return item;
}

PlanItem item_of_node(const plan::Step& step) {
  return {.sign = sign_text(step),
          .text = fmt::format("{} {}: {}", step.kind, printable(step.key), change_of_sysctl(step)),
          .value = "",
          .disturbs = short_disturbance(step.effect),
          .where = step.where};
}

/// The sysctls of a link that need no more than a few columns each are one item.
void add_item(std::vector<PlanItem>& items, PlanItem item, bool joins) {
  constexpr std::size_t kMost = 60;
  if (joins && !items.empty() && items.back().sign == item.sign && item.disturbs.empty() &&
      items.back().text.size() + item.text.size() < kMost) {
    items.back().text += ", " + item.text;
  } else {
    items.push_back(std::move(item));
  }
}

/// The new address that the GID comes with, which needs no line of its own.
bool comes_with_address(const plan::Step& gid, const plan::Plan& plan) {
  return gid.kind == "roce" && gid.before && gid.after &&
         gid.effect.disturbs == kinds::Effect::Disturbs::kNothing &&
         std::ranges::any_of(plan.steps, [&](const plan::Step& step) {
           return step.kind == "address" && step.key == gid.key && !step.before;
         });
}

}  // namespace

Tone tone_of(std::string_view sign) {
  if (sign == "+") return Tone::kGood;
  return sign == "~" ? Tone::kChange : Tone::kBad;
}

PlanItems items_of(const plan::Plan& plan) {
  std::vector<const plan::Step*> steps;
  std::ranges::transform(plan.steps, std::back_inserter(steps),
                         [](const plan::Step& step) { return &step; });
  std::ranges::stable_sort(steps, {}, [](const plan::Step* step) {
    return split_key(*step) ? rank_of(step->kind) : kLinkKinds.size();
  });
  const bool is_release = plan::is_released(plan.remember);
  PlanItems items;
  std::string_view kind_before;
  for (const auto* step : steps) {
    const auto key = split_key(*step);
    if (!key) {
      items.node.push_back(item_of_node(*step));
    } else if (!comes_with_address(*step, plan)) {
      auto& of_link = items.links[key->first];
      const bool joins = step->kind == "sysctl" && kind_before == "sysctl" && !of_link.empty() &&
                         of_link.back().where.line == step->where.line &&
                         of_link.back().text.starts_with("arp_");
      add_item(of_link, item_of_link(*step, key->second, is_release), joins);
    }
    kind_before = step->kind;
  }
  return items;
}

bool are_twins(const std::vector<PlanItem>& one, const std::vector<PlanItem>& other) {
  const auto without_value = [](const PlanItem& item) {
    auto text = item.text;
    if (const auto at = text.find(item.value); !item.value.empty()) {
      text.erase(at, item.value.size());
    }
    return std::pair(std::string(item.sign) + text, item.disturbs);
  };
  return std::ranges::equal(one, other, {}, without_value, without_value);
}

}  // namespace spark::cli
