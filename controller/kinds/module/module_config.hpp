#pragma once
// What the files below modules-load.d and modprobe.d, ours among them, do about a kernel module at
// the next boot.

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// Ours. Debian's /etc/modules is among these files too, as modules-load.d/modules.conf.
inline constexpr const char* kModulesFile = "/etc/modules-load.d/spark-reconcile.conf";

/// A line of a file, for messages.
struct ConfPlace {
  std::string file;
  int line = 0;
  std::string text;

  /// "/etc/modprobe.d/a.conf:3".
  [[nodiscard]] std::string place() const;
};

class ModuleConfig {
 public:
  static Result<ModuleConfig> read(host::View& view);

  // Names as the kernel has them.

  /// Our own file has a line for the module.
  [[nodiscard]] bool is_ours(const std::string& name) const { return ours_.contains(name); }
  [[nodiscard]] const std::set<std::string>& ours() const { return ours_; }
  /// The line of another file that makes the boot load the module; null: there is none.
  [[nodiscard]] const ConfPlace* loaded_by_another(const std::string& name) const;
  /// The line that keeps modprobe@.service and the boot from loading the module: `blacklist`, which
  /// both obey (modprobe -b, KMOD_PROBE_APPLY_BLACKLIST), or an `install` of false or true. Null:
  /// none.
  [[nodiscard]] const ConfPlace* kept_out(const std::string& name) const;

 private:
  std::set<std::string> ours_;
  std::map<std::string, ConfPlace> others_;
  std::map<std::string, ConfPlace> kept_out_;
};

/// The text of our file with a line for the module, or without. `text` is the file as it is; an
/// empty result means that no line is left.
std::string with_module_line(std::string_view text, const std::string& name, bool present);

/// Which package has the module that the running kernel lacks, as far as that is known: a clause
/// for people. `os_release` is the text of os-release(5).
std::string package_of_module(std::string_view os_release, const std::string& kernel,
                              const std::string& name);

}  // namespace spark::kinds
