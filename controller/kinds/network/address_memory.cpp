#include "kinds/network/address_memory.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_reader.hpp"
#include "base/json_writer.hpp"
#include "host/json/view_fields.hpp"

namespace spark::kinds {
namespace {

// Words of the ledger.
constexpr const char* kAbsent = "absent";
constexpr const char* kTaken = "taken";
constexpr const char* kExclusive = "exclusive";

std::string text_of(std::vector<host::AddressInfo> addresses) {
  for (auto& address : addresses) {
    address.link_index = 0;  // that of today
  }
  return addresses.empty() ? kAbsent : JsonWriter::write(addresses).dump();
}

/// Empty where it is none: what was there is then not known.
std::vector<host::AddressInfo> addresses_in(const std::string& text) {
  if (text == kAbsent) return {};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<host::AddressInfo> addresses;
  JsonReader reader;
  reader.read(json, addresses);
  return reader.problem().empty() ? addresses : std::vector<host::AddressInfo>{};
}

}  // namespace

bool RememberedAddress::was_taken() const { return entry.ours == kTaken; }

AddressMemory::AddressMemory(const LedgerEntries& entries) {
  for (const auto& [label, entry] : entries) {
    const auto blank = label.rfind(' ');
    if (blank == std::string::npos) {
      exclusive_.insert(label);
      continue;
    }
    const auto ip = IpAddress::parse(label.substr(blank + 1));
    if (!ip) continue;
    addresses_.emplace(Address::Key{label.substr(0, blank), *ip},
                       RememberedAddress{.entry = entry,
                                         .before = addresses_in(entry.original),
                                         .was_absent = entry.original == kAbsent});
  }
}

const RememberedAddress* AddressMemory::find(const Address::Key& key) const {
  const auto found = addresses_.find(key);
  return found == addresses_.end() ? nullptr : &found->second;
}

bool has_length(const std::vector<host::AddressInfo>& standing, std::uint8_t prefix_len) {
  return std::ranges::any_of(standing, [&](const host::AddressInfo& address) {
    return address.address.prefix_len == prefix_len;
  });
}

LedgerEntry held_entry(std::uint8_t prefix_len, const std::vector<host::AddressInfo>& before) {
  return {std::to_string(prefix_len), text_of(before)};
}

LedgerEntry taken_entry(const std::vector<host::AddressInfo>& before) {
  return {kTaken, text_of(before)};
}

LedgerEntry owed_entry(const RememberedAddress& remembered, bool is_away) {
  return {is_away ? kTaken : "", remembered.entry.original};
}

LedgerEntry exclusive_entry() { return {kExclusive, ""}; }

}  // namespace spark::kinds
