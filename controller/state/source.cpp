#include "state/source.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/agent.hpp"
#include "config/yaml/diagnostic.hpp"
#include "host/helper_document.hpp"
#include "host/process/trusted_file.hpp"
#include "protocol/paths.hpp"
#include "protocol/source_ids.hpp"

namespace spark::state {
namespace {

std::string top_of(const std::string& root) { return root.empty() ? "/" : root; }

Result<std::optional<config::SourceSpec>> read_section(host::Files& files,
                                                       const std::string& root) {
  const auto text = files.read(kAgentFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  if (auto trusted = host::check_takeable(top_of(root), kAgentFile); !trusted) {
    return std::unexpected(trusted.error());
  }
  auto parsed = config::parse_agent(**text);
  const auto first = std::ranges::find_if(parsed.diagnostics, config::spoils_agent);
  if (first != parsed.diagnostics.end()) {
    return fail(ErrorCode::kInvalid, fmt::format("{}:{}:{}: {}", kAgentFile, first->where.line,
                                                 first->where.column, first->message));
  }
  return std::move(parsed.agent.source);
}

}  // namespace

Result<std::optional<std::string>> followed_url(host::Files& files) {
  auto text = files.read(protocol::kFollowsFile);
  if (text && *text) return std::string(spark::line_of(**text, 1));
  return text;
}

Result<> keep_followed_url(host::Files& files, const std::string& url) {
  constexpr unsigned kMode = 0600;
  const auto text = url + "\n";
  return files.read(protocol::kFollowsFile).value_or(std::nullopt) == text
             ? Result<>{}
             : files.write_durably(protocol::kFollowsFile, text, kMode);
}

Result<> end_following(host::Files& files) {
  if (auto removed = files.remove_durably(protocol::kFollowsFile); !removed) return removed;
  return files.remove(protocol::kJudgementFile);
}

Result<std::optional<config::SourceSpec>> read_source(host::Files& files, const std::string& root) {
  auto section = read_section(files, root);
  if (!section || *section) return section;
  // Others than root cannot read it: to them the daemon says what is in force.
  const auto url = followed_url(files).value_or(std::nullopt);
  if (!url) return std::nullopt;
  return fail(ErrorCode::kInvalid,
              fmt::format("this machine follows {}, and '{}' has no section `source` any more: put "
                          "it back, or end that with `spark-reconcile follow --stop`",
                          printable(*url), kAgentFile));
}

Result<std::optional<protocol::Judgement>> read_judgement(host::Files& files,
                                                          const std::string& path) {
  return host::helper_document<protocol::Judgement>(files,
                                                    {.path = path,
                                                     .user = protocol::kJudgeUser,
                                                     .most_bytes = protocol::kMostRecordBytes,
                                                     .schema = protocol::kJudgementSchema});
}

std::optional<protocol::Offer> read_offer(host::Files& files, const std::string& directory) {
  auto offer =
      host::helper_document<protocol::Offer>(files, {.path = directory + protocol::kOfferName,
                                                     .user = protocol::kFetchUser,
                                                     .most_bytes = protocol::kMostRecordBytes,
                                                     .schema = protocol::kOfferSchema})
          .value_or(std::nullopt);
  // A git that somebody took over may have written it.
  if (offer && offer->fault) {
    constexpr std::size_t kMostWords = 1000;
    offer->fault->what = printable(offer->fault->what, kMostWords);
    if (protocol::git_id(offer->fault->id) == nullptr) offer->fault.reset();
  }
  return offer;
}

Result<std::optional<std::string>> read_followed(host::Files& files, const std::string& path) {
  return files.read_helpers(path, protocol::kJudgeUser, protocol::kLargestFollowed);
}

Result<> check_followed_text(const config::SourceSpec& settings,
                             const std::optional<protocol::Judgement>& judgement,
                             const std::string& digest) {
  const bool is_of_it = judgement && judgement->url == settings.url.value &&
                        judgement->branch == settings.branch.value &&
                        judgement->path == settings.path.value &&
                        judgement->from == (settings.from ? settings.from->value : "");
  if (is_of_it && judgement->accepted && judgement->accepted->digest == digest) return {};
  return fail(ErrorCode::kBusy,
              fmt::format("'{}' is being replaced, or was not judged by these settings yet: "
                          "`spark-reconcile sync` has it judged now",
                          protocol::kFollowedFile));
}

FileCommit commit_of(const protocol::AcceptedCommit& accepted) {
  return {.id = accepted.commit,
          .subject = accepted.subject,
          .principal = accepted.principal,
          .tag = accepted.tag,
          .time = accepted.time};
}

}  // namespace spark::state
