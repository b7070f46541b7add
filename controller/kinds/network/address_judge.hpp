#pragma once
// AddressJudge: which addresses on the links are ours, which are to go, and why one cannot be there
// or must not go.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kinds/network/address.hpp"
#include "kinds/network/address_origin.hpp"

namespace spark::kinds {

// AddressMemory: what the ledger says of addresses: how each of them was before the first apply.

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

/// Judges the addresses of one dump by what the file and the ledger say of them.
class AddressJudge {
 public:
  AddressJudge(host::View& view, const Desired<Address>& wanted, const Context& context);

  /// The file asks for the address on this link.
  [[nodiscard]] bool asked(const Address::Key& key) const { return wanted_.state.contains(key); }
  [[nodiscard]] static bool marked_ours(const host::AddressInfo& address);
  /// We added the address, or one that it has replaced since.
  [[nodiscard]] bool was_ours(const Address::Key& key, const host::AddressInfo& address) const;
  [[nodiscard]] const AddressMemory& memory() const { return memory_; }
  /// The address is to go, was there before the first apply, and is not in the ledger yet.
  [[nodiscard]] bool takes_foreign(const Address::Key& key, const host::AddressInfo& address) const;
  /// The file does not ask for the address here, and the address must not stay.
  [[nodiscard]] bool leaves(const Address::Key& key, const host::AddressInfo& address) const;
  /// The prefix lengths of an address that are compared and changed. If the file does not ask for
  /// the address: all that go. If it does: the wanted length and ours, or else one that the wanted
  /// length replaces. All others belong to somebody else and stay.
  [[nodiscard]] std::vector<host::AddressInfo> held(
      const Address::Key& key, const std::vector<host::AddressInfo>& standing) const;
  /// The line that makes an address go; empty: only its own line is gone.
  [[nodiscard]] std::optional<config::Where> remover(const Address::Key& key,
                                                     const host::AddressInfo& address) const;
  [[nodiscard]] bool exclusive(const std::string& link) const;
  [[nodiscard]] bool mentioned(const std::string& link) const {
    return context_.node.links.contains(link);
  }
  /// Removing `address` would delete others: its subnet keeps or gets another address on the link,
  /// and `address` is the primary, or becomes it because the primary goes too.
  [[nodiscard]] bool others_stay(const Address::Key& primary, const host::AddressInfo& address);

 private:
  [[nodiscard]] bool is_wanted(const Address::Key& key, const host::AddressInfo& address) const;
  [[nodiscard]] bool stood_beside(const Address::Key& key, const host::AddressInfo& address) const;
  [[nodiscard]] bool goes(const Address::Key& key, const host::AddressInfo& address) const;
  [[nodiscard]] std::map<Subnet, std::set<IpAddress>> staying() const;
  [[nodiscard]] bool loses_its_primary(const host::AddressInfo& secondary) const;

  host::View& view_;
  const Desired<Address>& wanted_;
  const Context& context_;
  std::map<IpAddress, config::Where>
      placed_;  ///< wanted on a link that is there, and by which line
  AddressMemory memory_;
  /// Only computed when something leaves.
  std::optional<std::map<Subnet, std::set<IpAddress>>> staying_;
};

/// Refuses `exclusive` on a link that serves others through `address`; empty: it serves nobody.
/// DHCP or router advertisements would fight over the link. A gateway or a DNS server that is
/// reached from the address would be lost with it.
std::optional<Refusal> serves_others(host::View& view, const host::AddressInfo& address,
                                     bool leaves, const std::string& link, config::Where where);

/// The reason for an address with a peer, which is in no subnet.
Skipped point_to_point(const host::AddressInfo& address);

/// Why an address on the link reaches nobody: a bridge or bond takes the packets of its ports.
/// Empty: the link is no such port.
std::optional<Skipped> port_of_another(host::View& view, const host::LinkInfo& link,
                                       const config::Node& node);

/// Why a link of `node` can have no IPv6 address; empty: it can, or that is not known.
std::optional<Skipped> without_ipv6(host::View& view, const config::Node& node,
                                    const std::string& link);

}  // namespace spark::kinds
