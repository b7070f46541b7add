#pragma once
// The configuration files that several kinds read: directories of `*.conf` of which one hides
// another, and their lines.

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "host/view.hpp"

namespace spark {

struct ConfFile {
  std::string path;
  std::string text;
};

/// The files that count, in the order in which they are read.
struct ConfFiles {
  std::vector<ConfFile> files;
  /// Entries named like files that are none, by path, with what is so: others pass over them too.
  std::map<std::string, std::string> skipped;
};

/// Where systemd and its relatives look for `name` ("sysctl.d"), what hides first: /etc, /run,
/// /usr/local/lib, /usr/lib.
std::array<std::string, 4> conf_directories(std::string_view name);

/// The paths of the `*.conf` in these directories, sorted by file name; of two with one name that
/// of the earlier directory.
Result<std::vector<std::string>> conf_paths(View& view, std::span<const std::string> directories);

/// Their texts; what is not there is left out.
Result<ConfFiles> read_conf_files(View& view, const std::vector<std::string>& paths);

/// Calls `visit(line, number)` for each line, ends trimmed, that is neither empty nor a comment (of
/// '#' or ';'). Numbers count from 1.
void each_conf_line(std::string_view text,
                    const std::function<void(std::string_view line, int number)>& visit);

/// What follows `key` ("managed=") in the first line that starts with it; empty when none does.
std::string_view assigned(std::string_view text, std::string_view key);

/// Without blanks, tabs and carriage returns at the ends.
std::string_view trim(std::string_view text);

/// The part after the last '/'.
std::string_view file_name(std::string_view path);

/// What stands first in every file of ours.
inline constexpr std::string_view kOurHeader =
    "# Written by spark-reconcile from cluster.yaml; edits here are drift and are overwritten.\n";

}  // namespace spark
