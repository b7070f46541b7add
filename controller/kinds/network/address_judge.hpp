#pragma once
// AddressJudge: which of the addresses that stand on the links are ours, which are to leave, and
// why one cannot stand or must not go.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinds/network/address.hpp"
#include "kinds/network/address_memory.hpp"

namespace spark {

/// A subnet on a link. IPv4 addresses that share one are a primary and its secondaries.
using Subnet = std::pair<std::string, IpPrefix>;

bool is_primary(const AddressInfo& address);

/// Judges the addresses of one dump by what the file and the ledger say of them.
class AddressJudge {
 public:
  AddressJudge(View& view, const Desired<Address>& wanted, const Context& context);

  /// The file asks for it on this link.
  [[nodiscard]] bool asked(const Address::Key& key) const { return wanted_.state.contains(key); }
  [[nodiscard]] static bool marked_ours(const AddressInfo& address);
  /// We have added it, or one that it replaced since.
  [[nodiscard]] bool was_ours(const Address::Key& key, const AddressInfo& address) const;
  [[nodiscard]] const AddressMemory& memory() const { return memory_; }
  /// It is to leave, was there before the first apply, and was not noted yet.
  [[nodiscard]] bool takes_foreign(const Address::Key& key, const AddressInfo& address) const;
  /// Not asked for here, and yet not to stay.
  [[nodiscard]] bool leaves(const Address::Key& key, const AddressInfo& address) const;
  /// Of the lengths with which an address stands, those that are compared and changed: of one that
  /// the file does not ask for, all that leave; of one that it asks for, that length and ours, or
  /// else one that is replaced by it. The others are somebody's and stay.
  [[nodiscard]] std::vector<AddressInfo> held(const Address::Key& key,
                                              const std::vector<AddressInfo>& standing) const;
  /// The line for which an address that is to leave does so; empty: only its own line is gone.
  [[nodiscard]] std::optional<Where> remover(const Address::Key& key,
                                             const AddressInfo& address) const;
  [[nodiscard]] bool exclusive(const std::string& link) const;
  [[nodiscard]] bool mentioned(const std::string& link) const {
    return context_.node.links.contains(link);
  }
  /// The other half of `leaves`: this subnet of the link keeps or gets another address beside
  /// `primary`, or beside a secondary that becomes the primary since that goes too.
  [[nodiscard]] bool others_stay(const Address::Key& primary, const AddressInfo& address);

 private:
  [[nodiscard]] bool is_wanted(const Address::Key& key, const AddressInfo& address) const;
  [[nodiscard]] bool stood_beside(const Address::Key& key, const AddressInfo& address) const;
  [[nodiscard]] bool goes(const Address::Key& key, const AddressInfo& address) const;
  [[nodiscard]] std::map<Subnet, std::set<IpAddress>> staying() const;
  [[nodiscard]] bool loses_its_primary(const AddressInfo& secondary) const;

  View& view_;
  const Desired<Address>& wanted_;
  const Context& context_;
  std::map<IpAddress, Where> placed_;  ///< wanted on a link that is there, and by which line
  AddressMemory memory_;
  /// Only computed when something leaves.
  std::optional<std::map<Subnet, std::set<IpAddress>>> staying_;
};

/// `exclusive` on a link that serves others: one that DHCP or router advertisements feed would be
/// fought over, and a gateway or a DNS server that is reached from an address would be lost with
/// it. Empty: it serves nobody through `address`.
std::optional<Refusal> serves_others(View& view, const AddressInfo& address, bool leaves,
                                     const std::string& link, Where where);

/// The reason for an address that stands with a peer, and so in no subnet.
Skipped point_to_point(const AddressInfo& address);

/// Why a link of `node` can have no IPv6 address; empty: it can, or that is not known.
std::optional<Skipped> without_ipv6(View& view, const Node& node, const std::string& link);

}  // namespace spark
