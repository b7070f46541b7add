#include "cli/text/disturbs.hpp"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "cli/text/cages.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
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
  return count == 1 ? "cuts the route " + first : fmt::format("cuts {} routes of others", count);
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
