// The verb `events`: what happened on this node, and what happens while one looks; and what nodes
// recorded around a time.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/input/asked_time.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/json_output.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/status_watch.hpp"
#include "cli/text/event_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/events_at.hpp"
#include "node_state/status_json.hpp"
#include "protocol/paths.hpp"
#include "state/event_log.hpp"
#include "state/history.hpp"

namespace spark::cli {
namespace {

struct EventsArguments {
  bool follow = false;
  std::chrono::milliseconds since{0};  ///< 0: all
  std::string at;                      ///< as it was typed; empty: all
  bool all = false;                    ///< with `at`: the records of the other nodes too
};

constexpr Value kTime{"TIME", {}, "a time, as 03:12", "03:12"};

using nlohmann::json;
using state::Event;
using state::Generation;

json event_json(const Event& event) {
  json shown{
      {"at", event.at}, {"what", event.what}, {"severity", event.severity}, {"text", event.text}};
  if (!event.change_id.empty()) shown["change_id"] = event.change_id;
  if (!event.cause.empty()) shown["cause"] = event.cause;
  if (!event.remedy.empty()) shown["remedy"] = event.remedy;
  return shown;
}

/// "applied by hand by root: cluster.yaml, generation 3, 12 changes: applied".
Event by_hand(const Generation& generation) {
  const bool is_release = generation.outcome == Generation::Outcome::kReleased;
  const bool is_good = is_release || generation.outcome == Generation::Outcome::kApplied;
  return {.number = generation.number,
          .at = generation.at,
          .what = is_release ? "released_by_hand" : "applied_by_hand",
          .severity = is_good ? "info" : "warning",
          .text = fmt::format(
              "{} by hand, by {}: generation {}{}, {}: {}", is_release ? "release" : "apply",
              printable(generation.by), generation.number,
              is_release ? "" : " of " + printable(generation.file),
              counted(generation.changes, "change"), in_words(state::name_of(generation.outcome))),
          .change_id = generation.change_id};
}

/// An apply by hand gave the daemon's entry its id after the daemon had reported the file.
void add_change_id(std::vector<Event>& events, const Generation& generation) {
  constexpr std::chrono::minutes kLongestPass{1};
  const auto applied = wall_from_utc(generation.at);
  const auto is_its_own = [&](const Event& event) {
    const auto at = wall_from_utc(event.at);
    return !event.digest.empty() && event.digest == generation.digest && event.change_id.empty() &&
           at && applied && *at >= *applied && *at - *applied < kLongestPass;
  };
  const auto found = std::ranges::find_if(events, is_its_own);
  if (found != events.end()) found->change_id = generation.change_id;
}

/// What happened, in the order in which it did, and what was shown of it.
class EventReader {
 public:
  /// Reads all that is not shown yet.
  Result<std::vector<Event>> read_new(host::Files& files) {
    const auto log = state::read_events(files);
    if (!log) return std::unexpected(log.error());
    std::vector<Event> events;
    const auto& kept = log->events();
    // A daemon that lost its file begins with 1 again.
    if (!kept.empty() && kept.back().number < last_event_) last_event_ = 0;
    for (const auto& event : kept) {
      if (event.number > std::exchange(last_event_, std::max(last_event_, event.number))) {
        events.push_back(event);
      }
    }
    add_applies(files, events);
    std::ranges::stable_sort(events, {}, &Event::at);
    return events;
  }

  /// Why what was applied by hand is not listed; empty: it is.
  [[nodiscard]] const std::optional<Error>& why_incomplete() const { return incomplete_; }

 private:
  void add_applies(host::Files& files, std::vector<Event>& events) {
    incomplete_.reset();
    const auto nodes = files.list(protocol::kStateDirectory);
    if (!nodes) {
      incomplete_ = nodes.error();
      return;
    }
    for (const auto& node : *nodes) {
      const auto history = state::read_history(files, node);
      if (!history) {
        incomplete_ = history.error();
        continue;
      }
      auto& last = last_generation_[node];
      for (const auto& generation : *history) {
        const bool is_new = generation.number > last;
        last = std::max(last, generation.number);
        // What the daemon applied is among its own events.
        if (generation.by == state::kByDaemon) {
          if (!generation.change_id.empty()) add_change_id(events, generation);
        } else if (is_new) {
          events.push_back(by_hand(generation));
        }
      }
    }
  }

  std::uint64_t last_event_ = 0;
  std::map<std::string, std::uint64_t> last_generation_;  ///< by node
  std::optional<Error> incomplete_;
};

void print_events(const std::vector<Event>& events, const Command& command) {
  if (!command.arguments.json) {
    command.terminal.print_always(
        events_text(events, command.arguments.verbosity > 0, command.terminal));
    return;
  }
  for (const auto& event : events) command.terminal.print_always(event_json(event).dump() + "\n");
}

/// What a reader of a short list has to know.
void print_notes(const EventReader& reader, bool is_empty, const Command& command) {
  if (const auto& why = reader.why_incomplete()) {
    command.terminal.complain(fmt::format("what was applied by hand is not listed: {}\n",
                                          why->code == ErrorCode::kPermission
                                              ? "`sudo spark-reconcile events` shows it"
                                              : why->what));
  } else if (is_empty) {
    command.terminal.complain(
        "nothing has happened here: no daemon has run, and nothing was applied\n");
  }
  if (const auto here = node_here(command.host); !here) {
    command.terminal.complain(fmt::format("{}\n", here.error().what));
  } else if (!*here) {
    command.terminal.complain(
        fmt::format("no daemon runs here now. To start it: {}\n",
                    typed("systemctl enable --now spark-reconcile", command.terminal)));
  } else if (!(*here)->hangs.empty()) {
    command.terminal.complain(fmt::format("{}\n", (*here)->state.pass_error));
  }
}

ExitCode print_once(const std::vector<Event>& events, const EventReader& reader,
                    const Command& command) {
  if (!command.arguments.json) {
    print_events(events, command);
    print_notes(reader, events.empty(), command);
    auto here = command.arguments;
    here.file.clear();
    print_next(command.terminal, here, "Follow them", command_line_for("events -f", here));
    return ExitCode::kDone;
  }
  auto shown = json::array();
  for (const auto& event : events) shown.push_back(event_json(event));
  auto changes = json::array();
  auto contests = json::array();  // what the daemon leaves alone now, since someone else writes it
  if (const auto here = node_here(command.host).value_or(std::nullopt)) {
    for (const auto& change : here->state.changes) changes.push_back(node_state::to_json(change));
    for (const auto& drift : here->state.drifts) {
      if (drift.state == node_state::Drift::State::kContested) {
        contests.push_back(node_state::to_json(drift));
      }
    }
  }
  print_json(command.terminal, "events", config::Cluster{}, "", ExitCode::kDone,
             {{"events", std::move(shown)},
              {"changes", std::move(changes)},
              {"contests", std::move(contests)}});
  return ExitCode::kDone;
}

/// What a daemon that runs keeps is for all to read.
Error unreadable(const Error& error) {
  return error.code == ErrorCode::kPermission
             ? Error{error.code,
                     "what was kept is root's alone, and no daemon shows it now: `sudo "
                     "spark-reconcile events`"}
             : error;
}

ExitCode events(const Command& command) {
  const auto& own = own_options<EventsArguments>(command);
  if (!own.at.empty()) return show_events_at(command, own.at, own.all);
  const StatusWatch watch(command.arguments.root);
  EventReader reader;
  auto events = reader.read_new(command.host.files);
  if (!events) return report_error(command, unreadable(events.error()));
  if (own.since.count() > 0) {
    const auto from = utc_text(now().wall - own.since);
    std::erase_if(*events, [&](const Event& event) { return event.at < from; });
  }
  if (!own.follow) return print_once(*events, reader, command);
  print_events(*events, command);
  // Nothing is half done when this ends, so it ends with its reader, as `| head` expects.
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  while (command.terminal.finish()) {
    watch.wait(std::nullopt);
    events = reader.read_new(command.host.files);
    if (!events) return report_error(command, events.error());
    print_events(*events, command);
  }
  return ExitCode::kDone;
}

constexpr auto kEventsOptions = std::to_array<OptionRow>({
    {"-f,--follow", &Value::kNone, in<&EventsArguments::follow>(),
     "and follow what happens from now on"},
    {"--since",
     &Value::kDuration,
     in<&EventsArguments::since>(),
     "only the last 12h, or as long as you say (default: all that is kept)",
     {"", "", "h", false}},
    {.names = "--at",
     .value = &kTime,
     .member = in<&EventsArguments::at>(),
     .about =
         "was it the network? What this node recorded around a time (UTC): 03:12, the last one, "
         "or 2026-11-28T03:12:00Z"},
    {.names = "--all",
     .member = in<&EventsArguments::all>(),
     .about = "with --at: and what the nodes at the other ends of its cables recorded",
     .for_root = true},
});

constexpr auto kEventsMeant = std::to_array<Meaning>({
    {"-a", "it shows all that is kept: `spark-reconcile events`"},
    {"--tail,--lines,--last,--limit",
     "they are chosen by time: `spark-reconcile events --since 1h`"},
});

/// The other nodes are asked as root.
bool events_is_for_root(const Arguments& arguments) {
  return own_options<EventsArguments>(arguments).all;
}

/// "events 10", as of `tail -n 10`; "events 03:12"; "events --at 2026-11-28 03:12".
std::string advise_events(const ExtraWord& extra) {
  if (const auto* at = typed_option(extra.typed, "--at"); at != nullptr && at->value) {
    const auto whole = *at->value + "T" + extra.argument.text;
    if (asked_time(whole, now().wall)) {
      return fmt::format("--at takes a date and a time as one word: {}", whole);
    }
  }
  if (asked_time(extra.argument.text, now().wall)) {
    return fmt::format("a time is named by --at: {}",
                       line_with(extra.line, extra.argument.at, {"--at", extra.argument.text}));
  }
  return has_digits_alone(extra.argument.text)
             ? "they are chosen by time: `spark-reconcile events --since 1h`"
             : "";
}

std::string contradiction_of_events(const Arguments& arguments, const TypedLine& line) {
  const auto& own = own_options<EventsArguments>(arguments);
  if (own.all && own.at.empty()) {
    return "--all asks the other nodes about a time: `sudo spark-reconcile events --all --at "
           "03:12`; "
           "all events of this one: `spark-reconcile events`";
  }
  if (!own.at.empty() && (own.follow || own.since.count() > 0)) {
    return "--at is about one time: leave out --since and --follow";
  }
  if (const auto* at = typed_option(line, "--at");
      at != nullptr && !asked_time(own.at, now().wall)) {
    return fmt::format("--at takes a time of the day, or a date with it (UTC), not {}: {}",
                       in_quotes(own.at), line_with_value(line, *at, "03:12"));
  }
  return parse_decimal(arguments.node)
             ? "-n names a node, and events are chosen by time: `spark-reconcile events --since 1h`"
             : "";
}

}  // namespace

extern const VerbSpec kEventsVerb{.name = "events",
                                  .group = VerbGroup::kLook,
                                  .about = "show what happened last on this node",
                                  .names_unfinished = true,
                                  .options = own_rows<EventsArguments>(kEventsOptions),
                                  .meant = kEventsMeant,
                                  .is_for_root = events_is_for_root,
                                  .advise_last = advise_events,
                                  .check = contradiction_of_events,
                                  .run = events};

}  // namespace spark::cli
