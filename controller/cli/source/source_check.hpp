#pragma once
// What `follow` and `sync` have in common: the settings in force, a fetch and its judgement, also
// for settings that are not in force, and the words for what is not taken.

#include <expected>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "cli/command.hpp"
#include "config/source.hpp"
#include "config/yaml/place.hpp"
#include "host/host.hpp"
#include "protocol/source.hpp"

namespace spark::cli {

// host_key: the key of a server of ssh, which a person compares once before it is pinned.

/// "host key    SHA256:… (ssh-ed25519)", a line a key.
std::string host_key_lines(const std::vector<config::At<std::string>>& keys);
/// The same for --json.
nlohmann::json host_keys_json(const std::vector<config::At<std::string>>& keys);

/// Has the fetching unit ask the server of an ssh:// URL for its key, shows it, and asks whether it
/// is the server's. Where nobody can be asked, or without a yes, that is reported, with the line
/// that pins the key, and the error is the exit code.
std::expected<std::string, ExitCode> agree_on_host_key(const Command& command,
                                                       const std::string& url);

/// The section `source` of agent.yaml; where there is none, or it cannot be used, that is reported,
/// and the error is the exit code.
std::expected<config::SourceSpec, ExitCode> followed_settings(const Command& command);

/// Runs the two units to their ends, however the judging one ends: it ends with an error where it
/// has to wait, and says why in its record. Errors: those of the fetching unit.
Result<> fetch_and_judge(host::Bus& bus, const std::string& fetch_unit,
                         const std::string& judge_unit);

/// What came of a check.
struct SourceFound {
  protocol::Judgement judgement;
  std::string text;  ///< of the accepted file; empty: none was accepted
};

/// What the fetching unit offers with these settings: `agent` as below. Errors: also kSystem where
/// it offers nothing.
Result<protocol::Offer> offer_of_check(host::Host& host, const std::string& agent);

/// `agent`: text of an agent.yaml with these settings. Blocks for as long as the fetch takes.
/// Errors: those of the bus and of the files port; kTimeout.
Result<SourceFound> find_in_source(host::Host& host, const std::string& agent);

}  // namespace spark::cli
