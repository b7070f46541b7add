#include "plan/plan.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/all.hpp"
#include "plan/make_step.hpp"
#include "plan/release.hpp"
#include "plan/routes_over_links.hpp"

namespace spark::plan {
namespace {

/// Why a change to a link that belongs to the host's own configuration is not made.
kinds::Skipped owned_by_host(const Step& step) {
  return {kinds::Skipped::Why::kNotEnforced, "SR-OWNER-001",
          fmt::format("is {}, the file says {}; `owner: host` compares and never sets",
                      or_absent(step.before), or_absent(step.after))};
}

template <class K>
void skip(Plan& plan, const kinds::Desired<K>& wanted, const typename K::Key& key,
          kinds::Skipped skipped) {
  const auto asked = wanted.origins.find(key);
  const auto where = asked == wanted.origins.end() ? config::Where{} : asked->second.where;
  plan.skipped.push_back({K::kName, K::label(key), std::move(skipped), where, on_link(key)});
}

/// What is remembered of a kind that is not looked at, or cannot be read now, is kept.
void keep_remembering(Plan& plan, std::string_view kind, const kinds::Ledger& ledger) {
  if (const auto known = ledger.find(std::string(kind)); known != ledger.end()) {
    plan.remember.insert(*known);
  }
}

template <class K>
void plan_kind(Plan& plan, const config::Node& node, host::View& view,
               const kinds::Ledger& ledger) {
  if (plan.kinds == Kinds::kNetlink && !kFromNetlink<K>) {
    keep_remembering(plan, K::kName, ledger);
    return;
  }
  auto wanted = K::desired(node);
  if constexpr (requires { K::complete(wanted, view, kinds::Context{node, ledger}); }) {
    K::complete(wanted, view, {node, ledger});
  }
  auto observed = K::observe(view, wanted, {node, ledger});
  if (!observed) {
    for (const auto& [key, value] : wanted.state) {
      skip(plan, wanted, key, kinds::unreadable(observed.error()));
    }
    keep_remembering(plan, K::kName, ledger);
    return;
  }
  for (auto& [key, skipped] : observed->skipped) {
    wanted.state.erase(key);
    observed->state.erase(key);
    if (const auto* known = kinds::remembered({node, ledger}, K::kName, K::label(key))) {
      observed->remember.try_emplace(K::label(key), *known);  // it takes no part, and is owed still
    }
    skip(plan, wanted, key, std::move(skipped));
  }
  auto changes = K::diff(wanted.state, observed->state);
  plan.in_sync += wanted.state.size();
  for (auto& [key, skipped] : observed->shortfalls) {
    const bool is_pending = skipped.why == kinds::Skipped::Why::kPending;
    skip(plan, wanted, key, std::move(skipped));
    const auto changed = std::ranges::find(changes, key, &kinds::Change<K>::key);
    plan.in_sync -=
        changed == changes.end() && !is_pending ? 1 : 0;  // the others are taken off below
  }
  plan.steps.reserve(plan.steps.size() + changes.size());
  for (auto& change : changes) {
    const auto asked = wanted.origins.find(change.key);
    const bool from_file = asked != wanted.origins.end();
    plan.in_sync -= change.after ? 1 : 0;
    const auto key = change.key;
    const auto remover = observed->removers.find(key);
    const auto gone = remover == observed->removers.end() ? config::Where{} : remover->second;
    auto step = make_step<K>(std::move(change), from_file ? asked->second.where : gone);
    if (from_file && asked->second.compare_only) {
      skip(plan, wanted, key, owned_by_host(step));
    } else {
      plan.steps.push_back(std::move(step));
    }
  }
  std::ranges::move(observed->left_unchanged, std::back_inserter(plan.left_unchanged));
  std::ranges::move(observed->refusals, std::back_inserter(plan.refusals));
  if (!observed->remember.empty()) plan.remember.emplace(K::kName, std::move(observed->remember));
  plan.settling |= observed->settling;
}

/// A reader fears for RDMA only where there can be some. Where nobody can tell, there can.
void note_links_without_rdma(std::vector<Step>& steps, host::View& view) {
  for (auto& step : steps) {
    if (step.effect.ips.empty()) continue;
    const auto* link = view.link(step.effect.link);
    const auto& ports = view.rdma_ports();
    step.effect.may_carry_rdma =
        link == nullptr || !ports ||
        std::ranges::find(*ports, link->index, &host::RdmaPort::link_index) != ports->end();
  }
}

template <class... Kinds>
void plan_kinds(std::type_identity<std::tuple<Kinds...>> /*kinds*/, Plan& plan,
                const config::Node& node, host::View& view, const kinds::Ledger& ledger) {
  (plan_kind<Kinds>(plan, node, view, ledger), ...);
}

}  // namespace

ExitCode exit_code_of(kinds::Skipped::Why why) {
  switch (why) {
    case kinds::Skipped::Why::kWaiting:
      return ExitCode::kWaiting;
    case kinds::Skipped::Why::kPending:
      return ExitCode::kDone;
    case kinds::Skipped::Why::kUnknown:
    case kinds::Skipped::Why::kNotEnforced:
      return ExitCode::kUnknown;
  }
  return ExitCode::kUnknown;
}

ExitCode Plan::status() const {
  ExitCode code = steps.empty() ? ExitCode::kDone : ExitCode::kDifferences;
  for (const auto& item : skipped) code = worse(code, exit_code_of(item.skipped.why));
  for (const auto& refusal : refusals) {
    code = worse(
        code, refusal.why == kinds::Refusal::Why::kRefused ? ExitCode::kRefused : ExitCode::kError);
  }
  return code;
}

Plan make_plan(const config::Node& node, host::View& view, const kinds::Ledger& ledger,
               Kinds kinds) {
  Plan plan{.node = node.name, .cluster = node.cluster, .digest = node.digest, .kinds = kinds};
  plan_kinds(std::type_identity<kinds::AllKinds>{}, plan, node, view, ledger);
  note_links_without_rdma(plan.steps, view);
  note_routes_cut(plan.steps, node, view);
  if (node.released) mark_released(plan.remember);
  put_in_order(plan.steps);
  return plan;
}

std::string fingerprint(const Plan& plan) {
  std::string text;
  for (const auto& step : plan.steps) {
    fmt::format_to(std::back_inserter(text), "{} {}: {} -> {}\n", step.kind, step.key,
                   step.before.value_or("-"), step.after.value_or("-"));
  }
  return text;
}

Plan without_steps(Plan plan, const std::set<std::string>& left_out, const kinds::Ledger& ledger) {
  for (const auto& step : plan.steps) {
    if (left_out.contains(step.name())) keep_entry(plan.remember, step, ledger);
  }
  std::erase_if(plan.steps, [&](const Step& step) { return left_out.contains(step.name()); });
  return plan;
}

void keep_entry(kinds::Ledger& remember, const Step& left_out, const kinds::Ledger& ledger) {
  // Of what was never ours the new entry stays: it has what is there before us.
  const auto& known = kinds::entries_of(ledger, left_out.kind);
  if (const auto entry = known.find(left_out.key); entry != known.end()) {
    remember[std::string(left_out.kind)].insert_or_assign(left_out.key, entry->second);
  }
}

}  // namespace spark::plan
