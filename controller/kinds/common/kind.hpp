#pragma once
// What every kind of state has in common. A kind is a struct with a Key, a Value and four functions
// in the order data flows: desired, observe, diff, apply. `Desired<K>` and `Observed<K>` hold the
// same map from Key to Value, so one function compares every kind, "verified" is an empty
// comparison, and a dry run is a plan that nobody carries out.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "config/node.hpp"
#include "host/view.hpp"

namespace spark {

template <class K>
using State = std::map<typename K::Key, typename K::Value>;

/// Who asks for a resource.
struct Origin {
  Where where;
  bool compare_only = false;  ///< `owner: host`: a difference is reported and never mended
};

template <class K>
struct Desired {
  State<K> state;
  std::map<typename K::Key, Origin> origins;

  void want(typename K::Key key, typename K::Value value, Origin who) {
    origins.insert_or_assign(key, who);
    state.insert_or_assign(std::move(key), std::move(value));
  }
};

/// Why a wanted resource takes no part in a plan. It stops no other.
struct Skipped {
  enum class Why : std::uint8_t {
    kWaiting,      ///< its device is absent: normal without a cable
    kUnknown,      ///< it cannot be read or set from here
    kNotEnforced,  ///< it differs, and mending it is not ours to do
    kPending,      ///< held for what starts from now on; what runs already keeps what it has
  };
  Why why = Why::kUnknown;
  std::string id;      ///< SR-<AREA>-NNN
  std::string reason;  ///< what is so, and what to do about it
  bool operator==(const Skipped&) const = default;
};

/// Something that is there, is not ours, and stays.
struct LeftUnchanged {
  std::string what;
  std::string reason;
  bool operator==(const LeftUnchanged&) const = default;
};

/// A reason to stop the whole apply before its first change.
struct Refusal {
  enum class Why : std::uint8_t {
    kImpossible,  ///< the host cannot fulfil the wish, whatever is tried
    kRefused,     ///< it could be done, and would do harm
  };
  Why why = Why::kImpossible;
  std::string id;    ///< SR-<AREA>-NNN
  std::string what;  ///< what is so, and what to do about it
  Where where;
};

/// What must be remembered of a resource so that its removal from the file takes back what was ours
/// and nothing else, also after a restart.
struct LedgerEntry {
  std::string ours;      ///< what the file asked for
  std::string original;  ///< what was there before; empty: nothing, or it is not given back
  bool operator==(const LedgerEntry&) const = default;
};
using LedgerEntries = std::map<std::string, LedgerEntry>;  ///< by the key's label
using Ledger = std::map<std::string, LedgerEntries>;       ///< by the kind's name

/// What is remembered of a kind; empty: nothing.
const LedgerEntries& entries_of(const Ledger& ledger, std::string_view kind);

/// What an observation has to know beside the wishes: which links are exclusive, what was ours.
struct Context {
  const Node& node;
  const Ledger& ledger;
};

/// What `kind` remembers of a resource; null: nothing.
const LedgerEntry* remembered(const Context& context, std::string_view kind,
                              const std::string& label);

/// What `kind` remembers of resources that stay as they are when their line goes: all of it, until
/// everything is given back.
LedgerEntries originals(const Context& context, std::string_view kind);

template <class K>
struct Observed {
  /// What is there of all that is wanted, and of what was ours; normalised to what we compare.
  State<K> state;
  std::map<typename K::Key, Skipped> skipped;
  /// Parts of a resource that fall short, with the rest of it held as far as it goes.
  std::map<typename K::Key, Skipped> shortfalls;
  /// The line that has a resource of `state` removed, where it is not only that its own is gone.
  std::map<typename K::Key, Where> removers;
  std::vector<LeftUnchanged> left_unchanged;
  std::vector<Refusal> refusals;
  LedgerEntries remember;  ///< the ledger of this kind once the plan is carried out
  bool settling = false;   ///< the kernel is still at work on a wanted resource (IPv6 DAD)
};

template <class K>
struct Change {
  typename K::Key key;
  std::optional<typename K::Value> before;  ///< empty: it is added
  std::optional<typename K::Value> after;   ///< empty: it is removed
  bool operator==(const Change&) const = default;

  [[nodiscard]] Change reversed() const { return {key, after, before}; }
};

/// What a change does to those who use the node meanwhile.
struct Effect {
  enum class Disturbs : std::uint8_t {
    kNothing,
    kAddress,  ///< connections of one address, RDMA through its GID among them
    kTraffic,  ///< everything on one link
  };
  Disturbs disturbs = Disturbs::kNothing;
  std::string link;            ///< on which link; empty: none
  std::vector<IpAddress> ips;  ///< the addresses that are gone, if only for a moment
  /// The link's `promote_secondaries` is 1 for that moment, so that no other address goes too.
  bool sets_promote_secondaries = false;
  bool link_goes_down = false;
  bool link_comes_up = false;
  /// The change is to an IPv6 address: the kernel takes it from a link that goes down.
  bool is_of_ipv6_address = false;
  /// IPv6 ends on the link (on all of them where it is empty), and all its addresses with it.
  bool ends_ipv6 = false;
  /// Another program sets the link up from now on, or stops doing so: its lease is not renewed.
  bool changes_manager = false;
  /// Last of all steps: whoever gets it back acts on it at once.
  bool gives_back = false;
  /// Lets go of what lives on other resources: goes before all that may take those away.
  bool lets_go = false;
};

/// The one comparison of all kinds: changes in the order of their keys.
template <class K>
std::vector<Change<K>> difference(const State<K>& desired, const State<K>& actual) {
  std::vector<Change<K>> changes;
  auto want = desired.begin();
  auto have = actual.begin();
  while (want != desired.end() || have != actual.end()) {
    if (have == actual.end() || (want != desired.end() && want->first < have->first)) {
      changes.push_back({want->first, std::nullopt, want->second});
      ++want;
    } else if (want == desired.end() || have->first < want->first) {
      changes.push_back({have->first, have->second, std::nullopt});
      ++have;
    } else {
      if (!(want->second == have->second)) {
        changes.push_back({want->first, have->second, want->second});
      }
      ++want;
      ++have;
    }
  }
  return changes;
}

/// The reason for everything on a link that is absent.
Skipped waiting_for_link(const std::string& link, const Node& node);
/// The reason for what needs the RDMA device of a link that is there, and has none.
Skipped without_rdma_device(const LinkInfo& link);
/// The reason for what stands in a file that cannot be replaced; empty: it can, or that is not
/// known.
std::optional<Skipped> irreplaceable(View& view, const std::string& path);
/// The reason for a resource whose table could not be read.
Skipped unreadable(const Error& error);

}  // namespace spark
