#include "kinds/memlock/memlock_lines.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::kinds {
namespace {

constexpr std::uint64_t kKibi = 1024;
constexpr std::string_view kOurName = "90-spark-reconcile.conf";

/// Ours is a drop-in: each kind of file that is none is read before all of them.
bool is_after_ours(std::string_view path, std::string_view directory_part) {
  return path.contains(directory_part) && file_name(path) > kOurName;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = line.substr(0, line.find('#')); !trim(line).empty();) {
    line = trim(line);
    const auto end = line.find_first_of(" \t");
    words.push_back(line.substr(0, end));
    line = end == std::string_view::npos ? std::string_view() : line.substr(end);
  }
  return words;
}

/// In KiB; empty: no number, which pam_limits(8) passes over.
std::optional<std::uint64_t> parse_pam_limit(std::string_view word) {
  if (word == "unlimited" || word == "infinity" || word == "-1") return host::kUnlimited;
  const auto kibi = parse_decimal(word);
  return kibi && *kibi <= host::kUnlimited / kKibi ? std::optional(*kibi * kKibi) : std::nullopt;
}

std::optional<MemlockLine> parse_limits_line(std::string_view line, const std::string& file,
                                             int number) {
  constexpr std::size_t kWords = 4;  // domain, type, item, value
  const auto words = words_of(line);
  if (words.size() != kWords || words[2] != "memlock") return std::nullopt;
  const auto type = words[1];
  const auto value = parse_pam_limit(words[3]);
  if (!value || (type != "soft" && type != "hard" && type != "-")) return std::nullopt;
  return MemlockLine{.domain = std::string(words[0]),
                     .sets_soft = type != "hard",
                     .sets_hard = type != "soft",
                     .soft = value,
                     .hard = value,
                     .file = file,
                     .line = number,
                     .after_ours = is_after_ours(file, "/limits.d/")};
}

MemlockLine systemd_line(std::string_view value, const std::string& file, int number) {
  const auto limit = parse_systemd_limit(value);
  return {.soft = limit ? std::optional(limit->soft) : std::nullopt,
          .hard = limit ? std::optional(limit->hard) : std::nullopt,
          .file = file,
          .line = number,
          .after_ours = is_after_ours(file, ".d/")};
}

/// One of the two parts of a limit.
std::optional<std::uint64_t> parse_systemd_bytes(std::string_view text) {
  if (text == "infinity") return host::kUnlimited;
  constexpr std::string_view kUnits = "KMGTPE";
  std::uint64_t factor = 1;
  const auto unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit != std::string_view::npos) {
    text.remove_suffix(1);
    for (std::size_t i = 0; i <= unit; ++i) factor *= kKibi;
  }
  const auto number = parse_decimal(trim(text));
  return number && *number <= host::kUnlimited / factor ? std::optional(*number * factor)
                                                        : std::nullopt;
}

const MemlockLine* last_of(const std::vector<MemlockLine>& lines, auto matches) {
  const auto reversed = std::views::reverse(lines);
  const auto found = std::ranges::find_if(reversed, matches);
  return found == reversed.end() ? nullptr : &*found;
}

std::string systemd_value(std::uint64_t bytes) {
  return bytes == host::kUnlimited ? "infinity" : std::to_string(bytes);
}

}  // namespace

Result<std::vector<MemlockLine>> login_memlock_lines(host::View& view) {
  const std::array<std::string, 1> directory{"/etc/security/limits.d"};
  auto paths = conf_paths(view, directory);
  if (!paths) return std::unexpected(paths.error());
  paths->insert(paths->begin(), "/etc/security/limits.conf");
  const auto read = read_conf_files(view, *paths);
  if (!read) return std::unexpected(read.error());
  std::vector<MemlockLine> lines;
  for (const auto& [path, text] : read->files) {
    each_conf_line(text, [&](std::string_view line, int number) {
      if (auto parsed = parse_limits_line(line, path, number)) lines.push_back(std::move(*parsed));
    });
  }
  return lines;
}

Result<std::vector<MemlockLine>> manager_memlock_lines(host::View& view) {
  auto paths = conf_paths(view, conf_directories("systemd/system.conf.d"));
  if (!paths) return std::unexpected(paths.error());
  // Of the main file there is one, the first.
  for (const auto& path : conf_directories("systemd/system.conf")) {
    const auto& text = view.file(path);
    if (text && *text) {
      paths->insert(paths->begin(), path);
      break;
    }
  }
  const auto read = read_conf_files(view, *paths);
  if (!read) return std::unexpected(read.error());
  std::vector<MemlockLine> lines;
  for (const auto& [path, text] : read->files) {
    bool in_manager = false;
    each_conf_line(text, [&](std::string_view line, int number) {
      const auto equals = line.find('=');
      if (line.starts_with('[')) {
        in_manager = line == "[Manager]";
      } else if (in_manager && trim(line.substr(0, equals)) == "DefaultLimitMEMLOCK" &&
                 equals != std::string_view::npos) {
        lines.push_back(systemd_line(trim(line.substr(equals + 1)), path, number));
      }
    });
  }
  return lines;
}

Result<std::vector<MemlockLine>> unit_memlock_lines(host::View& view, const std::string& unit) {
  const auto& settings = view.unit_settings(unit, "LimitMEMLOCK");
  if (!settings) return std::unexpected(settings.error());
  std::vector<MemlockLine> lines;
  for (const auto& setting : *settings) {
    lines.push_back(systemd_line(setting.value, setting.file, setting.line));
  }
  return lines;
}

const MemlockLine* soft_winner(const std::vector<MemlockLine>& lines, std::string_view domain) {
  return last_of(lines,
                 [&](const MemlockLine& line) { return line.sets_soft && line.domain == domain; });
}

const MemlockLine* hard_winner(const std::vector<MemlockLine>& lines, std::string_view domain) {
  return last_of(lines,
                 [&](const MemlockLine& line) { return line.sets_hard && line.domain == domain; });
}

std::optional<host::MemlockLimit> parse_systemd_limit(std::string_view text) {
  const auto colon = text.find(':');
  const auto soft = parse_systemd_bytes(trim(text.substr(0, colon)));
  const auto hard =
      colon == std::string_view::npos ? soft : parse_systemd_bytes(trim(text.substr(colon + 1)));
  return soft && hard ? std::optional(host::MemlockLimit{*soft, *hard}) : std::nullopt;
}

std::string unit_memlock_file(std::string_view unit) {
  return fmt::format("/etc/systemd/system/{}.d/{}", unit, kOurName);
}

std::string limits_text(std::uint64_t bytes) {
  const auto value = bytes == host::kUnlimited ? "unlimited" : std::to_string(bytes / kKibi);
  std::string text(kOurHeader);
  for (const auto* domain : {"*", "root"}) {
    for (const auto* type : {"soft", "hard"}) {
      text += fmt::format("{} {} memlock {}\n", domain, type, value);
    }
  }
  return text;
}

std::string manager_text(std::uint64_t bytes) {
  return fmt::format("{}[Manager]\nDefaultLimitMEMLOCK={}\n", kOurHeader, systemd_value(bytes));
}

std::string unit_text(std::uint64_t bytes) {
  return fmt::format("{}[Service]\nLimitMEMLOCK={}\n", kOurHeader, systemd_value(bytes));
}

}  // namespace spark::kinds
