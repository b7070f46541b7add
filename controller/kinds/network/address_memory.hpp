#pragma once
// AddressMemory: what the ledger says of addresses: how each of them was before the first apply.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kinds/network/address.hpp"

namespace spark::kinds {

struct RememberedAddress {
  LedgerEntry entry;
  /// The address as it was, with one prefix length or several. Empty: it was absent, or an earlier
  /// version did not record how it was.
  std::vector<host::AddressInfo> before;
  bool was_absent = false;

  /// `exclusive`, or a line that wants the address on another link, removed it.
  [[nodiscard]] bool was_taken() const;
};

class AddressMemory {
 public:
  explicit AddressMemory(const LedgerEntries& entries);

  /// Null: nothing.
  [[nodiscard]] const RememberedAddress* find(const Address::Key& key) const;
  [[nodiscard]] const std::map<Address::Key, RememberedAddress>& all() const { return addresses_; }
  /// An earlier apply made the link exclusive: an address that came since was not there before us.
  [[nodiscard]] bool has_exclusive(const std::string& link) const {
    return exclusive_.contains(link);
  }

 private:
  std::map<Address::Key, RememberedAddress> addresses_;
  std::set<std::string> exclusive_;
};

/// One of them has that prefix length, in bits.
bool has_length(const std::vector<host::AddressInfo>& standing, std::uint8_t prefix_len);

/// The entry of an address that the file asks for with that length.
LedgerEntry held_entry(std::uint8_t prefix_len, const std::vector<host::AddressInfo>& before);
/// The entry of an address that we removed, to be restored as it was.
LedgerEntry taken_entry(const std::vector<host::AddressInfo>& before);
/// The entry of an address that the file no longer names and that is still to be restored. If we
/// removed it (`is_away`), the next apply that has no use for its place does that. If somebody else
/// has changed it, only a release does.
LedgerEntry owed_entry(const RememberedAddress& remembered, bool is_away);
/// The entry, under the link's name, which says that the link is exclusive.
LedgerEntry exclusive_entry();

}  // namespace spark::kinds
