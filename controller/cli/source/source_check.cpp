#include "cli/source/source_check.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/lines.hpp"
#include "base/sha256.hpp"
#include "cli/question.hpp"
#include "cli/source/agent_text.hpp"
#include "config/yaml/read_forms.hpp"
#include "protocol/source_ids.hpp"
#include "state/source.hpp"

namespace spark::cli {
namespace {

std::string_view sort_of(std::string_view key) { return key.substr(0, key.find(' ')); }

/// Where OpenSSH's server keeps a key of that sort.
std::string_view file_of(std::string_view sort) {
  return sort == "ssh-ed25519" ? "/etc/ssh/ssh_host_ed25519_key.pub"
         : sort == "ssh-rsa"   ? "/etc/ssh/ssh_host_rsa_key.pub"
                               : "/etc/ssh/ssh_host_ecdsa_key.pub";
}

/// The key that ssh prefers. Errors: why none is known.
Result<std::string> key_shown_by(const Command& command, const std::string& url) {
  const config::SourceSpec unpinned{.url = {url, {}}, .verify = {config::Verify::kNone, {}}};
  auto offer = offer_of_check(command.host, section_text(unpinned));
  if (!offer) return std::unexpected(offer.error());
  if (offer->fault) return fail(ErrorCode::kSystem, protocol::fault_text(*offer->fault, "\n"));
  // The fetching user wrote it: a key is a text of this form, whatever else it may be.
  const auto key = std::ranges::find_if(offer->host_keys, config::kSshKey.matches);
  if (key == offer->host_keys.end()) {
    return fail(
        ErrorCode::kSystem,
        fmt::format("the server shows no key: see `systemctl status {}`", state::kFetchCheckUnit));
  }
  return *key;
}

/// "SHA256:…", as ssh and the forges show it. `key`: "ssh-ed25519 AAAA…".
std::string fingerprint_of(std::string_view key) {
  auto text = to_base64(sha256_bytes(from_base64(key.substr(key.find(' ') + 1))));
  text.erase(text.find_last_not_of('=') + 1);  // ssh shows it without padding
  return "SHA256:" + text;
}

}  // namespace

std::string host_key_lines(const std::vector<config::At<std::string>>& keys) {
  std::string text;
  for (const auto& key : keys) {
    text += fmt::format("host key    {} ({})\n", fingerprint_of(key.value), sort_of(key.value));
  }
  return text;
}

nlohmann::json host_keys_json(const std::vector<config::At<std::string>>& keys) {
  auto list = nlohmann::json::array();
  for (const auto& key : keys) {
    list.push_back({{"key", key.value}, {"fingerprint", fingerprint_of(key.value)}});
  }
  return list;
}

std::expected<std::string, ExitCode> agree_on_host_key(const Command& command,
                                                       const std::string& url) {
  const auto key = key_shown_by(command, url);
  if (!key) return std::unexpected(report_error(command, key.error()));
  const std::vector pinned{config::At<std::string>{*key, {}}};
  const auto shown = in_lines(
      fmt::format("{}Nothing proves that it is the server's. Compare it with the fingerprint that "
                  "the forge publishes, or at the server:\n  ssh-keygen -lf {}\n",
                  host_key_lines(pinned), file_of(sort_of(*key))),
      command.terminal.width());
  const nlohmann::json body{{"url", url}, {"host_keys", host_keys_json(pinned)}};
  // The option is for a line that is copied: it stays whole.
  const auto option = fmt::format("  --host-key '{}'\n", *key);
  if (!can_be_asked(command.arguments)) {
    return std::unexpected(report_outcome(
        command, "", ExitCode::kRefused, body,
        shown + "not followed, and nothing was written. If it is the server's key, add:\n" +
            option));
  }
  command.terminal.print(shown);
  if (!ask_on_terminal("Is it the server's key? [y/N] ").value_or(false)) {
    command.terminal.print_always("not followed; nothing was written\n");
    return std::unexpected(ExitCode::kRefused);
  }
  return *key;
}

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
  SourceFound result{.judgement = **std::move(judgement)};
  if (result.judgement.accepted) {
    const auto file = state::read_followed(files, state::kCheckFile);
    if (!file) return std::unexpected(file.error());
    result.text = file->value_or("");
  }
  return result;
}

}  // namespace spark::cli
