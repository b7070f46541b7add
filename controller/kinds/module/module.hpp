#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "host/process/helper_program.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// Kernel modules: in the kernel now (loaded or built in), and loaded at the next boot. A module is
/// never unloaded: what uses it would lose it.
struct Module {
  static constexpr std::string_view kName = "module";

  struct Key {
    std::string name;  ///< as the kernel has it, with '_'
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    bool live = false;  ///< loaded or built in
    bool boot = false;  ///< built in, or a line of modules-load.d names it
    bool operator==(const Value&) const = default;
  };
  struct Details {
    /// For a module that the cluster file no longer names: the line of another file that still
    /// loads it at boot.
    std::string other_line;
  };

  static Desired<Module> desired(const config::Node& node);
  static Result<Observed<Module>> observe(host::View& view, const Desired<Module>& wanted,
                                          const Context& context);
  static std::vector<Change<Module>> diff(const State<Module>& desired,
                                          const State<Module>& actual);
  /// Loads the module through modprobe@NAME.service, then checks that it is there: the service
  /// reports success whatever modprobe(8) did. Errors: kSystem when the module is not there.
  static Result<> apply(const Change<Module>& change, host::Host& host);

  static Effect effect(const Change<Module>& /*change*/) { return {}; }
  /// systemd loads it.
  static std::vector<host::Helper> helpers(const Change<Module>& change);
  static std::vector<std::string> files(const Change<Module>& change);
  static std::string label(const Key& key) { return key.name; }
  static std::string label(const Value& value);
  /// A module whose line leaves the file stays loaded until the next boot, or longer.
  static std::optional<std::string> left(const Stated<Module>& value);
  /// What a rollback of the change leaves: a loaded module stays loaded.
  static std::optional<Stated<Module>> after_rollback(const Change<Module>& change);
};

template <EitherConst<Module::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("name", key.name);
}

template <EitherConst<Module::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("live", value.live);
  visit("boot", value.boot);
}

template <EitherConst<Module::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("other_line", details.other_line);
}

/// Whether a plan loads the module: the file asks for it, it is not in the kernel, and nothing
/// prevents loading it.
bool is_loaded_by(const config::Node& node, host::View& view, const std::string& name);

}  // namespace spark::kinds
