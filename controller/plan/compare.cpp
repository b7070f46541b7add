#include "plan/compare.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "kinds/all.hpp"
#include "plan/make_step.hpp"

namespace spark::plan {
namespace {

using kinds::Stated;

/// What becomes of a resource that the file no longer asks for.
enum class Leaving : std::uint8_t {
  kIsRemoved,
  kIsRestored,  ///< to what was there before the first apply
  kStays,
  kGoesAlong,  ///< with another resource, which has a step of its own
};

template <class K>
constexpr auto kLeaving = Leaving::kIsRemoved;
template <>
constexpr auto kLeaving<kinds::Mtu> = Leaving::kStays;
template <>
constexpr auto kLeaving<kinds::Link> = Leaving::kStays;
template <>
constexpr auto kLeaving<kinds::HostIdentity> = Leaving::kStays;
template <>
constexpr auto kLeaving<kinds::SysctlSetting> = Leaving::kIsRestored;
template <>
constexpr auto kLeaving<kinds::MemlockSetting> = Leaving::kIsRestored;
template <>
constexpr auto kLeaving<kinds::RdmaCm> = Leaving::kIsRestored;
template <>
constexpr auto kLeaving<kinds::Roce> = Leaving::kGoesAlong;

// What a machine may have of a resource that nobody asked for so far and that every machine has:
// the value from which the change disturbs most.
Stated<kinds::Mtu> worst_before(const Stated<kinds::Mtu>& after) { return {{after.bytes + 1}, {}}; }

Stated<kinds::Link> worst_before(const Stated<kinds::Link>& after) {
  auto before = after;
  if (after.up) before.up = !*after.up;
  if (after.link_local) {
    before.link_local = after.link_local == config::LinkLocalMode::kNone
                            ? config::LinkLocalMode::kEui64
                            : config::LinkLocalMode::kNone;
  }
  return before;
}

Stated<kinds::SysctlSetting> worst_before(const Stated<kinds::SysctlSetting>& after) {
  return {{.live = after.live == "0" ? "1" : "0"}, {}};
}

template <class K>
concept IsOnEveryMachine = requires(const Stated<K>& value) { worst_before(value); };

/// A step for what stays: nothing happens on the node.
template <class K>
Step step_that_leaves(const typename K::Key& key, const Stated<K>& value) {
  return {.kind = K::kName,
          .key = K::label(key),
          .on = on_link(key),
          .before = K::label(value),
          .left = K::label(value),
          .effect = {}};
}

/// The comparison of one kind.
template <class K>
class KindComparison {
 public:
  KindComparison(const config::Node& from, const config::Node& to, Comparison& found)
      : old_(K::desired(from)), new_(K::desired(to)), found_(found) {}

  void add_steps() {
    leave_out_of_host();
    leave_out_what_stays();
    const auto assumed = assume_what_nobody_asked_for();
    note_end_of_ipv6();
    for (auto& change : K::diff(new_.state, old_.state)) {
      const auto key = change.key;
      note_unknown(change, assumed.contains(key));
      const bool is_asked = new_.origins.contains(key);
      auto step = make_step<K>(std::move(change), place_of(key));
      if (assumed.contains(key)) {
        step.before.reset();
        if (step.effect.disturbs != kinds::Effect::Disturbs::kNothing) {
          note(key, "new in the file; nothing is disturbed where the machine has it already");
        }
      }
      if (!is_asked && kLeaving<K> == Leaving::kIsRestored) step.left.reset();
      found_.steps.push_back(std::move(step));
    }
  }

 private:
  using Key = typename K::Key;

  void note(const Key& key, std::string what) {
    found_.unknown.push_back({fmt::format("{} {}", K::kName, K::label(key)), std::move(what)});
  }

  /// The line that asks for the resource, or that has it removed; line 0: its line is gone.
  config::Where place_of(const Key& key) const {
    if (const auto asked = new_.origins.find(key); asked != new_.origins.end()) {
      return asked->second.where;
    }
    if constexpr (std::same_as<K, kinds::Address>) {
      const auto elsewhere = std::ranges::find(new_.origins, key.ip,
                                               [](const auto& origin) { return origin.first.ip; });
      if (elsewhere != new_.origins.end()) return elsewhere->second.where;
    }
    return {};
  }

  /// What is compared only takes no part: no file sets it.
  void leave_out_of_host() {
    const auto old = old_;
    for (const auto& [key, origin] : old.origins) {
      if (origin.compare_only) old_.state.erase(key);
    }
    for (const auto& [key, origin] : new_.origins) {
      if (!origin.compare_only) continue;
      const auto before = old.state.find(key);
      if (before == old.state.end() || !(before->second == new_.state.at(key))) {
        note(key, "`owner: host` compares and never sets");
      }
      old_.state.erase(key);
      new_.state.erase(key);
    }
  }

  void leave_out_what_stays() {
    if constexpr (kLeaving<K> == Leaving::kStays || kLeaving<K> == Leaving::kGoesAlong) {
      std::erase_if(old_.state, [&](const auto& entry) {
        const auto& [key, value] = entry;
        if (new_.state.contains(key)) return false;
        if (kLeaving<K> == Leaving::kStays && !new_.origins.contains(key)) {
          found_.steps.push_back(step_that_leaves<K>(key, value));
        }
        return true;
      });
    }
  }

  std::set<Key> assume_what_nobody_asked_for() {
    std::set<Key> assumed;
    if constexpr (std::same_as<K, kinds::Roce>) {
      for (const auto& [key, value] : new_.state) old_.state.try_emplace(key);  // no GID yet
    } else if constexpr (IsOnEveryMachine<K>) {
      for (const auto& [key, value] : new_.state) {
        if (old_.state.try_emplace(key, worst_before(value)).second) assumed.insert(key);
      }
    }
    return assumed;
  }

  void note_end_of_ipv6() {
    if constexpr (std::same_as<K, kinds::Mtu>) {
      for (auto& [key, before] : old_.state) {
        const auto after = new_.state.find(key);
        before.details.ends_ipv6 = after != new_.state.end() &&
                                   after->second.bytes < host::kLeastMtuOfIpv6 &&
                                   before.bytes >= host::kLeastMtuOfIpv6;
      }
    }
  }

  void note_unknown(const kinds::Change<K>& change, bool is_assumed) {
    if (!change.after && kLeaving<K> == Leaving::kIsRestored) {
      note(change.key, "back to the value from before the first apply");
    }
    if constexpr (std::same_as<K, kinds::Address>) {
      if (!change.after) note(change.key, "kept where it was there before the first apply");
    } else if constexpr (std::same_as<K, kinds::OtherManagers>) {
      note(change.key, "nothing to do where no other manager is installed");
    } else if constexpr (std::same_as<K, kinds::MemlockSetting>) {
      if (change.key.scope == "containers") {
        note(change.key, "nothing to do where no container engine is installed");
      }
    } else if constexpr (std::same_as<K, kinds::Link>) {
      constexpr auto kNone = config::LinkLocalMode::kNone;
      // A link that is down has none.
      const bool may_have_one = is_assumed || change.before->up != false;
      if (change.after->link_local == kNone && change.before->link_local != kNone && may_have_one) {
        note(change.key, "the link-local address that the kernel made goes");
      }
    }
  }

  kinds::Desired<K> old_;
  kinds::Desired<K> new_;
  Comparison& found_;
};

template <class... Kinds>
void compare_kinds(std::type_identity<std::tuple<Kinds...>> /*kinds*/, const config::Node& from,
                   const config::Node& to, Comparison& found) {
  (KindComparison<Kinds>(from, to, found).add_steps(), ...);
}

bool is_pinned(const config::Node& node) {
  return node.environment && node.environment->nccl_gid_index.value == config::GidIndex::kPinned;
}

/// What no resource of the file shows.
void note_unknown_of_node(const config::Node& from, const config::Node& to, Comparison& found) {
  for (const auto& [name, link] : to.links) {
    const auto before = from.links.find(name);
    const bool was_exclusive = before != from.links.end() && before->second.exclusive;
    if (link.exclusive && !was_exclusive) {
      found.unknown.push_back({fmt::format("link {}", name),
                               "`exclusive` is new: all addresses that the file does not name go"});
    }
  }
  if (to.take_over.value && !from.take_over.value) {
    found.unknown.push_back(
        {"", "`take_over` is new: files of others that claim its links are moved aside"});
  }
  if (is_pinned(to) && !is_pinned(from)) {
    found.unknown.push_back({"", "`gid_index: pinned` is new: the index is not in the file"});
  }
}

}  // namespace

Comparison compare(const config::Node& from, const config::Node& to) {
  Comparison found;
  compare_kinds(std::type_identity<kinds::AllKinds>{}, from, to, found);
  note_unknown_of_node(from, to, found);
  put_in_order(found.steps);
  return found;
}

}  // namespace spark::plan
