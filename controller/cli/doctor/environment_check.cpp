#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/init/setting_files.hpp"
#include "kinds/environment/nccl_environment.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kGidIndex = "NCCL_IB_GID_INDEX";
/// A screen has room for a few.
constexpr std::size_t kMostLines = 6;

/// One line of a file, with the place from which its force is told.
struct Setting {
  const SettingFile* file = nullptr;
  const EnvironmentLine* line = nullptr;
};

/// The names of a list, however they are matched: "=a,b" and "b,a" name the same.
std::set<std::string_view> names_in(std::string_view list) {
  std::set<std::string_view> names;
  for (const auto name : std::views::split(kinds::without_exact_sign(list), ',')) {
    names.emplace(name.begin(), name.end());
  }
  return names;
}

/// NCCL takes a number or a word.
std::string_view gdr_level(std::string_view value) { return value == "0" ? "LOC" : value; }

bool says_the_same(std::string_view name, std::string_view value, std::string_view rendered) {
  if (name == "NCCL_NET_GDR_LEVEL") return gdr_level(value) == gdr_level(rendered);
  if (name == "NCCL_NET") return ascii_lower(value) == ascii_lower(rendered);
  return names_in(value) == names_in(rendered);
}

/// What jobs are given; empty while there is no such file.
class RenderedVariables {
 public:
  explicit RenderedVariables(host::Files& files) {
    const auto text = files.read(protocol::kNcclEnvironment);
    if (text && *text) variables_ = kinds::assignments_in(**text);
  }

  [[nodiscard]] bool fixes_another_index(const EnvironmentLine& line) const {
    const auto found = variables_.find(line.name);
    const bool is_free = line.value == "-1";  // NCCL's own value: it looks for the GID itself
    return line.name == kGidIndex && line.value && !is_free &&
           (found == variables_.end() || found->second != *line.value);
  }

  [[nodiscard]] bool is_contradicted_by(const EnvironmentLine& line) const {
    if (line.name == kGidIndex || !line.value) return false;
    if (line.name == "NCCL_IB_DISABLE") {
      return *line.value != "0" && variables_.contains("NCCL_NET");
    }
    const auto found = variables_.find(line.name);
    return found != variables_.end() && !says_the_same(line.name, *line.value, found->second);
  }

 private:
  std::map<std::string, std::string> variables_;
};

std::string place_of(const Setting& setting) {
  return fmt::format("line {} of {}", setting.line->line, in_quotes(setting.file->path));
}

/// The settings of one name, by who reads them.
class SameName {
 public:
  SameName(const SettingFiles& settings, std::string_view name) {
    for (const auto& file : settings.files) {
      for (const auto& line : file.lines) {
        if (file.user.empty() && line.name == name) of_[file.reader].push_back({&file, &line});
      }
    }
  }

  /// What a reader ends up with: NCCL keeps the first, all others the last. Empty: nothing.
  [[nodiscard]] std::optional<Setting> winner(SettingReader reader) const {
    const auto found = of_.find(reader);
    if (found == of_.end()) return std::nullopt;
    return reader == SettingReader::kNccl ? found->second.front() : found->second.back();
  }

 private:
  std::map<SettingReader, std::vector<Setting>> of_;
};

struct Force {
  bool in_force = true;
  std::string text;  ///< "in force in login shells"
};

Force force_of(const Setting& setting, const SameName& same) {
  const auto reader = setting.file->reader;
  if (const auto& user = setting.file->user; !user.empty()) {
    return {true, fmt::format("in force in {} of {}",
                              reader == SettingReader::kNccl ? "each process of NCCL" : "shells",
                              printable(user))};
  }
  if (const auto winner = same.winner(reader); winner && winner->line != setting.line) {
    return {false, fmt::format("not in force: {} {}", place_of(*winner),
                               reader == SettingReader::kNccl ? "comes first"
                               : winner->line->value          ? "sets it after that"
                                                              : "unsets it after that")};
  }
  const auto in_logins = same.winner(SettingReader::kLogin);
  switch (reader) {
    case SettingReader::kLogin:
      return {true, "in force in login shells and what they start"};
    case SettingReader::kSession:
      return {true, in_logins
                        ? fmt::format("in force in all sessions but login shells, where {} {}",
                                      place_of(*in_logins),
                                      in_logins->line->value ? "sets it" : "unsets it")
                        : "in force in all sessions"};
    case SettingReader::kNccl:
      break;
  }
  const auto in_environment = in_logins ? in_logins : same.winner(SettingReader::kSession);
  return {true, in_environment && in_environment->line->value
                    ? fmt::format("in force wherever the environment does not set it, as {} does",
                                  place_of(*in_environment))
                    : "in force in each process of NCCL whose environment does not set it"};
}

/// The lines of one file that get one finding.
struct FoundLines {
  std::string_view id;
  const SettingFile* file = nullptr;
  Force force;
  std::vector<const EnvironmentLine*> lines;
};

void add_line(std::vector<FoundLines>& all, std::string_view id, const Setting& setting,
              Force force) {
  const auto same = std::ranges::find_if(all, [&](const FoundLines& found) {
    return found.id == id && found.file == setting.file && found.force.text == force.text;
  });
  if (same == all.end()) {
    all.push_back({id, setting.file, std::move(force), {setting.line}});
  } else {
    same->lines.push_back(setting.line);
  }
}

std::string lines_text(const std::vector<const EnvironmentLine*>& lines) {
  std::vector<std::string> texts;
  for (const auto* line : lines) {
    if (texts.size() == kMostLines) break;
    texts.push_back(fmt::format("line {} {}={}", line->line, line->name,
                                line->value->empty() ? "''" : printable(*line->value, 60)));
  }
  const auto more = lines.size() - texts.size();
  return fmt::format("{}{}", fmt::join(texts, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

/// It goes into a command line as it is.
bool needs_no_quotes(std::string_view path) {
  constexpr std::string_view kPlain = "/._-+";
  return std::ranges::all_of(path, [&](char c) { return is_ascii_alnum(c) || kPlain.contains(c); });
}

std::string remedy_of(const FoundLines& found) {
  const auto again = found.file->reader == SettingReader::kNccl ? "" : ", then log in again";
  const bool can_be_copied =
      needs_no_quotes(found.file->path) && needs_no_quotes(found.file->user) &&
      std::ranges::all_of(found.lines, [](const auto* line) { return line->alone; });
  if (!can_be_copied) {
    std::set<std::string_view> names;
    for (const auto* line : found.lines) names.insert(line->name);
    return fmt::format("take {} out of {}{}", fmt::join(names, ", "), in_quotes(found.file->path),
                       again);
  }
  std::set<int> numbers;
  for (const auto* line : found.lines) numbers.insert(line->line);
  std::vector<std::string> edits;
  std::ranges::transform(numbers, std::back_inserter(edits),
                         [](int number) { return fmt::format("{}s/^/# /", number); });
  // A home is in its owner's hands: root follows no link there.
  const auto as = found.file->user.empty() ? "" : fmt::format(" -u {}", found.file->user);
  return fmt::format("`sudo{} sed -i '{}' {}`{}", as, fmt::join(edits, ";"), found.file->path,
                     again);
}

Finding finding_of(const FoundLines& found) {
  const auto what =
      found.id == "SR-ENV-009"
          ? fmt::format("{} fixes the index of the GIDs, which move: a job then hangs",
                        in_quotes(found.file->path))
          : fmt::format("{} contradicts {}", in_quotes(found.file->path),
                        protocol::kNcclEnvironment);
  return {"leftover", found.force.in_force ? Severity::kLook : Severity::kGood,
          fmt::format("{}: {}; {} [{}]", what, lines_text(found.lines), found.force.text, found.id),
          found.force.in_force ? remedy_of(found) : std::string()};
}

}  // namespace

Findings check_environment(const Command& command) {
  const auto settings = setting_files(command.host.files);
  const RenderedVariables rendered(command.host.files);
  std::vector<FoundLines> found;
  for (const auto& file : settings.files) {
    if (file.ours) continue;
    for (const auto& line : file.lines) {
      const bool fixes_index = rendered.fixes_another_index(line);
      if (!fixes_index && !rendered.is_contradicted_by(line)) continue;
      const Setting setting{&file, &line};
      add_line(found, fixes_index ? "SR-ENV-009" : "SR-ENV-010", setting,
               force_of(setting, SameName(settings, line.name)));
    }
  }
  auto findings = findings_of_unread("leftover", settings.unread);
  std::ranges::transform(found, std::back_inserter(findings), finding_of);
  return findings;
}

}  // namespace spark::cli
