#pragma once
// What the sysctl.d files, ours among them, will set at the next boot.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// Sorts after the distribution's (10, 20) and before an administrator's last word (99).
inline constexpr const char* kSysctlFile = "/etc/sysctl.d/90-spark-reconcile.conf";

/// One `key = value` line, or `-key`, which keeps earlier lines and patterns from setting the key.
struct SysctlLine {
  std::string key;    ///< as sysctl_file() gives it, a leading '-' taken off
  std::string value;  ///< blanks folded; empty: nothing is set
  std::string file;
  int line = 0;
};

/// The lines of all sysctl.d files in the order in which they are applied (sysctl.d(5): /etc hides
/// /run hides /usr/local/lib hides /usr/lib by file name; then sorted by name), /etc/sysctl.conf
/// last.
class BootSysctls {
 public:
  static Result<BootSysctls> read(host::View& view);

  /// The line that decides `key`: the last that names it, else the last whose pattern matches it.
  [[nodiscard]] const SysctlLine* winner(const std::string& key) const;
  /// The line that names `key` and is read after our own file, and so overrides it. A pattern never
  /// does: it leaves out keys that any file names (sysctl.d(5)).
  [[nodiscard]] const SysctlLine* later_than_ours(const std::string& key) const;
  /// The line for `key` in our own file.
  [[nodiscard]] const SysctlLine* ours(const std::string& key) const;
  [[nodiscard]] std::vector<std::string> our_keys() const;
  /// The last line of each key that is named, by key.
  [[nodiscard]] std::vector<SysctlLine> named() const;
  /// Entries that are named like such a file and are none: path to the reason. The boot skips them
  /// too.
  [[nodiscard]] const std::map<std::string, std::string>& skipped() const { return skipped_; }

 private:
  std::map<std::string, SysctlLine> named_;  ///< last line of each literal key
  std::vector<SysctlLine> patterns_;
  std::map<std::string, SysctlLine> ours_;
  std::map<std::string, std::string> skipped_;
};

/// The text of our file with `key` set to `value`, or without it when empty. `text` is the file as
/// it is; an empty result means that no line is left.
std::string with_sysctl_line(const std::string& text, const std::string& key,
                             const std::optional<std::string>& value);

}  // namespace spark::kinds
