#pragma once
// host_keys: which keys a server of ssh shows, for a person to compare before one of them is
// pinned.

#include <string>
#include <string_view>
#include <vector>

#include "helpers/git/fault.hpp"

namespace spark::helpers {

/// Asks the server of an ssh:// URL, which logs nobody in. Nothing proves the answer: somebody on
/// the way may have given it. Errors: kUnreachable, kTooSlow.
OrFault<std::vector<std::string>> ask_for_host_keys(const std::string& url);

/// The keys in what ssh-keyscan(1) printed, as "ssh-ed25519 AAAA…": the one that ssh prefers first,
/// and of each sort one.
std::vector<std::string> host_keys_in(std::string_view printed);

}  // namespace spark::helpers
