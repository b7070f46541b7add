#include "daemon/reconcile/source_follower.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "state/history.hpp"
#include "state/source.hpp"

namespace spark::daemon {
namespace {

constexpr std::chrono::seconds kUnitTime{10};
constexpr std::chrono::minutes kRetry{1};
constexpr const char* kIntervalFile =
    "/run/systemd/system/spark-reconcile-fetch.timer.d/every.conf";

}  // namespace

Result<> SourceUnits::follow(host::Host& host, const std::optional<config::SourceSpec>& source,
                             const Moment& now) {
  const auto every = source ? std::optional(source->every.value) : std::nullopt;
  if (every == every_) return {};
  if (failed_at_ && now.boot - *failed_at_ < kRetry) return last_;
  last_ = every ? start(host, *every) : stop(host);
  if (last_) {
    every_ = every;
    failed_at_.reset();
  } else {
    failed_at_ = now.boot;
  }
  return last_;
}

Result<> SourceUnits::start(host::Host& host, std::chrono::milliseconds every) {
  constexpr unsigned kMode = 0644;
  // The empty one resets all that the unit says of times (systemd.timer(5)).
  const auto text = fmt::format(
      "[Timer]\nOnUnitInactiveSec=\nOnActiveSec=0\nOnUnitInactiveSec={}ms\n", every.count());
  if (host.files.read(kIntervalFile).value_or(std::nullopt) != text) {
    if (auto written = host.files.write(kIntervalFile, text, kMode); !written) return written;
    if (auto reloaded = host.bus.reload_units(); !reloaded) return reloaded;
    if (auto stopped = host.bus.stop(state::kFetchTimer, kUnitTime); !stopped) return stopped;
  }
  // First what listens, so that the first fetch is judged.
  if (auto started = host.bus.start(state::kJudgePath, kUnitTime); !started) return started;
  return host.bus.start(state::kFetchTimer, kUnitTime);
}

Result<> SourceUnits::stop(host::Host& host) {
  if (auto stopped = host.bus.stop(state::kFetchTimer, kUnitTime); !stopped) return stopped;
  return host.bus.stop(state::kJudgePath, kUnitTime);
}

SourceFollower::SourceFollower(SourceRules rules, std::string own_file, TakeRules own_rules)
    : rules_(std::move(rules)), own_file_(std::move(own_file)), own_rules_(std::move(own_rules)) {}

void SourceFollower::look(host::Host& host, ActiveConfig& file, const Moment& now) {
  auto& files = host.files;
  auto settings = rules_.settings();
  if (!settings) {
    // Whom to follow is not to be guessed: what was followed until now is. After a start nobody
    // knows; where something was accepted once, the file of this machine may be years old.
    const auto url = state::followed_url(files).value_or(std::nullopt);
    // An earlier version kept no URL.
    const auto judgement = rules_.judgement();
    const bool was_judged = !judgement || *judgement;
    if (!state_ && !url && !was_judged) return;
    if (!state_) {
      state_.emplace();
      state_->url = url ? *url : judgement && *judgement ? (*judgement)->url : "";
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
    // `follow --stop` made the file in force the one of this machine. Who is kept from saying so
    // says it again.
    if (const auto& trial = file.record().trial; trial && trial->offer.empty())
      static_cast<void>(file.tell(files, state::events::SourceStopped{}, now));
    state_.reset();
    kept_url_.clear();
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
      {.read = [&files] { return state::read_followed(files); },
       .check_digest = [this](const std::string& digest) { return check_digest(digest); },
       .why_absent = [this] { return why_absent(); },
       .settles_in = std::chrono::milliseconds(0),
       .trial = settings_->settle.value});
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
    keep_url(files, now);
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
  state_ = std::move(now);
}

void SourceFollower::keep_url(host::Files& files, SourceState& now) {
  // Once: `follow --stop` removes it while a pass goes by the settings of before.
  if (kept_url_ == now.url) return;
  if (const auto kept = state::keep_followed_url(files, now.url)) {
    kept_url_ = now.url;
  } else {
    now.error = kept.error().what;
  }
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

}  // namespace spark::daemon
