#include "cli/source/source_check.hpp"

#include <chrono>

#include <fmt/format.h>

#include "state/source.hpp"

namespace spark::cli {
namespace {

constexpr unsigned kCheckMode = 0644;
constexpr std::chrono::seconds kFetchTime{160};
constexpr std::chrono::seconds kJudgeTime{130};

/// The settings of a check, for its units; they are below /run, and go however it ends.
class CheckSettings {
 public:
  explicit CheckSettings(host::Files& files) : files_(files) {}
  CheckSettings(const CheckSettings&) = delete;
  CheckSettings& operator=(const CheckSettings&) = delete;
  ~CheckSettings() { static_cast<void>(files_.remove(state::kCheckSettings)); }

  Result<> write(const std::string& agent) {
    return files_.write(state::kCheckSettings, agent, kCheckMode);
  }

 private:
  host::Files& files_;
};

}  // namespace

std::expected<config::SourceSpec, ExitCode> followed_settings(const Command& command) {
  auto settings = state::read_source(command.host.files, command.arguments.root);
  if (!settings) return std::unexpected(report_error(command, settings.error()));
  if (!*settings) {
    return std::unexpected(report_error(command, {ErrorCode::kNotFound,
                                                  "this machine follows no repository: "
                                                  "`spark-reconcile follow https://HOST/PATH` "
                                                  "begins to"}));
  }
  return std::move(**settings);
}

Result<> fetch_and_judge(host::Bus& bus, const std::string& fetch_unit,
                         const std::string& judge_unit) {
  if (auto fetched = bus.start(fetch_unit, kFetchTime); !fetched) return fetched;
  static_cast<void>(bus.start(judge_unit, kJudgeTime));  // its record says how it went
  return {};
}

Result<protocol::Offer> offer_of_check(host::Host& host, const std::string& agent) {
  CheckSettings settings(host.files);
  if (auto written = settings.write(agent); !written) return std::unexpected(written.error());
  if (auto ran = host.bus.start(state::kFetchCheckUnit, kFetchTime); !ran) {
    return std::unexpected(ran.error());
  }
  auto offer = state::read_offer(host.files, state::kCheckFetchDirectory);
  if (!offer) {
    return fail(ErrorCode::kSystem, fmt::format("nothing was fetched: see `systemctl status {}`",
                                                state::kFetchCheckUnit));
  }
  return std::move(*offer);
}

Result<SourceFound> find_in_source(host::Host& host, const std::string& agent) {
  auto& files = host.files;
  CheckSettings settings(files);
  if (auto written = settings.write(agent); !written) return std::unexpected(written.error());
  // Of an earlier check.
  for (const auto* path : {state::kCheckJudgement, state::kCheckFile}) {
    if (auto removed = files.remove(path); !removed) return std::unexpected(removed.error());
  }
  if (auto ran = fetch_and_judge(host.bus, state::kFetchCheckUnit, state::kJudgeCheckUnit); !ran) {
    return std::unexpected(ran.error());
  }
  auto judgement = state::read_judgement(files, state::kCheckJudgement);
  if (!judgement) return std::unexpected(judgement.error());
  if (!*judgement) {
    return fail(ErrorCode::kSystem, fmt::format("nothing was judged: see `systemctl status {}`",
                                                state::kJudgeCheckUnit));
  }
  SourceFound result{.judgement = **std::move(judgement), .text = {}};
  if (result.judgement.accepted) {
    const auto file = state::read_followed(files, state::kCheckFile);
    if (!file) return std::unexpected(file.error());
    result.text = file->value_or("");
  }
  return result;
}

}  // namespace spark::cli
