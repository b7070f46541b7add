#include "kinds/module/module_config.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::kinds {
namespace {

Result<ConfFiles> read_directories(host::View& view, std::string_view name) {
  const auto paths = conf_paths(view, conf_directories(name));
  if (!paths) return std::unexpected(paths.error());
  return read_conf_files(view, *paths);
}

template <class Entry>
const ConfPlace* find(const std::map<std::string, Entry>& places, const std::string& name) {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &found->second;
}

/// The word at the head of `text`, which is then without it.
std::string_view take_word(std::string_view& text) {
  const auto end = text.find_first_of(" \t");
  const auto word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : trim(text.substr(end));
  return word;
}

/// The module that a line of modprobe.d(5) keeps out; empty: none.
std::string module_kept_out(std::string_view line) {
  const auto command = take_word(line);
  const auto name = host::canonical_module_name(take_word(line));
  if (command == "blacklist") return name;
  const auto program = file_name(take_word(line));
  const bool does_nothing = program == "false" || program == "true";
  return command == "install" && does_nothing ? name : std::string();
}

/// The value of KEY=VALUE in os-release(5), without quotes.
std::string_view os_release_value(std::string_view text, std::string_view key) {
  std::string_view value;
  each_conf_line(text, [&](std::string_view line, int /*number*/) {
    if (line.starts_with(key) && line.substr(key.size()).starts_with('=')) {
      value = line.substr(key.size() + 1);
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
      }
    }
  });
  return value;
}

}  // namespace

std::string ConfPlace::place() const { return fmt::format("{}:{}", file, line); }

Result<ModuleConfig> ModuleConfig::read(host::View& view) {
  const auto loads = read_directories(view, "modules-load.d");
  if (!loads) return std::unexpected(loads.error());
  const auto rules = read_directories(view, "modprobe.d");
  if (!rules) return std::unexpected(rules.error());
  ModuleConfig config;
  for (const auto& [path, text] : loads->files) {
    each_conf_line(text, [&](std::string_view line, int number) {
      const auto name = host::canonical_module_name(line);
      if (path == kModulesFile) {
        config.ours_.insert(name);
      } else {
        config.others_.insert_or_assign(name, ConfPlace{path, number, std::string(line)});
      }
    });
  }
  for (const auto& [path, text] : rules->files) {
    each_conf_line(text, [&](std::string_view line, int number) {
      if (const auto name = module_kept_out(line); !name.empty()) {
        config.kept_out_.insert_or_assign(name, ConfPlace{path, number, std::string(line)});
      }
    });
  }
  return config;
}

const ConfPlace* ModuleConfig::loaded_by_another(const std::string& name) const {
  return find(others_, name);
}

const ConfPlace* ModuleConfig::kept_out(const std::string& name) const {
  return find(kept_out_, name);
}

std::string with_module_line(std::string_view text, const std::string& name, bool present) {
  std::set<std::string> names;
  each_conf_line(text, [&](std::string_view line, int /*number*/) {
    names.insert(host::canonical_module_name(line));
  });
  names.erase(name);
  if (present) names.insert(name);
  std::string result(names.empty() ? "" : kOurHeader);
  for (const auto& line : names) result += line + "\n";
  return result;
}

std::string package_of_module(std::string_view os_release, const std::string& kernel,
                              const std::string& name) {
  const auto id = os_release_value(os_release, "ID");
  const auto like = os_release_value(os_release, "ID_LIKE");
  if (name.starts_with("nvidia")) {
    return fmt::format(
        "it comes with NVIDIA's driver: linux-modules-nvidia-VERSION-{} on Ubuntu, "
        "else nvidia-dkms",
        kernel);
  }
  if (id == "ubuntu" || like.contains("ubuntu")) {
    return fmt::format(
        "Ubuntu has what its smaller package leaves out in linux-modules-extra-{}: "
        "`apt install` that; where it is installed, or there is none, this kernel "
        "was built without",
        kernel);
  }
  if (id == "debian" || like.contains("debian")) {
    constexpr std::string_view kCloud = "-cloud-";
    const auto cloud = kernel.find(kCloud);
    return cloud == std::string::npos
               ? fmt::format(
                     "linux-image-{} has all modules that Debian builds: check the name, or "
                     "build it for this kernel",
                     kernel)
               : fmt::format(
                     "Debian's cloud kernel leaves drivers out: `apt install "
                     "linux-image-{}` and boot that one",
                     kernel.substr(cloud + kCloud.size()));
  }
  return fmt::format("look for the package of this distribution with {}.ko for that kernel", name);
}

}  // namespace spark::kinds
