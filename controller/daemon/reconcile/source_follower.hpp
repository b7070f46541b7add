#pragma once
// SourceFollower: which file this node follows, the one that somebody put here or the one that came
// from git; and what becomes of a file from git: on trial until the gate has held for a while,
// good, or bad and not tried again.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "config/source.hpp"
#include "daemon/common/node_state.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/file_trial.hpp"
#include "daemon/reconcile/source_units.hpp"
#include "gate/gate.hpp"
#include "host/host.hpp"
#include "protocol/source.hpp"
#include "state/file_commit.hpp"

namespace spark::daemon {

/// How the daemon learns of a followed repository. By default there is none.
struct SourceRules {
  /// The section `source` of agent.yaml. Errors: why it cannot be used.
  std::function<Result<std::optional<config::SourceSpec>>()> settings =
      []() -> Result<std::optional<config::SourceSpec>> { return std::nullopt; };
  /// What the judging program says. Errors: why it does not count.
  std::function<Result<std::optional<protocol::Judgement>>()> judgement =
      []() -> Result<std::optional<protocol::Judgement>> { return std::nullopt; };
  /// How the last fetch ended, for people to read.
  std::function<std::optional<protocol::Offer>()> offer = []() -> std::optional<protocol::Offer> {
    return std::nullopt;
  };
  /// Whether the accepted file may be read.
  std::function<Result<>(const std::string& path)> check;
};

class SourceFollower {
 public:
  /// `own_file`, `own_rules`: of the file that is followed where there is no repository.
  SourceFollower(SourceRules rules, std::string own_file, TakeRules own_rules);

  /// Looks at the settings and at what was accepted, points `file` to what is followed, and has
  /// systemd fetch or not.
  void look(host::Host& host, ActiveConfig& file, const Moment& now);
  /// A repository is followed.
  [[nodiscard]] bool is_set() const { return state_.has_value(); }
  [[nodiscard]] const std::optional<SourceState>& state() const { return state_; }

  /// The commit of the file with that digest: the accepted one, else by the history of `node`;
  /// empty: it came from no repository.
  [[nodiscard]] std::optional<state::FileCommit> commit_of(host::Files& files,
                                                           const std::string& node,
                                                           const std::string& digest) const;
  /// Why a file from git is not tried; empty: it may be.
  [[nodiscard]] std::string why_not_tried(const std::string& digest) const;
  /// A file from git failed. Errors: those of the files port.
  Result<> failed(host::Files& files, const std::string& digest, const std::string& why,
                  const Moment& now);
  /// A file from git is about to be applied. `before`: what the gate showed last.
  Result<> begin_trial(host::Files& files, const std::string& digest,
                       const std::optional<gate::GateReport>& before);
  /// The file could not be applied: the trial of before goes on; empty: there was none.
  Result<> resume_trial(host::Files& files, std::optional<TrialRecord> record);
  [[nodiscard]] const std::optional<TrialRecord>& trial() const { return trial_.record(); }
  /// A part of the file waits: its time does not run.
  void rest_trial() { trial_.rest(); }

  /// Takes in what the gate shows. `in_force`: digest of the file in force. True: the file on trial
  /// is good, and the last good one from now on. Whether it is bad is `bad()`.
  bool judge(host::Files& files, const std::string& in_force, const gate::GateReport& report,
             const Moment& now);
  /// Why the file on trial is to be rolled back; empty: it is not, or not yet.
  [[nodiscard]] const std::string& bad() const { return bad_; }
  /// The trial is over, one way or the other. Errors: those of the files port.
  Result<> end_trial(host::Files& files);
  /// When to look at the gate again for the trial; empty: there is none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> look_again_in() const;

 private:
  [[nodiscard]] Result<> check_digest(const std::string& digest) const;
  [[nodiscard]] std::string why_absent() const;
  /// The trial that an earlier process of this daemon kept.
  void restore_trial(host::Files& files);
  void note(const config::SourceSpec& settings, host::Files& files, const Moment& at);

  SourceRules rules_;
  std::string own_file_;
  TakeRules own_rules_;
  std::optional<config::SourceSpec> settings_;
  std::optional<protocol::Judgement> judgement_;
  std::optional<SourceState> state_;
  FileTrial trial_;
  SourceUnits units_;
  std::string bad_;
  bool looked_ = false;
};

}  // namespace spark::daemon
