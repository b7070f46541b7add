#include "plan/release.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include "kinds/network/link.hpp"
#include "kinds/network/mtu.hpp"

namespace spark {
namespace {

WantedLink& link_of(Node& node, const std::string& name) {
  return node.links.try_emplace(name, WantedLink{.name = name}).first->second;
}

void give_back_mtu(Node& node, const std::string& link, const std::string& original) {
  std::uint32_t bytes = 0;
  const auto* const end = original.data() + original.size();
  if (std::from_chars(original.data(), end, bytes).ptr == end && bytes != 0) {
    link_of(node, link).mtu = At<std::uint32_t>{bytes, {}};
  }
}

void give_back_state(Node& node, const std::string& link, const std::string& original) {
  const auto json = nlohmann::json::parse(original, nullptr, false);
  if (!json.is_object()) {
    return;
  }
  if (const auto up = json.find("up"); up != json.end() && up->is_boolean()) {
    link_of(node, link).up = At<bool>{up->get<bool>(), {}};
  }
  const auto mode = json.find("link_local");
  for (const auto known : {LinkLocalMode::kEui64, LinkLocalMode::kNone,
                           LinkLocalMode::kStablePrivacy, LinkLocalMode::kRandom}) {
    if (mode != json.end() && *mode == name_of(known)) {
      link_of(node, link).link_local = At<LinkLocalMode>{known, {}};
    }
  }
}

}  // namespace

Node released(const Node& node, const Ledger& ledger) {
  Node released{.name = node.name, .cluster = node.cluster, .digest = node.digest};
  released.management = node.management;
  released.released = true;
  for (const auto& [link, entry] : entries_of(ledger, Mtu::kName)) {
    give_back_mtu(released, link, entry.original);
  }
  for (const auto& [link, entry] : entries_of(ledger, Link::kName)) {
    give_back_state(released, link, entry.original);
  }
  return released;
}

}  // namespace spark
