#include "daemon/reconcile/active_config.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "config/yaml/diagnostic.hpp"

namespace spark::daemon {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// All errors, as `validate` prints them.
std::string errors_of(const config::Parsed& parsed, const std::string& name,
                      const std::string& text) {
  std::string errors;
  for (const auto& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError) {
      errors += config::render(diagnostic, name, text);
    }
  }
  return errors;
}

Error written_by_another() {
  return {ErrorCode::kBusy, "another process has just said which file is in force"};
}

}  // namespace

std::string line_of(const GoodFile& file, const config::Where& where) {
  return where.line == 0 ? "" : fmt::format("{}:{}:{}", file.name, where.line, where.column);
}

void ActiveConfig::look(host::Files& files, host::Files& source, const Moment& now, bool asked) {
  // After a start nobody has seen it change, and a boot waits for nothing that need not be.
  const bool is_first = std::exchange(tries_.are_first, false);
  if (const auto adopted = adopt(files, now); !adopted) {
    refuse(adopted.error().what, now);
    return;
  }
  if (!may_take(files, now)) return;
  auto text = rules_.read ? rules_.read() : source.read(state_.path);
  if (!text) {
    seen_.reset();
    offer(files, state::events::Withdrawn{}, now);
    refuse(text.error().what, now);
    return;
  }
  if (!*text || *text != seen_) {
    consider(files, std::move(*text),
             is_first ? std::chrono::milliseconds(0) : now.boot + rules_.settles_in, now);
  }
  if (asked) tries_.next = std::min(tries_.next, now.boot);
}

void ActiveConfig::take_from(std::string path, TakeRules rules) {
  const bool is_same = path == state_.path && rules.offer == rules_.offer;
  rules_ = std::move(rules);
  if (is_same) return;
  state_.path = std::move(path);
  candidate_.reset();
  seen_.reset();
  clear_refusal();
}

bool ActiveConfig::may_take(host::Files& files, const Moment& now) {
  const auto may = rules_.check ? rules_.check(state_.path) : Result<>{};
  if (may) return true;
  candidate_.reset();
  seen_.reset();
  // A text that is half written says nothing. Its end is an event, and the next look comes anyway.
  if (may.error().code != ErrorCode::kBusy) {
    offer(files, state::events::Withdrawn{}, now);
    refuse(may.error().what, now);
  }
  return false;
}

void ActiveConfig::consider(host::Files& files, std::optional<std::string> text,
                            std::chrono::milliseconds try_at, const Moment& now) {
  candidate_.reset();
  tries_.failures = 0;
  tries_.next = try_at;
  seen_ = std::move(text);
  if (!seen_) {
    offer(files, state::events::Withdrawn{}, now);
    refuse(rules_.why_absent ? rules_.why_absent() : fmt::format("'{}' is not there", state_.path),
           now);
    return;
  }
  auto parsed = config::parse(*seen_);
  const auto& digest = parsed.cluster.digest;
  const bool is_in_force = in_force_ && in_force_->text == *seen_;
  // The digest is of the bytes that were parsed: nobody exchanges them in between.
  const auto is_it = is_in_force || !rules_.check_digest ? Result<>{} : rules_.check_digest(digest);
  if (!is_it) {
    seen_.reset();
    return;
  }
  if (config::has_errors(parsed.diagnostics)) {
    offer(files, state::events::Withdrawn{}, now);
    refuse(errors_of(parsed, state_.path, *seen_), now);
    return;
  }
  candidate_ = GoodFile{state_.path, *seen_, std::move(parsed.cluster)};
  offer(files, state::events::Offered{{candidate_->cluster.digest, rules_.trial, rules_.offer}},
        now);
}

void ActiveConfig::offer(host::Files& files, const state::InForceEvent& event, const Moment& now) {
  if (!tell(files, event, now)) seen_.reset();  // it is said again in the next pass
  if (!candidate_) return;
  const auto& digest = candidate_->cluster.digest;
  if (record().candidate && record().candidate->digest == digest) return;
  if (const auto* bad = record().find_bad(digest)) {
    refuse(
        bad->by.empty()
            ? fmt::format("it failed here at {}: {}; `spark-reconcile sync --retry` tries it again",
                          bad->at, bad->why)
            : bad->why,
        now);
  } else if (digest == record().digest()) {
    candidate_.reset();
    clear_refusal();
  } else {
    seen_.reset();
    candidate_.reset();
  }
}

Result<state::Effect> ActiveConfig::tell(host::Files& files, const state::InForceEvent& event,
                                         const Moment& now, const host::FileLock* lock) {
  if (const auto told = state::tell_unwritten(kept_.file, event)) {
    kept_.effect = *told;
    return kept_.effect;
  }
  std::optional<host::FileLock> own;
  if (lock == nullptr) {
    auto taken = files.lock(protocol::kLockFile);
    if (!taken) return std::unexpected(taken.error());
    own = std::move(*taken);
  }
  if (!is_current(files)) return std::unexpected(written_by_another());
  const auto told = state::tell_in_force(files, kept_.file, event);
  if (!told) return told;
  kept_.effect = *told;
  put_in_force(now);
  return told;
}

bool ActiveConfig::is_current(host::Files& files) const {
  return state::is_as_read(files, kept_.file);
}

Result<> ActiveConfig::adopt(host::Files& files, const Moment& now) {
  if ((in_force_ && is_current(files)) || is_removed(files)) return {};
  auto fresh = state::read_in_force(files);
  if (!fresh) return std::unexpected(fresh.error());
  fresh->state.is_held = kept_.file.state.is_held;
  if (!fresh->damage.empty()) kept_.damage = fresh->damage;
  kept_.file = std::move(*fresh);
  put_in_force(now);
  if (candidate_) {
    offer(files, state::events::Offered{{candidate_->cluster.digest, rules_.trial, rules_.offer}},
          now);
  } else if (in_force_ && seen_ == in_force_->text) {
    clear_refusal();
  } else if (in_force_) {
    seen_.reset();  // another file may have come into force in place of that text
  }
  return {};
}

Result<> ActiveConfig::go_on_with(host::Files& files, const std::string& text, const Moment& now) {
  const auto lock = files.lock(protocol::kLockFile);
  if (!lock) return std::unexpected(lock.error());
  if (!is_current(files)) return std::unexpected(written_by_another());
  const auto digest = sha256_of(text);
  const auto told = state::tell_in_force(
      files, kept_.file, state::events::Applied{.digest = digest, .settle = {}}, text);
  if (!told) return std::unexpected(told.error());
  put_in_force(now);
  if (seen_ == text) clear_refusal();
  return {};
}

bool ActiveConfig::is_removed(host::Files& files) const {
  return state::is_removed(files, kept_.file);
}

Result<> ActiveConfig::restore(host::Files& files) const {
  const auto lock = files.lock(protocol::kLockFile);
  if (!lock) return std::unexpected(lock.error());
  return is_removed(files) ? state::write_again(files, kept_.file) : Result<>{};
}

bool ActiveConfig::fail(const std::string& why, const Moment& now) {
  constexpr int kTries = 4;
  constexpr std::chrono::seconds kFirst{5};
  auto candidate = std::move(candidate_);
  refuse(why, now);
  if (++tries_.failures >= kTries) return true;
  candidate_ = std::move(candidate);
  tries_.next = now.boot + kFirst * (1 << (tries_.failures - 1));
  return false;
}

void ActiveConfig::refuse(const std::string& why, const Moment& now) {
  candidate_.reset();
  if (state_.refused != why) {
    state_.refused = why;
    state_.refused_first = first_line(why);
    state_.refused_since = now;
  }
}

std::string ActiveConfig::refused_digest() const {
  return state_.refused.empty() || !seen_ ? std::string() : sha256_of(*seen_);
}

void ActiveConfig::clear_refusal() {
  state_.refused.clear();
  state_.refused_first.clear();
}

void ActiveConfig::put_in_force(const Moment& since) {
  const auto* text = kept_.file.text();
  if (text != nullptr && in_force_ && in_force_->text == *text) return;
  auto parsed = text == nullptr ? config::Parsed{} : config::parse(*text);
  // One that a newer version wrote is as good as none.
  if (text == nullptr || config::has_errors(parsed.diagnostics)) {
    in_force_.reset();
    state_.digest.clear();
    return;
  }
  in_force_ =
      std::make_shared<const GoodFile>(GoodFile{state_.path, *text, std::move(parsed.cluster)});
  state_.digest = in_force_->cluster.digest;
  state_.since = since;
}

}  // namespace spark::daemon
