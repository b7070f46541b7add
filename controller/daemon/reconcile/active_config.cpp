#include "daemon/reconcile/active_config.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/yaml/diagnostic.hpp"

namespace spark::daemon {
namespace {

/// Nobody else has to read it.
constexpr unsigned kLastGoodMode = 0600;

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

}  // namespace

std::string line_of(const GoodFile& file, const config::Where& where) {
  return where.line == 0 ? "" : fmt::format("{}:{}:{}", file.name, where.line, where.column);
}

void ActiveConfig::look(host::Files& files, host::Files& source, const Moment& now, bool asked) {
  // After a start nobody has seen it change, and a boot waits for nothing that need not be.
  const bool is_first = !std::exchange(looked_, true);
  if (is_first) {
    observe_last_good(files, now);
  }
  if (!may_take(now)) return;
  auto text = source.read(state_.path);
  if (!text) {
    seen_.reset();
    refuse(text.error().what, now);
    return;
  }
  if (!*text || *text != seen_) {
    consider(std::move(*text),
             is_first ? std::chrono::milliseconds(0) : now.boot + rules_.settles_in, now);
  }
  if (asked) next_try_ = std::min(next_try_, now.boot);
}

void ActiveConfig::take_from(std::string path, TakeRules rules) {
  rules_ = std::move(rules);
  if (path == state_.path) return;
  state_.path = std::move(path);
  candidate_.reset();
  seen_.reset();
  clear_refusal();
}

bool ActiveConfig::may_take(const Moment& now) {
  const auto may = rules_.check ? rules_.check(state_.path) : Result<>{};
  if (may) return true;
  candidate_.reset();
  seen_.reset();
  // A text that is half written says nothing. Its end is an event, and the next look comes anyway.
  if (may.error().code != ErrorCode::kBusy) refuse(may.error().what, now);
  return false;
}

void ActiveConfig::observe_last_good(host::Files& files, const Moment& now) {
  auto text = files.read(protocol::kLastGoodFile);
  if (!text || !*text) {
    return;
  }
  auto parsed = config::parse(**text);
  const auto kept = files.read(protocol::kLastGoodDigests);
  const auto is_known = [&] {
    const auto digests = lines_of(**kept);
    return std::ranges::find(digests, parsed.cluster.digest) != digests.end();
  };
  // An older version kept no digest.
  if (kept && *kept && !is_known()) {
    damage_ = fmt::format(
        "'{}' is not the file that was kept there: somebody changed it, or the disk did. It is not "
        "used",
        protocol::kLastGoodFile);
    return;
  }
  // One that a newer version wrote is as good as none.
  if (!config::has_errors(parsed.diagnostics)) {
    put_in_force({state_.path, std::move(**text), std::move(parsed.cluster)}, now);
    is_kept_ = true;
  }
}

void ActiveConfig::consider(std::optional<std::string> text, std::chrono::milliseconds try_at,
                            const Moment& now) {
  candidate_.reset();
  failures_ = 0;
  next_try_ = try_at;
  seen_ = std::move(text);
  if (!seen_) {
    refuse(rules_.why_absent ? rules_.why_absent() : fmt::format("'{}' is not there", state_.path),
           now);
    return;
  }
  if (in_force_ && in_force_->text == *seen_) {
    clear_refusal();
    return;
  }
  auto parsed = config::parse(*seen_);
  // The digest is of the bytes that were parsed: nobody exchanges them in between.
  if (const auto is_it =
          rules_.check_digest ? rules_.check_digest(parsed.cluster.digest) : Result<>{};
      !is_it) {
    seen_.reset();
    return;
  }
  if (config::has_errors(parsed.diagnostics)) {
    refuse(errors_of(parsed, state_.path, *seen_), now);
    return;
  }
  candidate_ = GoodFile{state_.path, *seen_, std::move(parsed.cluster)};
}

Result<> ActiveConfig::accept(host::Files& files, const Moment& now) {
  put_in_force(std::move(*candidate_), now);
  candidate_.reset();
  clear_refusal();
  return keep(files);
}

void ActiveConfig::accept_on_trial(const Moment& now) {
  put_in_force(std::move(*candidate_), now);
  candidate_.reset();
  clear_refusal();
}

std::optional<GoodFile> ActiveConfig::former(host::Files& files) const {
  auto text = files.read(protocol::kLastGoodFile);
  if (!text || !*text || !in_force_ || **text == in_force_->text) return std::nullopt;
  auto parsed = config::parse(**text);
  if (config::has_errors(parsed.diagnostics)) return std::nullopt;
  return GoodFile{state_.path, std::move(**text), std::move(parsed.cluster)};
}

void ActiveConfig::go_back_to(GoodFile file, const std::string& why, const Moment& now) {
  put_in_force(std::move(file), now);
  refuse(why, now);
}

Result<> ActiveConfig::go_on_with(host::Files& files, std::string text, config::Cluster cluster,
                                  const Moment& now) {
  put_in_force({state_.path, std::move(text), std::move(cluster)}, now);
  if (seen_ == in_force_->text) {
    candidate_.reset();
    clear_refusal();
  }
  return keep(files);
}

bool ActiveConfig::is_removed(host::Files& files) const {
  const auto text = files.read(protocol::kLastGoodFile);
  return is_kept_ && text && !*text;
}

Result<> ActiveConfig::keep(host::Files& files) {
  is_kept_ = false;
  const auto former = files.read(protocol::kLastGoodFile);
  auto digests = in_force_->cluster.digest + "\n";
  // Both, so that a power cut between the two writes leaves a file and a digest that agree.
  if (former && *former && **former != in_force_->text) {
    digests += config::parse(**former).cluster.digest + "\n";
  }
  if (auto written = files.write_durably(protocol::kLastGoodDigests, digests, kLastGoodMode);
      !written) {
    return written;
  }
  auto written = files.write_durably(protocol::kLastGoodFile, in_force_->text, kLastGoodMode);
  is_kept_ = written.has_value();
  return written;
}

void ActiveConfig::fail(const std::string& why, const Moment& now) {
  constexpr int kTries = 4;
  constexpr std::chrono::seconds kFirst{5};
  auto candidate = std::move(candidate_);
  refuse(why, now);
  if (++failures_ < kTries) {
    candidate_ = std::move(candidate);
    next_try_ = now.boot + kFirst * (1 << (failures_ - 1));
  }
}

void ActiveConfig::refuse(const std::string& why, const Moment& now) {
  candidate_.reset();
  if (state_.refused != why) {
    state_.refused = why;
    state_.refused_first = first_line(why);
    state_.refused_since = now;
  }
}

void ActiveConfig::clear_refusal() {
  state_.refused.clear();
  state_.refused_first.clear();
}

void ActiveConfig::put_in_force(GoodFile good, const Moment& since) {
  in_force_ = std::make_shared<const GoodFile>(std::move(good));
  state_.digest = in_force_->cluster.digest;
  state_.since = since;
}

}  // namespace spark::daemon
