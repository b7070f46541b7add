#pragma once
// The followed repository, as this machine has it: the settings in agent.yaml, and what the judging
// program accepted.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "config/source.hpp"
#include "host/files.hpp"
#include "protocol/source.hpp"
#include "state/file_commit.hpp"

namespace spark::state {

inline constexpr const char* kAgentFile = "/etc/spark-reconcile/agent.yaml";
inline constexpr const char* kFetchUnit = "spark-reconcile-fetch.service";
inline constexpr const char* kJudgeUnit = "spark-reconcile-judge.service";
inline constexpr const char* kFetchTimer = "spark-reconcile-fetch.timer";
inline constexpr const char* kJudgePath = "spark-reconcile-judge.path";
/// The same for settings that `follow` looks at before it writes them.
inline constexpr const char* kCheckSettings = "/run/spark-reconcile/check/agent.yaml";
inline constexpr const char* kCheckFetchDirectory = "/var/lib/spark-reconcile-fetch-check";
inline constexpr const char* kFetchCheckUnit = "spark-reconcile-fetch-check.service";
inline constexpr const char* kJudgeCheckUnit = "spark-reconcile-judge-check.service";
inline constexpr const char* kCheckJudgement = "/run/spark-reconcile-judge-check/judgement.json";
inline constexpr const char* kCheckFile = "/run/spark-reconcile-judge-check/cluster.yaml";

/// Which repository this machine follows, as the daemon kept it when something was accepted from
/// it; empty: none, or `follow --stop` ended it. Errors: those of the files port.
Result<std::optional<std::string>> followed_url(host::Files& files);
/// Keeps that. Errors: those of the files port.
Result<> keep_followed_url(host::Files& files, const std::string& url);
/// For `follow --stop`: nothing is followed any more, and what was judged does not count. Errors:
/// those of the files port.
Result<> end_following(host::Files& files);

/// The section `source` of agent.yaml; empty: there is none, and nothing is followed. `root`: as in
/// check_trust. Errors: kInvalid where the file has errors, others than root could have written it,
/// or the section is gone and nobody said `follow --stop`: what is missing says nothing.
Result<std::optional<config::SourceSpec>> read_source(host::Files& files, const std::string& root);

/// What the judging program says; empty: it has judged nothing yet. Errors: those of
/// host::helper_document.
Result<std::optional<protocol::Judgement>> read_judgement(
    host::Files& files, const std::string& path = protocol::kJudgementFile);

/// How the last fetch ended, for people to read: any process of the fetching user may have written
/// it. `directory`: the fetching program's own. Empty: not known.
std::optional<protocol::Offer> read_offer(host::Files& files,
                                          const std::string& directory = protocol::kFetchDirectory);

/// The text of the accepted file; empty: nothing was accepted yet. Errors: those of
/// Files::read_helpers.
Result<std::optional<std::string>> read_followed(host::Files& files,
                                                 const std::string& path = protocol::kFollowedFile);

/// Checks that a text is the accepted one, by these very settings. Errors: kBusy: the judging
/// program is replacing it, or has not judged by them yet.
Result<> check_followed_text(const config::SourceSpec& settings,
                             const std::optional<protocol::Judgement>& judgement,
                             const std::string& digest);

/// What the history keeps of an accepted commit.
FileCommit commit_of(const protocol::AcceptedCommit& accepted);

}  // namespace spark::state
