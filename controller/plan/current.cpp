#include "plan/current.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kinds/all.hpp"
#include "plan/make_step.hpp"

namespace spark::plan {
namespace {

template <class K>
using ChangesOfSteps = std::map<const Step*, kinds::Change<K>>;

template <class K>
ChangesOfSteps<K> changes_of(const std::vector<Step>& steps) {
  ChangesOfSteps<K> changes;
  for (const auto& step : steps) {
    if (step.kind != K::kName) continue;
    auto change = read_change<K>(step.record());
    if (change) changes.emplace(&step, *std::move(change));
  }
  return changes;
}

/// What a kind asks the node for beside its own resources, as far as these steps change it. What
/// was in place before them is as the machine has it.
config::Node node_of_steps(const std::vector<Step>& steps, bool released) {
  config::Node node;
  node.released = released;
  for (const auto& [step, change] : changes_of<kinds::Link>(steps)) {
    node.links.try_emplace(change.key.link);
  }
  for (const auto& [step, change] : changes_of<kinds::Mtu>(steps)) {
    if (change.after) node.links[change.key.link].mtu = {.value = change.after->bytes};
  }
  for (const auto& [step, change] : changes_of<kinds::Module>(steps)) {
    if (change.after) node.modules.push_back({.value = change.key.name});
  }
  return node;
}

/// The value to look for; empty: what leaves is known by the ledger, and by marks of ours.
template <class K>
std::optional<kinds::Stated<K>> looked_for(const kinds::Change<K>& change) {
  return change.after;
}

/// Each length that it had or gets: those that `exclusive` takes are in no ledger and have no mark.
std::optional<kinds::Stated<kinds::Address>> looked_for(
    const kinds::Change<kinds::Address>& change) {
  std::vector<host::AddressInfo> standing;
  for (const auto& side : {change.before, change.after}) {
    if (side) std::ranges::copy(side->details.standing, std::back_inserter(standing));
  }
  return kinds::Address::stated(std::move(standing));
}

/// Nobody asks for another program's file; it is where it was, or not.
std::optional<kinds::Stated<kinds::OtherManagers>> looked_for(
    const kinds::Change<kinds::OtherManagers>& change) {
  return change.key.file.empty() ? change.after : change.before;
}

/// Somebody who uses an unused cage by now keeps nothing from being as it was.
std::optional<kinds::Stated<kinds::Link>> looked_for(const kinds::Change<kinds::Link>& change) {
  auto value = change.after;
  if (value) value->details.unused = false;
  return value;
}

template <class K>
kinds::Desired<K> wanted_by(const ChangesOfSteps<K>& changes) {
  kinds::Desired<K> wanted;
  for (const auto& [step, change] : changes) {
    if (auto value = looked_for(change)) wanted.want(change.key, *std::move(value), {});
  }
  return wanted;
}

/// Without the resources of others, which a kind would look at too: a volume is asked who uses it.
template <class K>
kinds::Ledger ledger_of(const ChangesOfSteps<K>& changes, kinds::Ledger ledger) {
  if (const auto entries = ledger.find(std::string(K::kName)); entries != ledger.end()) {
    std::set<std::string> labels;
    for (const auto& [step, change] : changes) labels.insert(step->key);
    std::erase_if(entries->second,
                  [&](const auto& entry) { return !labels.contains(entry.first); });
  }
  return ledger;
}

template <class K>
void read_kind(CurrentOfSteps& current, const std::vector<Step>& steps, const config::Node& node,
               host::View& view, const kinds::Ledger& ledger) {
  const auto changes = changes_of<K>(steps);
  if (changes.empty()) return;
  const auto known = ledger_of<K>(changes, ledger);
  const auto observed = K::observe(view, wanted_by<K>(changes), {node, known});
  if (!observed) return;
  for (const auto& [step, change] : changes) {
    if (observed->skipped.contains(change.key)) continue;
    auto& now = current.at(step) = {};
    const auto found = observed->state.find(change.key);
    if (found == observed->state.end()) continue;
    const bool is_as_after = change.after && found->second == *change.after;
    now.value = is_as_after ? step->after : K::label(found->second);
  }
}

template <class... Kinds>
void read_kinds(std::type_identity<std::tuple<Kinds...>> /*kinds*/, CurrentOfSteps& current,
                const std::vector<Step>& steps, const config::Node& node, host::View& view,
                const kinds::Ledger& ledger) {
  (read_kind<Kinds>(current, steps, node, view, ledger), ...);
}

}  // namespace

CurrentOfSteps read_current(const std::vector<Step>& steps, bool released, host::View& view,
                            const kinds::Ledger& ledger) {
  CurrentOfSteps current;
  for (const auto& step : steps) {
    current.emplace(&step, Current{.value = step.after, .is_skipped = true});
  }
  read_kinds(std::type_identity<kinds::AllKinds>{}, current, steps, node_of_steps(steps, released),
             view, ledger);
  return current;
}

}  // namespace spark::plan
