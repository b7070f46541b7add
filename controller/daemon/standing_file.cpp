#include "daemon/standing_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "spec/diagnostic.hpp"

namespace spark {
namespace {

/// Nobody else has to read it.
constexpr unsigned kMode = 0600;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// All errors, as `validate` prints them.
std::string errors_of(const Parsed& parsed, const std::string& name, const std::string& text) {
  std::string errors;
  for (const auto& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == Severity::kError) {
      errors += render(diagnostic, name, text);
    }
  }
  return errors;
}

}  // namespace

void StandingFile::look(Files& files, const Moment& now) {
  // After a start nobody has seen it change, and a boot waits for nothing that need not be.
  const bool is_first = !std::exchange(looked_, true);
  if (is_first) {
    if (auto text = files.read(kLastGoodFile); text && *text) {
      auto parsed = parse(**text);
      // One that a newer version wrote, or that is damaged, is as good as none.
      if (!has_errors(parsed.diagnostics)) {
        put_in_force({state_.path, std::move(**text), std::move(parsed.cluster)}, now);
      }
    }
  }
  if (!may_take(now)) return;
  auto text = files.read(state_.path);
  if (!text) {
    seen_.reset();
    refuse(text.error().what, now);
    return;
  }
  if (!*text || *text != seen_) {
    look_at(std::move(*text),
            is_first ? std::chrono::milliseconds(0) : now.boot + rules_.settles_in, now);
  }
}

bool StandingFile::may_take(const Moment& now) {
  const auto may = rules_.check ? rules_.check(state_.path) : Result<>{};
  if (may) return true;
  candidate_.reset();
  seen_.reset();
  // A text that is half written says nothing. Its end is an event, and the next look comes anyway.
  if (may.error().code != ErrorCode::kBusy) refuse(may.error().what, now);
  return false;
}

void StandingFile::look_at(std::optional<std::string> text, std::chrono::milliseconds try_at,
                           const Moment& now) {
  candidate_.reset();
  failures_ = 0;
  next_try_ = try_at;
  seen_ = std::move(text);
  if (!seen_) {
    refuse(fmt::format("'{}' is not there", state_.path), now);
    return;
  }
  if (in_force_ && in_force_->text == *seen_) {
    state_.refused.clear();
    state_.refused_first.clear();
    return;
  }
  auto parsed = parse(*seen_);
  if (has_errors(parsed.diagnostics)) {
    refuse(errors_of(parsed, state_.path, *seen_), now);
    return;
  }
  candidate_ = GoodFile{state_.path, *seen_, std::move(parsed.cluster)};
}

Result<> StandingFile::accept(Files& files, const Moment& now) {
  put_in_force(std::move(*candidate_), now);
  candidate_.reset();
  state_.refused.clear();
  state_.refused_first.clear();
  return files.write_durably(kLastGoodFile, in_force_->text, kMode);
}

void StandingFile::fail(const std::string& why, const Moment& now) {
  constexpr int kTries = 4;
  constexpr std::chrono::seconds kFirst{5};
  auto candidate = std::move(candidate_);
  refuse(why, now);
  if (++failures_ < kTries) {
    candidate_ = std::move(candidate);
    next_try_ = now.boot + kFirst * (1 << (failures_ - 1));
  }
}

void StandingFile::refuse(const std::string& why, const Moment& now) {
  candidate_.reset();
  if (state_.refused != why) {
    state_.refused = why;
    state_.refused_first = first_line(why);
    state_.refused_since = now;
  }
}

void StandingFile::put_in_force(GoodFile good, const Moment& since) {
  in_force_ = std::move(good);
  state_.digest = in_force_->cluster.digest;
  state_.since = since;
}

}  // namespace spark
