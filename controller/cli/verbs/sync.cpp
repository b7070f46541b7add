// The verb `sync`: fetches the followed repository now, has it judged, and says what came of it.

#include <string>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/source/source_check.hpp"
#include "cli/text/layout.hpp"
#include "protocol/source_ids.hpp"
#include "state/bad_files.hpp"
#include "state/by_hand.hpp"
#include "state/source.hpp"

namespace spark::cli {
namespace {

Result<> forget_bad(host::Files& files) {
  if (auto forgotten = state::forget_bad_files(files); !forgotten) return forgotten;
  return state::note_by_hand(files);  // the daemon looks again
}

/// Why nothing newer is taken, and the exit code; empty: the newest is.
std::optional<std::pair<protocol::SourceFault, ExitCode>> fault_in(
    const protocol::Judgement& judgement, const std::optional<protocol::Offer>& offer) {
  if (offer && offer->fault && offer->url == judgement.url) {
    return std::pair{*offer->fault, ExitCode::kError};
  }
  if (judgement.refused) return std::pair{*judgement.refused, ExitCode::kRefused};
  if (judgement.waits) return std::pair{*judgement.waits, ExitCode::kWaiting};
  return std::nullopt;
}

}  // namespace

ExitCode sync_source(const Command& command) {
  auto& files = command.host.files;
  const auto& root = command.arguments.root;
  if (const auto settings = followed_settings(command); !settings) return settings.error();
  if (command.arguments.retry) {
    if (auto forgotten = forget_bad(files); !forgotten) {
      return report_error(command, forgotten.error());
    }
  }
  if (const auto ran = fetch_and_judge(command.host.bus, state::kFetchUnit, state::kJudgeUnit);
      !ran) {
    return report_error(command, ran.error());
  }
  const auto read = state::read_judgement(files, root);
  if (!read) return report_error(command, read.error());
  if (!*read) {
    return report_error(command, {ErrorCode::kSystem,
                                  "nothing was judged: see "
                                  "`systemctl status spark-reconcile-judge`"});
  }
  const auto& judgement = **read;
  const auto fault = fault_in(judgement, state::read_offer(files, root));
  std::string text;
  nlohmann::json body{{"commit", nullptr}, {"digest", nullptr}, {"fault", nullptr}};
  if (judgement.accepted) {
    const auto& accepted = *judgement.accepted;
    body["commit"] = accepted.commit;
    body["digest"] = accepted.digest;
    text = fmt::format("accepted: {:.12} {} ({})\n", accepted.commit, in_quotes(accepted.subject),
                       accepted.principal.empty()
                           ? "not verified"
                           : fmt::format("signed by {}", printable(accepted.principal)));
  }
  if (fault) {
    body["fault"] = {{"id", fault->first.id}, {"what", fault->first.what}};
    text += fmt::format("nothing newer is taken: {}\n", protocol::fault_text(fault->first, "\n"));
  }
  const auto code = report_outcome(command, "", fault ? fault->second : ExitCode::kDone, body,
                                   fitting(text, command.terminal));
  print_next(command.terminal, command.arguments, "How far it is", "spark-reconcile status");
  return code;
}

}  // namespace spark::cli
