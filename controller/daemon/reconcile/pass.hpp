#pragma once
// Pass: one look of the Reconciler at this node, as a value: why it is made, what its stages found
// so far, and what its owner learns of it.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/common/triggers.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/disturb_ask.hpp"
#include "host/host.hpp"
#include "state/in_force.hpp"
#include "state/pause.hpp"
#include "state/published_file.hpp"

namespace spark::daemon {

/// Somebody applies by hand; that takes seconds.
constexpr std::chrono::seconds kAfterBusy{1};

/// Why a pass is made, and how far it goes.
struct PassOrder {
  Triggers triggers;
  host::Writers writers;
  bool network_alone = false;  ///< no connection to a target and no mount is made yet
  std::optional<AskAnswer> answer = std::nullopt;  ///< to a question since the last pass
};

struct PassOutcome {
  NodeState state;
  std::shared_ptr<const GoodFile> file;           ///< in force; null: none is
  std::optional<state::PublishedFile> published;  ///< the same for other processes
  /// Files and directories that the result depends on.
  std::vector<std::string> sources;
  /// What the owner's programs are to be asked; with their answer a pass is due. Empty: nothing.
  std::optional<AskOrder> question;
  bool changed = false;      ///< something was changed, or tried
  bool pass_due = false;     ///< what was taken in asks for a pass
  bool look_deeper = false;  ///< something that only a deep look measures was failing
  bool waits = false;        ///< something waits for the end of a job
  bool gate_due = false;     ///< something waits for a look at the gate
  /// When to look again even if no event comes; empty: at no certain time.
  std::optional<std::chrono::milliseconds> again_in;

  void look_again_in(std::chrono::milliseconds rest) {
    again_in = std::min(rest, again_in.value_or(rest));
  }
};

/// What a pass finds beside the resources of this node: until the next one the node's state has it.
struct Found {
  FileState file;
  std::optional<state::Paused> paused;
  std::optional<apply::UnfinishedApply> unfinished;
  std::optional<Released> released;
  std::optional<RolloutHeld> rollout;
  std::optional<StateLoss> loss;  ///< the last one, also of a pass before
  std::string node;               ///< this machine, by the file that was looked at last
  std::string cluster;
  bool names_no_node = false;  ///< the file in force, when it was looked at last
};

/// What a stage did or saw in a pass that changes what those after it keep.
struct Happened {
  bool restored = false;        ///< files of ours were removed, and are written again
  bool has_no_journal = false;  ///< no apply is under way
  bool confirmed = false;       ///< what waited for its confirmation waits no longer
  bool by_hand = false;         ///< somebody applied or resumed by hand since the last pass
  bool taken = false;           ///< a new file was carried out
  bool went_back = false;       ///< one turned out bad, and the one before was carried out
  bool file_waits = false;      ///< as FileState::waits
  bool waits_for_all = false;   ///< as FileState::waits_for_all
};

/// A pass under way, a correction between two, or a verdict that is taken in.
struct Pass {
  PassOrder order;
  Moment start;
  Found found;  ///< outside a whole pass: by the last one
  Happened happened;
  std::string error;  ///< the last one; empty: there was none
  PassOutcome outcome;

  /// An error of writing our own files is one of the pass.
  void note(const Result<>& written) {
    if (!written) error = written.error().what;
  }
  /// While somebody applies by hand it is none: what is to be told is told again in the next pass.
  void note(const Result<state::Effect>& told) {
    if (!told && told.error().code != ErrorCode::kBusy) error = told.error().what;
  }
};

}  // namespace spark::daemon
