// The verb `events`: what the daemon has changed, and changes while one looks.

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/daemon_status.hpp"
#include "cli/json_output.hpp"
#include "cli/status_watch.hpp"

namespace spark::cli {
namespace {

using nlohmann::json;

/// The newest first. None: no daemon has written, or one of another version.
Result<std::vector<json>> read_changes(host::Files& files) {
  const auto document = read_daemon_status(files);
  if (!document) return std::unexpected(document.error());
  const auto changes = document->is_null() ? json() : document->value("changes", json::array());
  return changes.is_array() ? changes.get<std::vector<json>>() : std::vector<json>();
}

/// Empty: it has no such text.
std::optional<std::string> text_of(const json& change, const char* name) {
  const auto found = change.find(name);
  if (found == change.end() || !found->is_string()) {
    return std::nullopt;
  }
  // Some of it is what others call their files and processes.
  return printable(found->get<std::string>());
}

std::string line_of(const json& change, const Terminal& terminal) {
  const auto shown = [&change](const char* name) { return or_absent(text_of(change, name)); };
  const auto failure = text_of(change, "failure");
  auto line =
      fmt::format("{}  {:<5}  {} {} {}: {} → {}\n", shown("at"), shown("cause"),
                  failure ? terminal.paint(Tone::kBad, "✗") : terminal.paint(Tone::kGood, "✓"),
                  shown("kind"), shown("key"), shown("before"), shown("after"));
  return failure ? line + fmt::format("      {}\n", *failure) : line;
}

/// What the daemon leaves alone now, since someone else writes it.
std::vector<json> read_contests(host::Files& files) {
  const auto document = read_daemon_status(files);
  std::vector<json> contests;
  if (!document || document->is_null()) {
    return contests;
  }
  for (const auto& drift : document->value("drift", json::array())) {
    if (text_of(drift, "state") == "contested") {
      contests.push_back(drift);
    }
  }
  return contests;
}

/// Those that were not told yet: a contest is a new one by the time that it ends.
void print_contests(const std::vector<json>& contests, const std::vector<json>& told,
                    const Command& command) {
  for (const auto& contest : contests) {
    const bool is_told = std::ranges::any_of(told, [&](const json& other) {
      return other.value("key", json()) == contest.value("key", json()) &&
             other.value("kind", json()) == contest.value("kind", json()) &&
             other.value("held_until", json()) == contest.value("held_until", json());
    });
    if (!is_told) {
      const auto& terminal = command.terminal;
      terminal.print_always(
          command.arguments.json
              ? contest.dump() + "\n"
              : fmt::format("{}  drift  {} {}\n", or_absent(text_of(contest, "since")),
                            terminal.paint(Tone::kBad, "!"), drift_text(contest)));
    }
  }
}

/// How many of `changes` are newer than the newest of `known`.
std::size_t count_new(const std::vector<json>& changes, const std::vector<json>& known) {
  std::size_t count = 0;
  while (count < changes.size() && (known.empty() || changes[count] != known.front())) {
    ++count;
  }
  return count;
}

/// The oldest first, as a log has them.
void print_first(std::size_t count, const std::vector<json>& changes, const Command& command) {
  for (; count > 0; --count) {
    const auto& change = changes[count - 1];
    command.terminal.print_always(command.arguments.json ? change.dump() + "\n"
                                                         : line_of(change, command.terminal));
  }
}

}  // namespace

ExitCode events(const Command& command) {
  const StatusWatch watch(command.arguments.root);
  auto known = read_changes(command.host.files);
  if (!known) return report_error(command, known.error());
  auto contests = read_contests(command.host.files);
  if (!command.arguments.follow) {
    if (command.arguments.json) {
      print_json(command.terminal, "events", config::Cluster{}, "", ExitCode::kDone,
                 {{"changes", *known}, {"contests", contests}});
    } else {
      print_first(known->size(), *known, command);
      print_contests(contests, {}, command);
    }
    return ExitCode::kDone;
  }
  print_first(known->size(), *known, command);
  print_contests(contests, {}, command);
  // Nothing is half done when this ends, so it ends with its reader, as `| head` expects.
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  while (command.terminal.finish()) {
    watch.wait(std::nullopt);
    auto changes = read_changes(command.host.files);
    if (!changes) return report_error(command, changes.error());
    print_first(count_new(*changes, *known), *changes, command);
    if (!changes->empty()) {
      known = std::move(changes);
    }
    auto open = read_contests(command.host.files);
    print_contests(open, contests, command);
    contests = std::move(open);
  }
  return ExitCode::kDone;
}

}  // namespace spark::cli
