#include "cli/discover/founder.hpp"

#include <expected>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/discover/discovered_file.hpp"
#include "cli/discover/own_task.hpp"
#include "cli/discover/picture.hpp"
#include "cli/discover/session.hpp"
#include "cli/init/file_parts.hpp"
#include "cli/init/new_file.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"
#include "host/view.hpp"
#include "plan/free_subnet.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

using Clock = DiscoverSession::Clock;
using Event = DiscoverSession::Event;
/// So long all has to be as it is, before it is written down.
constexpr std::chrono::seconds kUnchangedFor{3};

/// A file that can be written, read as any other.
struct Draft {
  std::string text;
  config::Parsed parsed;
};

std::vector<std::string> names_in(const config::Parsed& parsed) {
  std::vector<std::string> names;
  names.reserve(parsed.cluster.nodes.size());
  for (const auto& [name, spec] : parsed.cluster.nodes) names.push_back(name);
  return names;
}

class Founder {
 public:
  Founder(const Command& command, Founding founding, DiscoverSession session,
          std::vector<IpPrefix> taken, OwnRails own)
      : command_(command),
        founding_(std::move(founding)),
        session_(std::move(session)),
        taken_(std::move(taken)),
        own_(std::move(own)) {}

  ExitCode run() {
    if (!command_.arguments.json) {
      command_.terminal.print(
          fmt::format("listening on the cages of {}, for ten minutes at most; run `sudo "
                      "spark-reconcile join` on each other node\n",
                      session_.task().node));
      flush(command_.terminal);
    }
    auto draft = gather();
    if (!draft) return draft.error();
    if (const auto free = check_place(draft->text); !free) {
      return report_error(command_, free.error());
    }
    if (const auto offered = session_.offer(draft->text); !offered) {
      return report_error(command_, offered.error());
    }
    return agree(*draft);
  }

 private:
  /// The exit code says why there is none.
  std::expected<Draft, ExitCode> gather() {
    std::string asked;  // the text that the question on the screen is about
    while (!session_.is_time_over()) {
      const auto event = session_.wait(session_.deadline(), !asked.empty());
      if (!event) return std::unexpected(report_error(command_, event.error()));
      if (asked.empty()) session_.show();
      auto draft = current_draft();
      if (!draft) return std::unexpected(report_error(command_, draft.error()));
      if (*event == Event::kTyped) {
        if (!is_yes()) return std::unexpected(refuse());
        if (*draft && (*draft)->text == asked) return *std::move(*draft);
        command_.terminal.print_always("not written: the nodes have changed meanwhile\n");
        asked.clear();
      } else if (is_settled() && *draft && (*draft)->text != asked) {
        session_.show();
        show_draft(**draft);
        if (command_.arguments.yes) return *std::move(*draft);
        asked = (*draft)->text;
        ask(**draft);
      }
    }
    return std::unexpected(report_time_over());
  }

  [[nodiscard]] bool is_settled() const {
    return Clock::now() >= session_.unchanged_since() + kUnchangedFor;
  }

  /// Empty: nothing can be written of what is heard so far.
  Result<std::optional<Draft>> current_draft() const {
    const auto& wiring = session_.wiring();
    const auto expected = founding_.nodes;
    if (!wiring.is_whole() || (expected && wiring.nodes.size() != *expected)) {
      return std::optional<Draft>();
    }
    auto text = discovered_text(wiring, session_.nodes(), taken_, own_);
    if (!text) return std::unexpected(text.error());
    auto parsed = parse_own_text(*text);
    if (!parsed) return std::unexpected(parsed.error());
    return Draft{.text = *std::move(text), .parsed = *std::move(parsed)};
  }

  void show_draft(const Draft& draft) {
    if (command_.arguments.json) return;
    command_.terminal.print("\n" + file_screen(draft.text) + "\n");
    host::View view(command_.host);
    const auto note = note_of_other_addresses(view, draft.parsed.cluster.fabric);
    command_.terminal.complain(in_lines(note, command_.terminal.error_width()));
    for (const auto& diagnostic : draft.parsed.diagnostics) {
      command_.terminal.print(fitting(
          fmt::format("! {}; {}\n", diagnostic.message, diagnostic.reason), command_.terminal));
    }
  }

  void ask(const Draft& draft) {
    session_.ask(
        fmt::format("Write this file to {}, and offer it to {}? Nothing is written before all have "
                    "compared four words. [y/N] ",
                    path(), listed(others_in(draft.parsed))));
  }

  bool is_yes() { return is_word_of_yes(session_.take_typed().value_or("")); }

  ExitCode refuse() {
    command_.terminal.print_always("not written; nothing was changed\n");
    return ExitCode::kRefused;
  }

  [[nodiscard]] std::string path() const {
    const auto& out = founding_.out;
    return out.empty() ? protocol::kDefaultFile : out;
  }

  [[nodiscard]] std::vector<std::string> others_in(const config::Parsed& parsed) const {
    auto names = names_in(parsed);
    std::erase(names, session_.task().node);
    return names;
  }

  /// Before anybody is asked. Errors: it could not be written there.
  Result<> check_place(const std::string& text) const {
    if (!founding_.out.empty()) return check_new_file(founding_.out, "-o");
    return check_no_other_file(command_.host.files, text);
  }

  /// Until all have said yes, or one has not.
  ExitCode agree(const Draft& draft) {
    while (!session_.is_time_over()) {
      const auto event = session_.wait(session_.deadline(), session_.awaits_person());
      if (!event) return report_error(command_, event.error());
      if (const auto end = go_on(draft, *event)) return *end;
    }
    return session_.has_agreed() ? report_silent(*session_.pairing()) : report_time_over();
  }

  /// Empty: it goes on.
  std::optional<ExitCode> go_on(const Draft& draft, Event event) {
    using Next = DiscoverSession::Next;
    const auto& pairing = *session_.pairing();
    const bool says_yes = command_.arguments.yes;
    switch (session_.next(says_yes || event == Event::kTyped)) {
      case Next::kWait:
        return {};
      case Next::kPut:
        return put(draft, pairing);
      case Next::kRefused:
        return report_refused(pairing.refused_by());
      case Next::kGone:
        return report_gone(pairing.gone(session_.nodes()));
      case Next::kAsk:
        if (const auto free = check_trusted(command_.host.files, pairing.keys_of_others()); !free) {
          session_.refuse();
          return report_error(command_, free.error());
        }
        ask_for_words(pairing);
        if (!says_yes) return {};
        [[fallthrough]];
      case Next::kAnswer:
        break;
    }
    if (!says_yes && !is_yes()) {
      session_.refuse();
      return refuse();
    }
    const auto said = session_.consent();
    return said ? std::nullopt : std::optional(report_error(command_, said.error()));
  }

  void ask_for_words(const Pairing& pairing) {
    const auto others = listed(pairing.others());
    if (command_.arguments.json) {
      command_.terminal.complain(pairing.words() + "\n");  // the one object comes at the end
    } else {
      command_.terminal.print_always(fmt::format("\n    {}\n\n", pairing.words()));
    }
    if (!command_.arguments.yes) {
      session_.ask(fmt::format("`join` shows four words on {}. Are they the same? [y/N] ", others));
    } else if (!command_.arguments.json) {
      command_.terminal.print_always(
          fitting(fmt::format("Compare these words with those that `join` shows on {}, and answer "
                              "there\n",
                              others),
                  command_.terminal));
    }
    flush(command_.terminal);
  }

  ExitCode put(const Draft& draft, const Pairing& pairing) {
    const auto placed = session_.put(founding_.out);
    session_.pass_on();
    if (!placed) return report_error(command_, placed.error());
    const bool was_there = *placed == Placed::kSame;
    if (command_.arguments.json) {
      nlohmann::json body{{"text", draft.text}, {"out", path()}, {"words", pairing.words()}};
      if (!was_there) add_artifact(body, path(), kYamlType, draft.text);
      print_json(command_.terminal, "init", draft.parsed.cluster, "", ExitCode::kDone, body);
      return ExitCode::kDone;
    }
    const auto apply =
        command_line_for("apply", {.file = founding_.out, .root = command_.arguments.root});
    command_.terminal.print(fmt::format("all have said yes; {} says so too, and has the file\n",
                                        listed(pairing.others())));
    command_.terminal.print_always(
        fmt::format("{} {}\nnext: sudo {}\n", path(),
                    was_there ? "was there already, the same" : "is written", apply));
    return ExitCode::kDone;
  }

  ExitCode report_refused(const std::string& node) {
    return report_error(
        command_,
        {.code = ErrorCode::kInvalid,
         .what =
             fmt::format("{} did not take the file: its own screen says why. Nothing was written, "
                         "here or on another node: run this and `join` again",
                         node)},
        ExitCode::kRefused);
  }

  ExitCode report_gone(const std::string& node) {
    return report_error(
        command_,
        {.code = ErrorCode::kSystem,
         .what = fmt::format("{} is gone: its `join` has ended. Nothing was written: "
                             "run this and `join` again",
                             node)},
        ExitCode::kRefused);
  }

  ExitCode report_silent(const Pairing& pairing) {
    return report_error(
        command_,
        {.code = ErrorCode::kTimeout,
         .what = fmt::format("ten minutes have passed, and {} did not answer; nothing "
                             "was written: run this and `join` again",
                             listed(pairing.awaited()))},
        ExitCode::kWaiting);
  }

  ExitCode report_time_over() {
    const auto& wiring = session_.wiring();
    const auto expected = founding_.nodes;
    std::string why = "nobody was heard";
    if (!wiring.problems.empty()) {
      why = wiring.problems.front();
    } else if (expected && wiring.nodes.size() > 1) {
      why = fmt::format("{} of {} nodes were here: {}", wiring.nodes.size(), *expected,
                        listed(wiring.nodes));
    } else if (wiring.is_whole()) {
      why = "nobody answered the question";
    }
    return report_error(
        command_,
        {.code = ErrorCode::kTimeout,
         .what = fmt::format("ten minutes have passed, and nothing was written: {}", why)},
        ExitCode::kWaiting);
  }

  const Command& command_;
  Founding founding_;
  DiscoverSession session_;
  std::vector<IpPrefix> taken_;
  OwnRails own_;
};

/// What this machine has to say before it listens. Errors: it will not be able to write.
Result<> check_founder(const Command& command, const Founding& founding) {
  const auto& arguments = command.arguments;
  if (!arguments.yes && !is_person_there(arguments)) {
    return fail(ErrorCode::kInvalid,
                "nobody can be asked here: give --yes, and the number of nodes, as `sudo "
                "spark-reconcile init --discover --nodes 2 --yes`");
  }
  if (!founding.out.empty()) return {};
  const auto placed = find_placed(command.host.files, "");
  if (!placed) return std::unexpected(placed.error());
  if (*placed == Placed::kDifferent && !arguments.json) {
    command.terminal.complain(fitting(
        fmt::format("! '{}' is there already; it is not replaced, and only offered where what is "
                    "found comes out the same. Else give -o another name, or, for the keys alone, "
                    "run `join` on every node\n",
                    protocol::kDefaultFile),
        command.terminal));
  }
  return {};
}

}  // namespace

ExitCode init_by_discovery(const Command& command, Founding founding) {
  if (const auto checked = check_founder(command, founding); !checked) {
    return report_error(command, checked.error());
  }
  host::View view(command.host);
  auto task = own_task(view, true);
  if (!task) return report_error(command, task.error());
  auto session = DiscoverSession::start(command, *std::move(task));
  if (!session) return report_error(command, session.error());
  const auto rails = rails_here(view).value_or(std::vector<RailHere>{});
  OwnRails own{.node = session->task().node, .in_use = subnets_in_use(view, rails)};
  return Founder(command, std::move(founding), *std::move(session), plan::subnets_in_use(view),
                 std::move(own))
      .run();
}

}  // namespace spark::cli
