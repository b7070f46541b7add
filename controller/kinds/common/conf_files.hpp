#pragma once
// The configuration files that several kinds read: directories of `*.conf` files, where a file
// hides its namesake in a later directory, and the lines of these files.

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "host/view.hpp"

namespace spark::kinds {

struct ConfFile {
  std::string path;
  std::string text;
};

/// The files that count, in the order in which they are read.
struct ConfFiles {
  std::vector<ConfFile> files;
  /// Entries that are named like such a file and are none: path to the reason. Other programs skip
  /// them too.
  std::map<std::string, std::string> skipped;
};

/// Where systemd and its relatives look for `name` ("sysctl.d"). An earlier directory hides a later
/// one: /etc, /run, /usr/local/lib, /usr/lib.
std::array<std::string, 4> conf_directories(std::string_view name);

/// The paths of the `*.conf` in these directories, sorted by file name. Of two files with the same
/// name, the one in the earlier directory counts.
Result<std::vector<std::string>> conf_paths(host::View& view,
                                            std::span<const std::string> directories);

/// The texts of these files; an absent file is left out.
Result<ConfFiles> read_conf_files(host::View& view, const std::vector<std::string>& paths);

/// Calls `visit(line, number)` for each line, ends trimmed, that is neither empty nor a comment (of
/// '#' or ';'). Numbers count from 1.
void each_conf_line(std::string_view text,
                    const std::function<void(std::string_view line, int number)>& visit);

/// What follows `key` ("managed=") in the first line that starts with it; empty when none does.
std::string_view assigned(std::string_view text, std::string_view key);

/// Without blanks, tabs and carriage returns at the ends.
std::string_view trim(std::string_view text);

/// The first line of a file that this program writes.
inline constexpr std::string_view kOurHeader =
    "# Written by spark-reconcile from cluster.yaml; edits here are drift and are overwritten.\n";

// Key files by GLib's rules (GKeyFile), as NetworkManager's profiles and settings are.

/// A line of a key file that says something.
struct KeyFileLine {
  std::string_view group;  ///< "connection"; empty: before the first one
  std::string_view key;    ///< empty: the line begins its group
  std::string_view value;
  int number = 0;  ///< of the line, from 1
};

/// Calls `visit` for each group and key. Blanks before a line and around '=' do not count; '#'
/// begins a comment where it begins a line, and ';' does not.
void each_key(std::string_view text, const std::function<void(const KeyFileLine&)>& visit);

}  // namespace spark::kinds
