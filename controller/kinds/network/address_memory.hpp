#pragma once
// AddressMemory: what the ledger says of addresses: how each of them was before the first apply.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kinds/network/address.hpp"

namespace spark {

struct RememberedAddress {
  LedgerEntry entry;
  /// It was there, with one length or with several. Empty: it was not; or an earlier version found
  /// it there, and did not note how.
  std::vector<AddressInfo> before;
  bool was_absent = false;

  /// `exclusive`, or a line that wants it on another link, has taken it away.
  [[nodiscard]] bool was_taken() const;
};

class AddressMemory {
 public:
  explicit AddressMemory(const LedgerEntries& entries);

  /// Null: nothing.
  [[nodiscard]] const RememberedAddress* find(const Address::Key& key) const;
  [[nodiscard]] const std::map<Address::Key, RememberedAddress>& all() const { return addresses_; }
  /// An earlier apply has made the link exclusive: what comes to it since is not from before us.
  [[nodiscard]] bool has_exclusive(const std::string& link) const {
    return exclusive_.contains(link);
  }

 private:
  std::map<Address::Key, RememberedAddress> addresses_;
  std::set<std::string> exclusive_;
};

/// One of them has that prefix length, in bits.
bool has_length(const std::vector<AddressInfo>& standing, std::uint8_t prefix_len);

/// How the ledger keeps an address that the file asks for with that length.
LedgerEntry held_entry(std::uint8_t prefix_len, const std::vector<AddressInfo>& before);
/// One that was taken away, and is given back as it was.
LedgerEntry taken_entry(const std::vector<AddressInfo>& before);
/// One that the file names no more, and that is still to be given back: by the next apply that has
/// no use for its place where we took it away (`is_away`), or by a release alone, since somebody
/// else has changed it.
LedgerEntry owed_entry(const RememberedAddress& remembered, bool is_away);
/// That a link is exclusive, by its name.
LedgerEntry exclusive_entry();

}  // namespace spark
