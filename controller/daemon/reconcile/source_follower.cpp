#include "daemon/reconcile/source_follower.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "protocol/paths.hpp"
#include "state/bad_files.hpp"
#include "state/history.hpp"
#include "state/source.hpp"

namespace spark::daemon {

SourceFollower::SourceFollower(SourceRules rules, std::string own_file, TakeRules own_rules)
    : rules_(std::move(rules)), own_file_(std::move(own_file)), own_rules_(std::move(own_rules)) {}

void SourceFollower::look(host::Host& host, ActiveConfig& file, const Moment& now) {
  auto& files = host.files;
  if (!std::exchange(looked_, true)) restore_trial(files);
  auto settings = rules_.settings();
  if (!settings) {
    // Whom to follow is not to be guessed: what was followed until now is. After a start nobody
    // knows; where something was accepted once, the file of this machine may be years old.
    const bool was_followed =
        files.read(protocol::kJudgementFile).value_or(std::nullopt).has_value();
    if (!state_ && !was_followed) return;
    if (!state_) {
      state_.emplace();
      file.take_from(protocol::kFollowedFile,
                     {.check = [what = settings.error().what](const std::string& /*path*/) {
                       return Result<>(fail(ErrorCode::kInvalid, what));
                     }});
    }
    state_->error = settings.error().what;
    return;
  }
  settings_ = std::move(*settings);
  if (!settings_) {
    if (trial_.is_open()) static_cast<void>(end_trial(files));  // nobody asks for it any more
    state_.reset();
    file.take_from(own_file_, own_rules_);
    // Where nothing was ever followed, systemd is not asked.
    static_cast<void>(units_.follow(host, std::nullopt, now));
    return;
  }
  note(*settings_, files, now);
  if (auto runs = units_.follow(host, settings_, now); !runs) {
    state_->error = fmt::format("nothing is fetched: {}", runs.error().what);
  }
  file.take_from(
      protocol::kFollowedFile,
      {.check = rules_.check,
       .check_digest = [this](const std::string& digest) { return check_digest(digest); },
       .why_absent = [this] { return why_absent(); },
       .settles_in = std::chrono::milliseconds(0)});
}

void SourceFollower::restore_trial(host::Files& files) {
  trial_.restore(files);
  if (!trial_.is_open()) return;
  // A file that is known to be bad is tried no more, so its trial would never end.
  const auto bad = state::read_bad_files(files);
  const auto& digest = trial_.record()->digest;
  if (std::ranges::find(bad, digest, &state::BadFile::digest) == bad.end()) return;
  static_cast<void>(end_trial(files));  // one that is kept on disk is found again at the next start
}

void SourceFollower::note(const config::SourceSpec& settings, host::Files& files,
                          const Moment& at) {
  SourceState now{
      .url = settings.url.value, .branch = settings.branch.value, .path = settings.path.value};
  auto judgement = rules_.judgement();
  if (judgement) {
    judgement_ = std::move(*judgement);
  } else {
    judgement_.reset();
    now.error = judgement.error().what;
  }
  const bool is_of_it =
      judgement_ && judgement_->url == now.url && judgement_->branch == now.branch;
  if (is_of_it && judgement_->accepted) {
    const auto& accepted = *judgement_->accepted;
    now.commit = accepted.commit;
    now.digest = accepted.digest;
    now.subject = accepted.subject;
    now.principal = accepted.principal;
    now.tag = accepted.tag;
    now.time = accepted.time;
  }
  if (is_of_it) {
    now.refused = judgement_->refused;
    now.waits = judgement_->waits;
  }
  if (const auto offer = rules_.offer(); offer && offer->url == now.url) now.fetch = offer->fault;
  const auto ids = [](const SourceState& source) {
    std::array<std::string, 3> all;
    std::ranges::transform(std::array{source.refused, source.waits, source.fetch}, all.begin(),
                           [](const auto& fault) { return fault ? fault->id : ""; });
    return all;
  };
  now.fault_since = state_ && ids(*state_) == ids(now) ? state_->fault_since : at;
  now.bad = state::read_bad_files(files);
  now.on_trial = trial_.is_open();
  now.trial_waits = trial_.why_open();
  state_ = std::move(now);
}

Result<> SourceFollower::check_digest(const std::string& digest) const {
  return state::check_followed_text(*settings_, judgement_, digest);
}

std::string SourceFollower::why_absent() const {
  const auto& fault = state_->refused ? state_->refused
                      : state_->fetch ? state_->fetch
                                      : state_->waits;
  return fault ? fmt::format("nothing was accepted from '{}' yet: {} [{}]", state_->url,
                             fault->what, fault->id)
               : fmt::format("nothing was fetched from '{}' yet: see `systemctl status {}`",
                             state_->url, state::kFetchUnit);
}

std::optional<state::FileCommit> SourceFollower::commit_of(host::Files& files,
                                                           const std::string& node,
                                                           const std::string& digest) const {
  if (!state_) return std::nullopt;
  if (judgement_ && judgement_->accepted && judgement_->accepted->digest == digest) {
    return state::commit_of(*judgement_->accepted);
  }
  const auto history = state::read_history(files, node);
  return history ? state::commit_of(*history, digest) : std::nullopt;
}

std::string SourceFollower::why_not_tried(const std::string& digest) const {
  if (!state_) return {};
  const auto bad = std::ranges::find(state_->bad, digest, &state::BadFile::digest);
  return bad == state_->bad.end()
             ? std::string()
             : fmt::format(
                   "it failed here at {}: {}; `spark-reconcile sync --retry` tries it again",
                   bad->at, bad->why);
}

Result<> SourceFollower::failed(host::Files& files, const std::string& digest,
                                const std::string& why, const Moment& now) {
  if (!state_) return {};
  auto added = state::add_bad_file(files, {.digest = digest, .why = why, .at = utc_text(now.wall)});
  state_->bad = state::read_bad_files(files);
  return added;
}

Result<> SourceFollower::begin_trial(host::Files& files, const std::string& digest,
                                     const std::optional<gate::GateReport>& before) {
  trial_.begin(digest, before, settings_->settle.value);
  bad_.clear();
  state_->on_trial = true;
  return trial_.keep(files);
}

Result<> SourceFollower::resume_trial(host::Files& files, std::optional<TrialRecord> record) {
  trial_.resume(std::move(record));
  if (state_) state_->on_trial = trial_.is_open();
  return trial_.keep(files);
}

bool SourceFollower::judge(host::Files& files, const std::string& in_force,
                           const gate::GateReport& report, const Moment& now) {
  // After a restart the file on trial may not be in force again yet.
  if (!state_ || !trial_.is_open() || trial_.record()->digest != in_force) return false;
  const auto verdict = trial_.judge(report, now);
  state_->trial_waits = trial_.why_open();
  bad_ = verdict == FileTrial::Verdict::kBad ? trial_.why_open() : "";
  if (verdict != FileTrial::Verdict::kGood) return false;
  static_cast<void>(end_trial(files));  // a trial that is kept on disk is judged once more
  return true;
}

Result<> SourceFollower::end_trial(host::Files& files) {
  trial_.resume(std::nullopt);
  bad_.clear();
  if (state_) {
    state_->on_trial = false;
    state_->trial_waits.clear();
  }
  return trial_.keep(files);
}

std::optional<std::chrono::milliseconds> SourceFollower::look_again_in() const {
  if (!trial_.is_open()) return std::nullopt;
  // A few looks within the time, and no more than the gate makes by itself beside a change.
  constexpr std::chrono::milliseconds kLeast{1000};
  return std::max(kLeast, trial_.record()->settle / 4);
}

}  // namespace spark::daemon
