#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gate/checks/checks.hpp"
#include "kinds/storage/host_identity.hpp"
#include "kinds/storage/mount.hpp"
#include "kinds/storage/nvme.hpp"

namespace spark::gate {
namespace {

Verdict verdict_of(kinds::Skipped::Why why) {
  switch (why) {
    case kinds::Skipped::Why::kWaiting:
    case kinds::Skipped::Why::kPending:
      return Verdict::kWaiting;
    case kinds::Skipped::Why::kUnknown:
      return Verdict::kUnknown;
    case kinds::Skipped::Why::kNotEnforced:
      return Verdict::kNotReady;
  }
  return Verdict::kUnknown;
}

/// One fact for each resource of a kind, as its own observation judges it. What is held gets a fact
/// from `held`.
template <class K, class Held>
void judge_kind(const GateSnapshot& snapshot, const FactKind& kind, std::vector<Fact>& facts,
                Held held) {
  const auto wanted = K::desired(snapshot.node);
  const auto observed = K::observe(snapshot.view, wanted, {snapshot.node, {}});
  for (const auto& [key, want] : wanted.state) {
    const auto label = K::label(key);
    const auto add = [&](Fact fact) { facts.push_back(about(label, std::move(fact))); };
    if (!observed) {
      add(fails(kind, Verdict::kUnknown, Detail::kUnread,
                fmt::format("{}: {}", label, observed.error().what), ""));
      continue;
    }
    const auto skipped = observed->skipped.find(key);
    const auto there = observed->state.find(key);
    if (skipped != observed->skipped.end()) {
      add(fails(kind, verdict_of(skipped->second.why), Detail::kSkipped,
                fmt::format("{}: {}", label, skipped->second.reason),
                fmt::format("docs/reference/errors.md, {}", skipped->second.id)));
    } else if (there == observed->state.end()) {
      add(fails_until_apply(kind, Detail::kAbsent, fmt::format("{}: absent", label)));
    } else if (!(there->second == want)) {
      add(fails_until_apply(kind, Detail::kDiffers,
                            fmt::format("{}: {}", label, K::label(there->second))));
    } else {
      held(key, want, there->second);
    }
  }
}

/// Who this machine is to targets: the same id, and nobody else's state.
constexpr FactKind kIdentityFact{.id = kNvmeFact.id, .name = kNvmeFact.name};

Fact try_out(const GateSnapshot& snapshot, const std::string& path, bool writes) {
  const auto begin = std::chrono::steady_clock::now();
  const auto tried = snapshot.host.storage.try_out(path, writes);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (tried) {
    return holds(
        kVolumeFact,
        fmt::format("{}: {} in {:.1f} ms", path,
                    writes ? "4 KiB written and synced" : "its directory read", took.count()));
  }
  const bool silent = tried.error().code == ErrorCode::kTimeout;
  const bool failed = silent || tried.error().code != ErrorCode::kNotFound;
  return fails(kVolumeFact, failed ? Verdict::kNotReady : Verdict::kUnknown,
               silent   ? Detail::kNoAnswer
               : failed ? Detail::kTryFailed
                        : Detail::kUnread,
               tried.error().what,
               silent ? "see to the target, or to the way there"
                      : "`journalctl -k` shows what the kernel logged");
}

}  // namespace

void check_storage(const GateSnapshot& snapshot, GateReport& report) {
  std::vector<Fact> facts;
  judge_kind<kinds::HostIdentity>(
      snapshot, kIdentityFact, facts,
      [&](const auto& key, const auto& /*want*/, const auto& /*there*/) {
        const auto label = kinds::HostIdentity::label(key);
        facts.push_back(
            about(label, holds(kIdentityFact, fmt::format("host identity: {}", label))));
      });
  judge_kind<kinds::Nvme>(
      snapshot, kNvmeFact, facts, [&](const auto& key, const auto& /*want*/, const auto& there) {
        const auto label = kinds::Nvme::label(key);
        const auto& controller = there.details.controller;
        facts.push_back(about(
            label,
            holds(kNvmeFact, fmt::format("{}: {}", label,
                                         controller.empty() ? "there" : controller + ", live"))));
      });
  judge_kind<kinds::Mount>(
      snapshot, kMountFact, facts, [&](const auto& key, const auto& want, const auto& /*there*/) {
        const auto label = kinds::Mount::label(key);
        facts.push_back(about(
            label, holds(kMountFact, fmt::format("{}: {}", key.path, kinds::Mount::label(want)))));
        facts.push_back(about(label, try_out(snapshot, key.path, want.writes)));
      });
  const bool counts = snapshot.node.ready.storage.value == config::ReadyPolicy::kRequire;
  for (auto& fact : facts) {
    fact.counts = counts;
    report.node.push_back(std::move(fact));
  }
}

}  // namespace spark::gate
