#include "plan/release.hpp"

#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "kinds/network/link.hpp"
#include "kinds/network/mtu.hpp"

namespace spark::plan {
namespace {

config::WantedLink& link_of(config::Node& node, const std::string& name) {
  return node.links.try_emplace(name, config::WantedLink{.name = name}).first->second;
}

void restore_mtu(config::Node& node, const std::string& link, const std::string& original) {
  const auto bytes = number_in<std::uint32_t>(original).value_or(0);
  if (bytes != 0) link_of(node, link).mtu = config::At<std::uint32_t>{bytes, {}};
}

void restore_link(config::Node& node, const std::string& link, const std::string& original) {
  const auto json = nlohmann::json::parse(original, nullptr, false);
  if (!json.is_object()) return;
  if (const auto up = json.find("up"); up != json.end() && up->is_boolean()) {
    link_of(node, link).up = config::At<bool>{up->get<bool>(), {}};
  }
  const auto mode = json.find("link_local");
  for (const auto known : {config::LinkLocalMode::kEui64, config::LinkLocalMode::kNone,
                           config::LinkLocalMode::kStablePrivacy, config::LinkLocalMode::kRandom}) {
    if (mode != json.end() && *mode == kinds::name_of(known)) {
      link_of(node, link).link_local = config::At<config::LinkLocalMode>{known, {}};
    }
  }
}

}  // namespace

config::Node released(const config::Node& node, const kinds::Ledger& ledger) {
  config::Node released{.name = node.name, .cluster = node.cluster, .digest = node.digest};
  released.management = node.management;
  released.released = true;
  for (const auto& [link, entry] : kinds::entries_of(ledger, kinds::Mtu::kName)) {
    restore_mtu(released, link, entry.original);
  }
  for (const auto& [link, entry] : kinds::entries_of(ledger, kinds::Link::kName)) {
    restore_link(released, link, entry.original);
  }
  return released;
}

namespace {

/// No kind has that name.
constexpr const char* kSection = "node";
constexpr const char* kKey = "released";

}  // namespace

bool is_released(const kinds::Ledger& ledger) {
  return kinds::entries_of(ledger, kSection).contains(kKey);
}

void mark_released(kinds::Ledger& ledger) { ledger[kSection][kKey] = {.ours = "yes"}; }

void unmark_released(kinds::Ledger& ledger) { ledger.erase(kSection); }

}  // namespace spark::plan
