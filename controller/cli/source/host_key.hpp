#pragma once
// host_key: the key of a server of ssh, which a person compares once before it is pinned.

#include <expected>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "cli/command.hpp"
#include "config/yaml/place.hpp"

namespace spark::cli {

/// "host key    SHA256:… (ssh-ed25519)", a line a key.
std::string host_key_lines(const std::vector<config::At<std::string>>& keys);
/// The same for --json.
nlohmann::json host_keys_json(const std::vector<config::At<std::string>>& keys);

/// Has the fetching unit ask the server of an ssh:// URL for its key, shows it, and asks whether it
/// is the server's. Where nobody can be asked, or without a yes, that is reported, with the line
/// that pins the key, and the error is the exit code.
std::expected<std::string, ExitCode> agree_on_host_key(const Command& command,
                                                       const std::string& url);

}  // namespace spark::cli
