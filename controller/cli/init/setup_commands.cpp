#include "cli/init/setup_commands.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::cli {
namespace {

using Words = std::vector<std::string_view>;

constexpr const char* kUnits = "/etc/systemd/system";
constexpr const char* kDispatcher = "/etc/NetworkManager/dispatcher.d";
constexpr const char* kRcLocal = "/etc/rc.local";
constexpr const char* kCrontab = "/etc/crontab";
constexpr const char* kCronFolder = "/etc/cron.d";
constexpr const char* kRootsCrontab = "/var/spool/cron/crontabs/root";  // others set no link

constexpr std::string_view kElf =
    "\x7F"
    "ELF";  // a program

// What a kept line says.
constexpr std::string_view kLink = "link";
constexpr std::string_view kAddress = "address";
constexpr std::string_view kMtu = "mtu";
constexpr std::string_view kUp = "up";
constexpr std::string_view kDown = "down";
constexpr std::string_view kRun = "run";
constexpr std::string_view kNvme = "nvme";
constexpr std::string_view kOther = "other";

/// They change nothing by themselves.
constexpr std::array<std::string_view, 15> kIdle{"set",   "exit", "echo", "printf", "logger",
                                                 "sleep", "true", ":",    "test",   "[",
                                                 "then",  "else", "fi",   "do",     "done"};
/// They run the command behind them.
constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "env", "sudo"};

/// The commands of a line, as a shell takes it apart: words between blanks and quotes, commands
/// between ';', '&' and '|'; a comment ends the line.
std::vector<Words> commands_of(std::string_view line) {
  std::vector<Words> commands(1);
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find_first_of(" \t\"'`();&|#", at), line.size());
    if (end > at) commands.back().push_back(line.substr(at, end - at));
    const char stop = end < line.size() ? line[end] : ' ';
    const bool opens_comment = stop == '#' && (end == at && (at == 0 || line[at - 1] == ' '));
    if (opens_comment) break;
    if (stop == ';' || stop == '&' || stop == '|') commands.emplace_back();
    at = end + 1;
  }
  return commands;
}

/// What one command does to a link.
struct Deed {
  std::string_view link;
  std::optional<IpPrefix> address;
  std::optional<std::uint32_t> mtu;
  std::optional<bool> up;
};

/// `ip link set [dev] LINK mtu 9000 up`, `ip address add 192.0.2.1/24 dev LINK`.
Deed deed_of_ip(std::span<const std::string_view> words) {
  while (!words.empty() && words.front().starts_with('-')) words = words.subspan(1);
  if (words.size() < 3) return {};
  const auto object = words[0];
  const bool sets_link = std::string_view("link").starts_with(object) && words[1] == "set";
  const bool adds = std::string_view("address").starts_with(object) &&
                    (words[1] == "add" || words[1] == "replace");
  if (!sets_link && !adds) return {};
  Deed deed;
  for (auto word = words.begin() + 2; word != words.end(); ++word) {
    const auto value = word + 1 == words.end() ? std::string_view() : word[1];
    if (*word == "dev") {
      deed.link = value;
      ++word;
    } else if (*word == "mtu") {
      deed.mtu = number_in<std::uint32_t>(value);
      ++word;
    } else if (*word == "up" || *word == "down") {
      deed.up = *word == "up";
    } else if (const auto address = IpPrefix::parse(*word); adds && address) {
      deed.address = address;
    } else if (sets_link && deed.link.empty()) {
      deed.link = *word;
    }
  }
  return deed;
}

/// 24 of "255.255.255.0".
std::optional<std::uint8_t> length_of_mask(std::string_view text) {
  const auto mask = IpAddress::parse(text);
  if (!mask || !mask->is_v4()) return std::nullopt;
  int length = 0;
  for (const auto byte : mask->bytes()) length += std::popcount(byte);
  return static_cast<std::uint8_t>(length);
}

/// `ifconfig LINK 192.0.2.1/24 mtu 9000 up`, or with `netmask 255.255.255.0`.
Deed deed_of_ifconfig(std::span<const std::string_view> words) {
  if (words.size() < 2) return {};
  Deed deed{.link = words[0]};
  std::optional<IpAddress> bare;
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    const auto value = word + 1 == words.end() ? std::string_view() : word[1];
    if (*word == "mtu") {
      deed.mtu = number_in<std::uint32_t>(value);
    } else if (*word == "up" || *word == "down") {
      deed.up = *word == "up";
    } else if (*word == "netmask") {
      const auto length = length_of_mask(value);
      deed.address = bare && length ? std::optional(IpPrefix{*bare, *length}) : std::nullopt;
    } else if (const auto address = IpPrefix::parse(*word)) {
      deed.address = address;
    } else if (!bare) {
      bare = IpAddress::parse(*word);
    }
  }
  return deed;
}

Deed deed_of(const Words& command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const auto program = file_name(command[i]);
    const auto rest = std::span(command).subspan(i + 1);
    if (program == "ip") return deed_of_ip(rest);
    if (program == "ifconfig") return deed_of_ifconfig(rest);
  }
  return {};
}

/// Only letters that an interface's name has: no variable of a shell.
bool is_literal(std::string_view link) {
  return !link.empty() && link.find_first_of("$%*{}") == std::string_view::npos;
}

bool is_in(std::span<const std::string_view> names, std::string_view program) {
  return std::ranges::find(names, file_name(program)) != names.end();
}

/// "> FILE", also in one word; what goes to /dev/null is written nowhere.
bool writes_a_file(const Words& command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const auto arrow = command[i].rfind('>');
    if (arrow == std::string_view::npos) continue;
    auto target = command[i].substr(arrow + 1);
    if (target.empty() && i + 1 < command.size()) target = command[i + 1];
    if (!target.empty() && target != "/dev/null") return true;
  }
  return false;
}

bool is_idle(const Words& command) {
  if (writes_a_file(command)) return false;
  // What is left of "2>&1" behind its '&', and of a line that goes on in the next one.
  constexpr std::array<std::string_view, 3> kRests{"1", "2", "\\"};
  if (command.size() == 1 && is_in(kRests, command[0])) return true;
  const auto first = std::ranges::find_if(command, [](std::string_view word) {
    return !word.starts_with('-') && !is_in(kShells, word);
  });
  return first == command.end() || is_in(kIdle, *first);
}

/// Of `nvme connect` and `nvme connect-all`: the address; empty: it is none of these.
std::string_view target_of(const Words& command) {
  const auto nvme = std::ranges::find(command, "nvme", file_name);
  const bool connects = std::any_of(nvme, command.end(), [](std::string_view word) {
    return word == "connect" || word == "connect-all";
  });
  if (!connects) return {};
  for (auto word = nvme; word != command.end(); ++word) {
    constexpr std::string_view kLong = "--traddr=";
    if (word->starts_with(kLong)) return word->substr(kLong.size());
    const bool has_value = *word == "-a" || *word == "--traddr";
    if (has_value && word + 1 != command.end()) return word[1];
  }
  return {};
}

void keep(int number, const Words& command, std::string& kept) {
  if (const auto target = target_of(command); is_literal(target)) {
    kept += fmt::format("{} {} {}\n", number, kNvme, target);
    return;
  }
  const auto deed = deed_of(command);
  if (!is_literal(deed.link)) {
    if (!is_idle(command)) kept += fmt::format("{} {} -\n", number, kOther);
    return;
  }
  kept += fmt::format("{} {} {}\n", number, kLink, deed.link);
  if (deed.address) kept += fmt::format("{} {} {}\n", number, kAddress, deed.address->text());
  if (deed.mtu) kept += fmt::format("{} {} {}\n", number, kMtu, *deed.mtu);
  if (deed.up) kept += fmt::format("{} {} -\n", number, *deed.up ? kUp : kDown);
}

/// Of a command that systemd or cron starts: what it does, and the scripts in it.
void keep_started(int number, std::string_view started, std::string& kept) {
  for (const auto& command : commands_of(started)) {
    std::string scripts;
    for (const auto word : command) {
      const bool is_path = word.starts_with('/') && word.find("..") == std::string_view::npos;
      const auto program = file_name(word);
      const bool is_tool =
          program == "ip" || program == "ifconfig" || program == "nvme" || is_idle({word});
      if (is_path && !is_tool) scripts += fmt::format("{} {} {}\n", number, kRun, word);
    }
    const bool is_known = is_literal(deed_of(command).link) || is_literal(target_of(command));
    if (scripts.empty() || is_known) keep(number, command, kept);
    kept += scripts;
  }
}

/// "@reboot COMMAND", "0 4 * * * COMMAND"; in the system's tables a user stands before it
/// (crontab(5)). Of other lines nothing.
std::string excerpt_of_cron(const std::string& text, bool has_user) {
  constexpr int kTimes = 5;
  std::string kept;
  kinds::each_conf_line(text, [&](std::string_view line, int number) {
    const bool is_time = line.starts_with('@') || line.starts_with('*') ||
                         (line.front() >= '0' && line.front() <= '9');
    if (!is_time) return;
    for (int words = (line.starts_with('@') ? 1 : kTimes) + (has_user ? 1 : 0); words > 0;
         --words) {
      line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    }
    keep_started(number, line, kept);
  });
  return kept;
}

Result<std::string> excerpt_of_system_crontab(const std::string& text) {
  return excerpt_of_cron(text, true);
}

Result<std::string> excerpt_of_user_crontab(const std::string& text) {
  return excerpt_of_cron(text, false);
}

using Excerpt = Result<std::string> (*)(const std::string& text);

/// What is behind "ExecStart=" and its like; empty: the line is none of these.
std::string_view command_of_unit(std::string_view line) {
  const auto equals = line.find('=');
  if (!line.starts_with("ExecStart") || equals == std::string_view::npos) return {};
  line.remove_prefix(equals + 1);
  const auto first = line.find_first_not_of("-@:+! ");
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

struct SetupReader {
  host::View& view;
  SetupCommands found = {};
  std::set<std::pair<std::string, std::string>> read = {};  ///< paths, each for a unit

  /// A unit is read first, then what it starts, in its name.
  void read_file(const std::string& path, const std::string& unit,
                 Excerpt excerpt_of = excerpt_of_setup) {
    if (!read.emplace(path, unit).second) return;
    const auto& excerpt = view.excerpt(path, excerpt_of);
    if (excerpt && !*excerpt && unit.empty()) return;  // there is no such file
    if (!excerpt || !*excerpt) {
      found.others.push_back({.path = path, .unit = unit, .mtu = {}});
      return;
    }
    std::vector<std::string> started;
    for (const auto line : lines_of(**excerpt)) take(line, path, unit, started);
    const auto name = path.ends_with(".service") ? std::string(file_name(path)) : unit;
    for (const auto& script : started) read_file(script, name);
  }

 private:
  void take(std::string_view line, const std::string& path, const std::string& unit,
            std::vector<std::string>& started) {
    const auto blank = line.find(' ');
    const auto second = line.find(' ', blank + 1);
    if (blank == std::string_view::npos || second == std::string_view::npos) return;
    const auto what = line.substr(blank + 1, second - blank - 1);
    const auto value = line.substr(second + 1);
    if (what == kRun) {
      started.emplace_back(value);
    } else if (what == kLink || what == kNvme || what == kOther) {
      SetupCommand command{.path = path,
                           .line = number_in<int>(line.substr(0, blank)).value_or(0),
                           .unit = unit,
                           .link = what == kLink ? std::string(value) : std::string(),
                           .target = what == kNvme ? std::string(value) : std::string(),
                           .mtu = {}};
      auto& list = what == kLink ? found.of_links : what == kNvme ? found.of_targets : found.others;
      list.push_back(std::move(command));
    } else if (!found.of_links.empty()) {
      add(what, value, found.of_links.back());
    }
  }

  static void add(std::string_view what, std::string_view value, SetupCommand& command) {
    if (what == kAddress) {
      command.address = IpPrefix::parse(value);
    } else if (what == kMtu) {
      command.mtu = number_in<std::uint32_t>(value);
    } else if (what == kUp || what == kDown) {
      command.up = what == kUp;
    }
  }
};

}  // namespace

Result<std::string> excerpt_of_setup(const std::string& text) {
  std::string kept;
  const bool is_script = text.starts_with("#!");
  const bool is_unit = text.starts_with('[') || text.find("\n[Service]") != std::string::npos;
  if (text.starts_with(kElf) || (!is_script && !is_unit)) return fmt::format("1 {} -\n", kOther);
  int number = 0;
  bool goes_on = false;  // a command of a unit, in the next line
  for (const auto line : lines_of(text)) {
    ++number;
    const auto started = is_script ? std::string_view() : goes_on ? line : command_of_unit(line);
    goes_on = !started.empty() && started.ends_with('\\');
    if (!is_script) {
      keep_started(number, started, kept);
      continue;
    }
    for (const auto& command : commands_of(line)) keep(number, command, kept);
  }
  return kept;
}

SetupCommands setup_commands(host::View& view) {
  SetupReader reader{.view = view};
  const auto read_folder = [&](const std::string& folder, std::string_view ending,
                               Excerpt excerpt_of = excerpt_of_setup) {
    const auto& names = view.directory(folder);
    for (const auto& name : names ? *names : std::vector<std::string>{}) {
      if (name.ends_with(ending)) {
        reader.read_file(fmt::format("{}/{}", folder, name), "", excerpt_of);
      }
    }
  };
  read_folder(kUnits, ".service");
  read_folder(kDispatcher, "");
  reader.read_file(kRcLocal, "");
  reader.read_file(kCrontab, "", excerpt_of_system_crontab);
  read_folder(kCronFolder, "", excerpt_of_system_crontab);
  reader.read_file(kRootsCrontab, "", excerpt_of_user_crontab);
  return std::move(reader.found);
}

}  // namespace spark::cli
