#include "kinds/other_managers/nm_config.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.hpp"

namespace spark::kinds {
namespace {

constexpr const char* kMainFile = "/etc/NetworkManager/NetworkManager.conf";
/// Read one after the other; a file hides its namesakes in those before.
constexpr std::array kFolders{"/usr/lib/NetworkManager/conf.d", "/run/NetworkManager/conf.d",
                              "/etc/NetworkManager/conf.d"};

constexpr std::string_view kList = "unmanaged-devices";
constexpr std::string_view kMatch = "match-device";

/// A key without the '+' or '-' at its end, and that; '=': neither.
std::pair<std::string_view, char> key_and_way(std::string_view key) {
  const bool has_way = key.size() > 1 && (key.ends_with('+') || key.ends_with('-'));
  return has_way ? std::pair(key.substr(0, key.size() - 1), key.back()) : std::pair(key, '=');
}

bool counts(const KeyFileLine& line) {
  const auto key = key_and_way(line.key).first;
  if (line.group == "keyfile") return key == kList;
  if (line.group == ".config") return line.key == "enable";
  return line.group.starts_with("device") &&
         (key == kMatch || line.key == "managed" || line.key == "stop-match");
}

/// The lines that count here, each in its place: other sections may hold what is nobody's business.
Result<std::string> excerpt_of_conf(const std::string& text) {
  std::string kept;
  int lines = 0;
  std::string_view group;
  each_key(text, [&](const KeyFileLine& line) {
    if (line.key.empty() || !counts(line)) return;
    for (; lines < line.number - 1; ++lines) {
      // A section begins in any line before its first key.
      const bool begins = lines == line.number - 2 && group != line.group;
      kept += begins ? fmt::format("[{}]\n", line.group) : "\n";
    }
    group = line.group;
    kept += fmt::format("{}={}", line.key, line.value);
  });
  return kept + '\n';
}

std::optional<bool> truth(std::string_view text) {
  const auto word = ascii_lower(text);
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (is_one_of({"true", "yes", "on", "1"})) return true;
  if (is_one_of({"false", "no", "off", "0"})) return false;
  return std::nullopt;
}

/// A specification, and the line that it is from.
struct Spec {
  std::string text;
  std::string from;
};
using Specs = std::vector<Spec>;

/// Parted by ',' and ';'. What stands behind a backslash parts nothing (nm_match_spec_split).
std::vector<std::string> specs_in(std::string_view text) {
  std::vector<std::string> specs(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped = text[i] == '\\' && i + 1 < text.size();
    if (!is_escaped && (text[i] == ',' || text[i] == ';')) {
      specs.emplace_back();
      continue;
    }
    specs.back() += is_escaped ? text[++i] : text[i];
  }
  for (auto& spec : specs) spec = trim(spec);
  std::erase(specs, "");
  return specs;
}

void merge(Specs& specs, char way, std::string_view value, const std::string& from) {
  const auto found = specs_in(value);
  if (way == '=') specs.clear();
  if (way == '-') {
    std::erase_if(specs, [&](const Spec& spec) {
      return std::ranges::find(found, spec.text) != found.end();
    });
    return;
  }
  for (const auto& text : found) {
    const bool known = std::ranges::find(specs, text, &Spec::text) != specs.end();
    if (!known) specs.push_back({text, from});
  }
}

/// As g_pattern_match_simple: '*' and '?' alone stand for others.
bool matches_pattern(std::string_view pattern, const std::string& text) {
  std::string escaped;
  for (const char one : pattern) escaped += one == '[' ? "[[]" : std::string(1, one);
  return fnmatch(escaped.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

/// `text` without `tag`, in any case; nothing: it begins with something else.
std::optional<std::string_view> behind(std::string_view tag, std::string_view text) {
  const bool has_it = ascii_lower(text.substr(0, tag.size())) == tag;
  return has_it ? std::optional(text.substr(tag.size())) : std::nullopt;
}

/// match_device_eval of nm-core-utils.c. `may_be_bare`: a name or a MAC without its tag counts.
bool matches(std::string_view spec, bool may_be_bare, const NmDevice& device) {
  if (spec == "*") return true;
  if (const auto type = behind("type:", spec)) return *type == device.type;
  if (const auto mac = behind("mac:", spec)) return ascii_lower(*mac) == ascii_lower(device.mac);
  if (auto name = behind("interface-name:", spec)) {
    const bool is_exact = name->starts_with('=');
    if (is_exact || name->starts_with('~')) name->remove_prefix(1);
    return *name == device.name || (!is_exact && matches_pattern(*name, device.name));
  }
  if (const auto driver = behind("driver:", spec)) {
    // Its version behind a '/' is not compared: in doubt the line counts.
    return matches_pattern(driver->substr(0, driver->find('/')),
                           device.driver ? device.driver() : "");
  }
  return may_be_bare && (spec == device.name || ascii_lower(spec) == ascii_lower(device.mac));
}

struct Match {
  bool matches = false;
  std::string except;  ///< the line of the `except:` that the device is named in
};

/// nm_match_spec_device: an `except:` that matches wins; a list of nothing else has all others.
Match match_of(const Specs& specs, const NmDevice& device) {
  Match match;
  bool has_only_excepts = !specs.empty();
  for (const auto& spec : specs) {
    const auto except = behind("except:", spec.text);
    has_only_excepts &= except.has_value();
    if (except) {
      if (match.except.empty() && matches(*except, false, device)) match.except = spec.from;
    } else {
      match.matches |= matches(spec.text, true, device);
    }
  }
  match.matches = match.except.empty() && (match.matches || has_only_excepts);
  return match;
}

/// [device], [device-NAME].
struct DeviceSection {
  std::string name;
  std::optional<Specs> match;  ///< nothing: each device
  std::optional<std::string> managed;
  bool stops = false;  ///< `stop-match`: no other section is asked
};

struct Merged {
  Specs list;
  std::string taken_by;  ///< the line since which the list leaves the device out again
  std::vector<DeviceSection> sections;  ///< in the order in which they are asked
};

DeviceSection& section_of(std::string_view name, std::vector<DeviceSection>& sections,
                          std::size_t& place) {
  const auto known = std::ranges::find(sections, name, &DeviceSection::name);
  if (known != sections.end()) return *known;
  // Those of later files are asked first; of one file, in their order.
  const auto at = sections.begin() + static_cast<std::ptrdiff_t>(place++);
  return *sections.insert(at, DeviceSection{.name = std::string(name)});
}

/// The last value of a key that stands twice in one file counts, in each of its places (GKeyFile).
using Values = std::map<std::pair<std::string_view, std::string_view>, KeyFileLine>;

void take(const KeyFileLine& line, const std::string& path, std::size_t& place,
          const NmDevice& device, Merged& merged) {
  const auto from = fmt::format("{}:{}", path, line.number);
  const auto [key, way] = key_and_way(line.key);
  if (line.group == "keyfile") {
    const bool before = match_of(merged.list, device).matches;
    merge(merged.list, way, line.value, from);
    if (before && !match_of(merged.list, device).matches) merged.taken_by = from;
    return;
  }
  auto& section = section_of(line.group, merged.sections, place);
  if (key == kMatch) {
    if (!section.match) section.match.emplace();
    merge(*section.match, way, line.value, from);
  } else if (key == "managed") {
    section.managed = line.value;
  } else {
    section.stops = truth(line.value).value_or(false);
  }
}

void read_conf(const ConfFile& file, const NmDevice& device, Merged& merged) {
  Values values;
  std::vector<KeyFileLine> lines;
  each_key(file.text, [&](const KeyFileLine& line) {
    if (line.key.empty() || !counts(line)) return;
    values[{line.group, line.key}] = line;
    lines.push_back(line);
  });
  const auto enable = values.find({".config", "enable"});
  // What depends on NetworkManager's version or environment counts, in doubt.
  const bool is_off = enable != values.end() && !truth(enable->second.value).value_or(true) &&
                      file.path != kMainFile;
  if (is_off) return;
  std::size_t place = 0;
  for (const auto& line : lines) {
    if (line.group != ".config")
      take(values[{line.group, line.key}], file.path, place, device, merged);
  }
}

/// `managed` of the first section that has something to say of the device.
std::optional<bool> managed_by(const std::vector<DeviceSection>& sections, const NmDevice& device) {
  const auto says = [&](const DeviceSection& section) {
    return (section.managed || section.stops) &&
           (!section.match || match_of(*section.match, device).matches);
  };
  const auto is_plain = [](const DeviceSection& section) { return section.name == "device"; };
  // [device] is asked last.
  auto found = std::ranges::find_if(
      sections, [&](const DeviceSection& section) { return !is_plain(section) && says(section); });
  if (found == sections.end()) {
    found = std::ranges::find_if(
        sections, [&](const DeviceSection& section) { return is_plain(section) && says(section); });
  }
  return found == sections.end() || !found->managed ? std::nullopt : truth(*found->managed);
}

/// Not there, or of facts in which nobody looked for it.
template <class T>
bool is_nothing(const Result<T>& read) {
  return !read && read.error().code == ErrorCode::kUnsupported;
}

Result<> add_file(host::View& view, const std::string& path, std::vector<ConfFile>& files) {
  const auto& text = view.excerpt(path, excerpt_of_conf);
  // A directory or a device: what hides a namesake may be a link to /dev/null.
  const bool has_none = is_nothing(text) || (!text && text.error().code == ErrorCode::kInvalid);
  if (!text && !has_none) return std::unexpected(text.error());
  if (text && *text) files.push_back({path, **text});
  return {};
}

}  // namespace

Result<std::vector<ConfFile>> nm_config_files(host::View& view, const std::string& ours,
                                              const std::string& our_text) {
  std::array<std::set<std::string>, kFolders.size()> names;
  names.back().emplace(file_name(ours));
  for (std::size_t i = 0; i < kFolders.size(); ++i) {
    const auto& all = view.directory(kFolders.at(i));
    if (!all && !is_nothing(all)) return std::unexpected(all.error());
    for (const auto& name : all ? *all : std::vector<std::string>{}) {
      if (name.ends_with(".conf")) names.at(i).insert(name);
    }
    for (std::size_t before = 0; before < i; ++before) {
      for (const auto& name : names.at(i)) names.at(before).erase(name);
    }
  }
  std::vector<ConfFile> files;
  for (std::size_t i = 0; i < kFolders.size(); ++i) {
    const bool is_last = i + 1 == kFolders.size();
    if (is_last) {
      if (auto added = add_file(view, kMainFile, files); !added) {
        return std::unexpected(added.error());
      }
    }
    for (const auto& name : names.at(i)) {
      const auto path = fmt::format("{}/{}", kFolders.at(i), name);
      if (path == ours) {
        files.push_back({path, our_text});
      } else if (auto added = add_file(view, path, files); !added) {
        return std::unexpected(added.error());
      }
    }
  }
  return files;
}

NmAnswer asked_of_nm_config(const std::vector<ConfFile>& files, const NmDevice& device) {
  Merged merged;
  for (const auto& file : files) read_conf(file, device, merged);
  const auto match = match_of(merged.list, device);
  const bool leaves_alone = match.matches || managed_by(merged.sections, device) == false;
  if (leaves_alone) return {.leaves_alone = true};
  return {.leaves_alone = false,
          .decided_by = match.except.empty() ? merged.taken_by : match.except};
}

}  // namespace spark::kinds
