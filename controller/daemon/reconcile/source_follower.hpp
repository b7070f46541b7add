#pragma once
// SourceFollower: which file this node follows, the one that somebody put here or the one that came
// from git.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "config/source.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/reconcile/active_config.hpp"
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
};

/// The timer that fetches and the path that has the result judged run while a repository is
/// followed. systemd keeps the time, and nothing here opens a connection.
class SourceUnits {
 public:
  /// Starts both units for `source`, or stops them where there is none. Asks systemd only when that
  /// has changed; after an error once a minute. Errors: those of the bus and of the files port.
  Result<> follow(host::Host& host, const std::optional<config::SourceSpec>& source,
                  const Moment& now);

 private:
  static Result<> start(host::Host& host, std::chrono::milliseconds every);
  static Result<> stop(host::Host& host);

  /// How often is fetched; empty: the units do not run.
  std::optional<std::chrono::milliseconds> every_;
  std::optional<std::chrono::milliseconds> failed_at_;  ///< boot clock
  Result<> last_;
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

 private:
  [[nodiscard]] Result<> check_digest(const std::string& digest) const;
  [[nodiscard]] std::string why_absent() const;
  void note(const config::SourceSpec& settings, host::Files& files, const Moment& at);
  /// Keeps on disk what is followed: then its settings may go missing, and it is all the same.
  void keep_url(host::Files& files, SourceState& now);

  SourceRules rules_;
  std::string own_file_;
  TakeRules own_rules_;
  std::optional<config::SourceSpec> settings_;
  std::optional<protocol::Judgement> judgement_;
  std::optional<SourceState> state_;
  SourceUnits units_;
  std::string kept_url_;  ///< on disk, as far as this process wrote it
};

}  // namespace spark::daemon
