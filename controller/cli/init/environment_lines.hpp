#pragma once
// environment_lines: the variables that a file sets for those who log in or start a job. No shell
// is run: what a script decides while it runs is not known.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spark::cli {

enum class EnvironmentSyntax : std::uint8_t {
  kShell,  ///< a script that login shells read
  kPam,    ///< /etc/environment, as pam_env(8) reads it
  kNccl,   ///< /etc/nccl.conf: NAME=value, quotes and blanks are a part of it
};

struct EnvironmentLine {
  std::string name;
  std::optional<std::string> value;  ///< without its quotes; empty: `unset`
  int line = 0;
  bool alone = false;  ///< nothing else is on the line, so it can be commented out
};

/// In the order of the text. Of a script only what it exports, and what it unsets.
std::vector<EnvironmentLine> environment_lines(std::string_view text, EnvironmentSyntax syntax);

}  // namespace spark::cli
