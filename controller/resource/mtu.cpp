#include "resource/mtu.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace spark {
namespace {

/// How many devices `link` stands on.
int layer_of(const std::vector<LinkInfo>& links, const LinkInfo& link, int depth_left = 8) {
  int layer = 0;
  for (const auto& below : links) {
    if (stands_on(link, below) && below.index != link.index && depth_left > 0) {
      layer = std::max(layer, 1 + layer_of(links, below, depth_left - 1));
    }
  }
  return layer;
}

std::optional<std::string> out_of_bounds(const LinkInfo& link, std::uint32_t bytes) {
  if (link.max_mtu != 0 && bytes > link.max_mtu) {
    return fmt::format("mtu {} of '{}' is above the device's maximum of {}", bytes, link.name,
                       link.max_mtu);
  }
  if (bytes < link.min_mtu) {
    return fmt::format("mtu {} of '{}' is below the device's minimum of {}", bytes, link.name,
                       link.min_mtu);
  }
  return std::nullopt;
}

}  // namespace

Desired<Mtu> Mtu::desired(const Node& node) {
  Desired<Mtu> desired;
  for (const auto& [name, link] : node.links) {
    if (link.mtu) {
      desired.want({name}, {link.mtu->value}, {link.mtu->where, link.owner_host});
    }
  }
  return desired;
}

Result<Observed<Mtu>> Mtu::observe(View& view, const Desired<Mtu>& wanted,
                                   const Context& /*context*/) {
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  Observed<Mtu> observed;
  for (const auto& [key, value] : wanted.state) {
    const auto* link = view.link(key.link);
    if (link == nullptr) {
      observed.aside.emplace(key, waiting_for_link(key.link));
      continue;
    }
    const auto& asked = wanted.asked.at(key);
    if (const auto why = out_of_bounds(*link, value.bytes); why && !asked.compare_only) {
      observed.objections.push_back({Objection::Why::kImpossible, "SR-MTU-001", *why, asked.where});
    }
    observed.state.emplace(key, Value{link->mtu, layer_of(*links, *link)});
  }
  return observed;
}

std::vector<Change<Mtu>> Mtu::diff(const State<Mtu>& desired, const State<Mtu>& actual) {
  auto changes = difference<Mtu>(desired, actual);
  const auto rank = [](const Change<Mtu>& change) {
    const bool lowers = change.after->bytes < change.before->bytes;
    return std::tuple(!lowers, lowers ? -change.before->layer : change.before->layer);
  };
  std::ranges::stable_sort(changes, {}, rank);
  return changes;
}

Result<> Mtu::apply(const Change<Mtu>& change, Host& host) {
  return host.netlink.set_mtu(change.key.link, change.after->bytes);
}

Effect Mtu::effect(const Change<Mtu>& change) {
  // The link stays up, yet mlx5 reopens its channels and drops the carrier for a moment.
  return {.disturbs = Effect::Disturbs::kTraffic, .link = change.key.link};
}

}  // namespace spark
