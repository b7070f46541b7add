#pragma once
// setting_files: the files of this machine that set variables of those who log in or start a job.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/init/environment_lines.hpp"
#include "host/files.hpp"

namespace spark::cli {

/// Who reads a file, in the order in which a login reads them.
enum class SettingReader : std::uint8_t { kSession, kLogin, kNccl };

struct SettingFile {
  std::string path;
  SettingReader reader{};
  std::string user;  ///< in whose home it is; empty: it is of all
  std::vector<EnvironmentLine> lines;
  bool ours = false;
};

struct SettingFiles {
  /// /etc/environment, the scripts of /etc/profile.d by name, /etc/nccl.conf, and those in homes.
  std::vector<SettingFile> files;
  std::vector<Error> unread;  ///< each with its path
};

SettingFiles setting_files(host::Files& files);

}  // namespace spark::cli
