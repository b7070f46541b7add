#pragma once
// What every kind of state has in common. A kind is a struct with a Key, a Value and four functions
// in the order data flows: desired, observe, diff, apply. `Desired<K>` and `Observed<K>` hold the
// same map from Key to Value, so one function compares every kind, "verified" is an empty
// comparison, and a dry run is a plan that nobody carries out. All of a Value is compared; what
// only order, labels, apply and rollback need of a resource is in the kind's Details.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// A value, and beside it what is not compared: two are equal when their values are, since the
/// comparison is the one that the Value has.
template <class K>
struct WithDetails : K::Value {
  typename K::Details details{};
};

/// A journal has the members of both in one object. What of a value follows from its details is in
/// no journal: `derive_value` says it again.
template <class K, class Visit>
void each_field(const WithDetails<K>& stated, Visit visit) {
  each_field(static_cast<const typename K::Value&>(stated), visit);
  each_field(stated.details, visit);
}
template <class K, class Visit>
void each_field(WithDetails<K>& stated, Visit visit) {
  each_field(static_cast<typename K::Value&>(stated), visit);
  each_field(stated.details, visit);
  if constexpr (requires { K::derive_value(stated); }) K::derive_value(stated);
}

template <class K>
struct StatedAs {
  using Type = typename K::Value;
};
template <class K>
  requires requires { typename K::Details; }
struct StatedAs<K> {
  using Type = WithDetails<K>;
};

/// What a state says of one resource: its Value, and its Details where the kind has some.
template <class K>
using Stated = typename StatedAs<K>::Type;

template <class K>
using State = std::map<typename K::Key, Stated<K>>;

/// Who asks for a resource.
struct Origin {
  config::Where where;
  bool compare_only = false;  ///< `owner: host`: a difference is reported and never corrected
};

template <class K>
struct Desired {
  State<K> state;
  std::map<typename K::Key, Origin> origins;

  void want(typename K::Key key, Stated<K> value, Origin who) {
    origins.insert_or_assign(key, who);
    state.insert_or_assign(std::move(key), std::move(value));
  }
};

/// Why a plan skips a wanted resource. The plan goes on with the others.
struct Skipped {
  enum class Why : std::uint8_t {
    kWaiting,      ///< its device is absent: normal without a cable
    kUnknown,      ///< it cannot be read or set from here
    kNotEnforced,  ///< it differs, and correcting it is not ours to do
    kPending,      ///< set for what starts from now on; what runs already keeps its value
  };
  Why why = Why::kUnknown;
  std::string id;      ///< SR-<AREA>-NNN
  std::string reason;  ///< what is so, and what to do about it; no process or user is named
  /// The same with their names, for a terminal of this node alone. Empty: there are none.
  std::string named = {};
  [[nodiscard]] const std::string& reason_here() const { return named.empty() ? reason : named; }
  bool operator==(const Skipped&) const = default;
};

/// As JSON and metrics have them.
inline constexpr std::array<std::string_view, 4> kSkippedWhys{"waiting", "unknown", "not_enforced",
                                                              "pending"};
constexpr const auto& names_of(Skipped::Why /*any*/) { return kSkippedWhys; }
constexpr std::string_view name_of(Skipped::Why why) {
  return kSkippedWhys.at(static_cast<std::size_t>(why));
}

/// Something that is not managed and is left unchanged.
struct LeftUnchanged {
  std::string what;
  std::string reason;
  bool operator==(const LeftUnchanged&) const = default;
};

/// A reason to stop the whole apply before its first change.
struct Refusal {
  enum class Why : std::uint8_t {
    kImpossible,  ///< the host cannot do what the file asks for, whatever is tried
    kRefused,     ///< it could be done, but would do harm
  };
  Why why = Why::kImpossible;
  std::string id;    ///< SR-<AREA>-NNN
  std::string what;  ///< what is so, and what to do about it
  config::Where where;
};

/// What is remembered of a resource, also after a restart, so that its removal from the file rolls
/// back what was ours and nothing else.
struct LedgerEntry {
  std::string ours;      ///< what the file asked for
  std::string original;  ///< what was there before; empty: nothing, or it is not restored
  bool operator==(const LedgerEntry&) const = default;
};

template <EitherConst<LedgerEntry> T, class Visit>
void each_field(T& entry, Visit visit) {
  visit("ours", may_lack(entry.ours));
  visit("original", unless_empty(entry.original));
}

using LedgerEntries = std::map<std::string, LedgerEntry>;  ///< by the key's label
using Ledger = std::map<std::string, LedgerEntries>;       ///< by the kind's name

/// What is remembered of a kind; empty: nothing.
const LedgerEntries& entries_of(const Ledger& ledger, std::string_view kind);

/// What an observation needs beside the desired state: which links are exclusive, and what was
/// ours. A rollback has no file: its node is what its steps ask for (plan/current.hpp).
struct Context {
  const config::Node& node;
  const Ledger& ledger;
};

/// What `kind` remembers of a resource; null: nothing.
const LedgerEntry* remembered(const Context& context, std::string_view kind,
                              const std::string& label);

/// All entries of `kind`, for a kind whose resources stay as they are when their line leaves the
/// file. None in a release, which restores everything.
LedgerEntries originals(const Context& context, std::string_view kind);

template <class K>
struct Observed {
  /// The actual values of all that is wanted or was ours, normalised to what is compared.
  State<K> state;
  std::map<typename K::Key, Skipped> skipped;
  /// Why a part of a resource falls short; the rest of the resource is enforced.
  std::map<typename K::Key, Skipped> shortfalls;
  /// The line that causes the removal of a resource of `state`, unless the cause is only that the
  /// resource's own line is gone.
  std::map<typename K::Key, config::Where> removers;
  std::vector<LeftUnchanged> left_unchanged;
  std::vector<Refusal> refusals;
  LedgerEntries remember;  ///< the ledger of this kind once the plan is carried out
  bool settling = false;   ///< the kernel is still at work on a wanted resource (IPv6 DAD)
};

template <class K>
struct Change {
  typename K::Key key;
  std::optional<Stated<K>> before;  ///< empty: it is added
  std::optional<Stated<K>> after;   ///< empty: it is removed
  bool operator==(const Change&) const = default;

  [[nodiscard]] Change reversed() const { return {key, after, before}; }
};

/// Why a change is not made, though nothing has failed: it needs the answer of another machine, or
/// what somebody keeps busy.
struct Waits {
  std::string why;         ///< as the reason of Skipped
  std::string named = {};  ///< as there
  bool operator==(const Waits&) const = default;
};

/// How a change went: it is done, it waits, or it failed.
using Outcome = Result<std::optional<Waits>>;

inline bool is_done(const Outcome& outcome) { return outcome && !*outcome; }
/// Of a change that never waits.
Outcome outcome_of(const Result<>& made);
/// A change waits for the reason for which a plan would skip its resource.
Waits waits_for(const Skipped& why);

/// What a change does to users of the node.
struct Effect {
  enum class Disturbs : std::uint8_t {
    kNothing,
    kAddress,  ///< connections of one address, including RDMA through its GID
    kTraffic,  ///< everything on one link
  };
  Disturbs disturbs = Disturbs::kNothing;
  std::string link;            ///< on which link; empty: none
  std::vector<IpAddress> ips;  ///< the addresses that are gone, if only for a moment
  /// False: the link has no RDMA device, so only sockets use the addresses.
  bool may_carry_rdma = true;
  /// Routes that lead nowhere without these addresses or that link: "10.0.0.0/8 via …".
  std::vector<std::string> routes;
  /// The link's `promote_secondaries` is 1 for that moment, so that no other address goes too.
  bool sets_promote_secondaries = false;
  bool link_goes_down = false;
  bool link_comes_up = false;
  /// The change is to an IPv6 address: the kernel removes it when the link goes down.
  bool is_of_ipv6_address = false;
  /// IPv6 ends on `link` (empty: on all links), and all IPv6 addresses there go with it.
  bool ends_ipv6 = false;
  /// Another program starts or stops managing the link: a lease of the link is no longer renewed.
  bool changes_manager = false;
  /// The last of all steps, a link the very last: the manager that gets the resource back acts on
  /// it at once.
  bool hands_back = false;
  /// Removes a resource that depends on others: goes before all steps that may remove those.
  bool frees_others = false;
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
Skipped waiting_for_link(const std::string& link);
/// The reason for a resource that needs an RDMA device, where its link is there and has none.
Skipped without_rdma_device(const host::LinkInfo& link);
/// The reason for a resource in a file that cannot be replaced; empty: it can, or that is not
/// known.
std::optional<Skipped> irreplaceable(host::View& view, const std::string& path);
/// The reason for a resource whose table could not be read.
Skipped unreadable(const Error& error);

}  // namespace spark::kinds
