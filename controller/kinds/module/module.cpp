#include "kinds/module/module.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "kinds/common/systemd_here.hpp"
#include "kinds/module/module_config.hpp"

namespace spark::kinds {
namespace {

/// Some drivers wait for their firmware, a minute at most.
constexpr std::chrono::seconds kLoadDeadline{90};

bool is_live(const host::ModuleInfo& module) { return module.loaded || module.built_in; }

Skipped kept_out_by(const ConfPlace& line, std::string_view what_follows) {
  return {Skipped::Why::kNotEnforced, "SR-MODULE-002",
          fmt::format("{} '{}' at {}: change or remove that line", what_follows, line.text,
                      line.place())};
}

Skipped missing(host::View& view, const std::string& name) {
  const auto& os_release = view.file("/etc/os-release");
  const auto& identity = view.identity();
  const auto kernel = identity ? identity->kernel : std::string("?");
  return {Skipped::Why::kNotEnforced, "SR-MODULE-001",
          fmt::format("the running kernel {} has no module '{}': {}", kernel, name,
                      package_of_module(os_release ? os_release->value_or("") : "", kernel, name))};
}

Skipped without_list(const Error& error) {
  return {Skipped::Why::kNotEnforced, "SR-MODULE-004",
          fmt::format("is not loaded, and the running kernel's modules are not on disk ({}): after "
                      "an update of the kernel, reboot",
                      error.what)};
}

/// Why a module cannot be brought into the kernel from here; empty: it can, or it is there.
std::optional<Skipped> obstacle(host::View& view, const ModuleConfig& config,
                                const std::string& name) {
  const auto& module = view.module(name);
  if (module && is_live(*module)) return std::nullopt;
  if (auto why = why_no_systemd(view)) {
    return Skipped{Skipped::Why::kUnknown, "SR-MODULE-003",
                   fmt::format("is not loaded, and cannot be from here: {}", *why)};
  }
  if (!module) {
    return module.error().code == ErrorCode::kNotFound ? without_list(module.error())
                                                       : unreadable(module.error());
  }
  if (!module->available) return missing(view, name);
  const auto* line = config.kept_out(name);
  return line == nullptr ? std::nullopt
                         : std::optional(kept_out_by(*line, "is not loaded, and kept out by"));
}

Result<> load(const std::string& name, host::Host& host) {
  const auto unit = fmt::format("modprobe@{}.service", name);
  // A unit that is still active from before the module was unloaded has to stop before it can
  // start.
  for (const bool again : {false, true}) {
    if (const auto module = host.modules.look(name); module && is_live(*module)) return {};
    if (again) {
      if (auto stopped = host.bus.stop(unit, kLoadDeadline); !stopped) return stopped;
    }
    if (auto started = host.bus.start(unit, kLoadDeadline); !started) return started;
  }
  const auto module = host.modules.look(name);
  if (!module) return std::unexpected(module.error());
  if (!is_live(*module)) {
    return fail(ErrorCode::kSystem,
                fmt::format("load '{}': {} ran, and the module is not there: `modprobe {}` says "
                            "why, or `journalctl -k`",
                            name, unit, name));
  }
  return {};
}

Result<> write_our_line(host::Host& host, const std::string& name, bool present) {
  const auto text = host.files.read(kModulesFile);
  if (!text) return std::unexpected(text.error());
  const auto changed = with_module_line(text->value_or(""), name, present);
  return changed.empty() ? host.files.remove(kModulesFile)
                         : host.files.write(kModulesFile, changed, 0644);
}

void observe_former(host::View& view, const Desired<Module>& wanted, const ModuleConfig& config,
                    Observed<Module>& observed) {
  for (const auto& name : config.ours()) {
    if (wanted.state.contains({name})) continue;
    if (auto why = irreplaceable(view, kModulesFile)) {
      observed.left_unchanged.push_back(
          {fmt::format("our line '{}' in {}", name, kModulesFile), why->reason});
      continue;
    }
    const auto& module = view.module(name);
    const auto* other = config.loaded_by_another(name);
    observed.state.emplace(Module::Key{name},
                           Stated<Module>{{.live = module && is_live(*module), .boot = true},
                                          {other == nullptr ? "" : other->place()}});
  }
}

}  // namespace

Desired<Module> Module::desired(const config::Node& node) {
  Desired<Module> desired;
  for (const auto& module : node.modules) {
    desired.want({host::canonical_module_name(module.value)}, {{.live = true, .boot = true}},
                 {module.where});
  }
  return desired;
}

Result<Observed<Module>> Module::observe(host::View& view, const Desired<Module>& wanted,
                                         const Context& /*context*/) {
  Observed<Module> observed;
  const auto& ours = view.file(kModulesFile);
  if (wanted.state.empty() && ours && !*ours) return observed;
  const auto config = ModuleConfig::read(view);
  if (!config) return std::unexpected(config.error());
  for (const auto& [key, want] : wanted.state) {
    if (auto skipped = obstacle(view, *config, key.name)) {
      observed.skipped.emplace(key, std::move(*skipped));
      continue;
    }
    const auto& module = *view.module(key.name);
    Stated<Module> value{{.live = is_live(module), .boot = module.built_in}};
    value.boot |= config->is_ours(key.name) || config->loaded_by_another(key.name) != nullptr;
    if (const auto* line = module.built_in ? nullptr : config->kept_out(key.name)) {
      value.boot = want.boot;  // a line of ours would not help
      observed.shortfalls.emplace(key, kept_out_by(*line, "the next boot will not load it:"));
    } else if (auto why = value.boot ? std::nullopt : irreplaceable(view, kModulesFile)) {
      value.boot = want.boot;
      observed.shortfalls.emplace(key, std::move(*why));
    }
    observed.state.emplace(key, value);
  }
  observe_former(view, wanted, *config, observed);
  return observed;
}

std::vector<Change<Module>> Module::diff(const State<Module>& desired,
                                         const State<Module>& actual) {
  return difference<Module>(desired, actual);
}

Result<> Module::apply(const Change<Module>& change, host::Host& host) {
  const auto& name = change.key.name;
  const Value none;
  const Value& before = change.before ? *change.before : none;
  const Value& after = change.after ? *change.after : none;
  if (after.live && !before.live) {
    if (auto loaded = load(name, host); !loaded) return loaded;
  }
  return files(change).empty() ? Result<>{} : write_our_line(host, name, after.boot);
}

std::vector<std::string> Module::files(const Change<Module>& change) {
  const bool was_there = change.before && change.before->boot;
  const bool is_there = change.after && change.after->boot;
  return was_there == is_there ? std::vector<std::string>{}
                               : std::vector<std::string>{kModulesFile};
}

std::vector<host::Helper> Module::helpers(const Change<Module>& change) {
  const bool was_live = change.before && change.before->live;
  const bool loads = change.after && change.after->live && !was_live;
  return loads ? std::vector{host::Helper::kBusCall} : std::vector<host::Helper>{};
}

std::string Module::label(const Value& value) {
  if (value.live) return value.boot ? "loaded, now and at boot" : "loaded, not at boot";
  return value.boot ? "not loaded before the next boot" : "not loaded";
}

std::optional<std::string> Module::left(const Stated<Module>& value) {
  if (!value.details.other_line.empty()) {
    return fmt::format("loaded at boot by {}", value.details.other_line);
  }
  return value.live ? std::optional<std::string>("loaded until the next boot") : std::nullopt;
}

std::optional<Stated<Module>> Module::after_rollback(const Change<Module>& change) {
  if (!change.before || !change.after || change.before->live || !change.after->live) {
    return std::nullopt;
  }
  return Stated<Module>{{.live = true, .boot = change.before->boot}};
}

bool is_loaded_by(const config::Node& node, host::View& view, const std::string& name) {
  const bool asked = std::ranges::any_of(node.modules, [&](const auto& module) {
    return host::canonical_module_name(module.value) == name;
  });
  const auto& module = view.module(name);
  if (!asked || !module || is_live(*module)) return false;
  const auto config = ModuleConfig::read(view);
  return config && !obstacle(view, *config, name);
}

}  // namespace spark::kinds
