#pragma once
// Plan: what would change on this node, step by step, and everything that a reader has to know
// first.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.hpp"
#include "kinds/common/kind.hpp"
#include "plan/step.hpp"

namespace spark::plan {

/// Which kinds a plan covers.
enum class Kinds : std::uint8_t {
  kAll,
  kNetlink,  ///< those that netlink reports, and completely (`kFromNetlink`); a reboot forgets
             ///< them
};

/// A wanted resource that the plan skips, and why.
struct SkippedResource {
  std::string_view kind;
  std::string key;
  kinds::Skipped skipped;
  config::Where where;
  OnLink on;
};

struct Plan {
  std::string node;
  std::string cluster;
  std::string digest;  ///< of the file
  Kinds kinds = Kinds::kAll;
  std::vector<Step> steps;
  std::vector<SkippedResource> skipped;
  std::vector<kinds::LeftUnchanged> left_unchanged;
  std::vector<kinds::Refusal> refusals;
  std::size_t in_sync = 0;  ///< resources that need nothing
  kinds::Ledger remember;   ///< the ledger once the plan is carried out, of all kinds
  bool settling = false;    ///< the kernel is still at work on a wanted resource

  /// How the node stands if nothing is done: kDone when in sync, else kDifferences, kWaiting,
  /// kUnknown, kRefused or kError; if several apply, the most severe.
  [[nodiscard]] ExitCode status() const;
};

/// Compares what `node` asks for with what `view` shows. Reads only; the steps are in the order in
/// which they are to be carried out. Links that go down come last of all.
Plan make_plan(const config::Node& node, host::View& view, const kinds::Ledger& ledger,
               Kinds kinds = Kinds::kAll);

/// One line a step, the same for the same change: two plans with equal text change the same things.
std::string fingerprint(const Plan& plan);

/// The exit code of one skipped resource.
ExitCode exit_code_of(kinds::Skipped::Why why);

// part: a plan of which some steps are left for later.

/// The plan without the steps of those names. What the ledger remembers of their resources stays as
/// it is: an address that is not removed yet is ours still.
Plan without_steps(Plan plan, const std::set<std::string>& left_out, const kinds::Ledger& ledger);

/// Puts into `remember`, which was made for the time after `left_out`, what `ledger` has of that
/// step's resource.
void keep_entry(kinds::Ledger& remember, const Step& left_out, const kinds::Ledger& ledger);

}  // namespace spark::plan
