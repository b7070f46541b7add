#include "cli/discover/founder.hpp"

#include <algorithm>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "cli/discover/discovered_file.hpp"
#include "cli/discover/four_words.hpp"
#include "cli/discover/own_task.hpp"
#include "cli/discover/picture.hpp"
#include "cli/discover/place_file.hpp"
#include "cli/discover/session.hpp"
#include "cli/init/new_file.hpp"
#include "cli/init/own_text.hpp"
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
using protocol::FileAnswer;

/// So long all has to be as it is, before it is written down.
constexpr std::chrono::seconds kUnchangedFor{3};
/// So long the founder says that it is over: each passes that on twice a second.
constexpr std::chrono::seconds kOverTime{2};

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
  Founder(const Command& command, DiscoverSession session, std::vector<IpPrefix> taken,
          OwnRails own)
      : command_(command),
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
    if (const auto put = put_file(draft->text); !put) return report_error(command_, put.error());
    return offer(*draft);
  }

 private:
  /// The exit code says why there is none.
  std::expected<Draft, ExitCode> gather() {
    std::string asked;  // the text that the question on the screen is about
    while (!session_.is_time_over()) {
      const auto event = session_.wait(session_.deadline(), !asked.empty());
      if (!event) return std::unexpected(report_error(command_, event.error()));
      session_.show();
      auto draft = current_draft();
      if (!draft) return std::unexpected(report_error(command_, draft.error()));
      if (*event == Event::kTyped) {
        if (!is_yes()) return std::unexpected(refuse());
        if (*draft && (*draft)->text == asked) return *std::move(*draft);
        command_.terminal.print_always("not written: the nodes have changed meanwhile\n");
        asked.clear();
      } else if (is_settled() && *draft && (*draft)->text != asked) {
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
    const auto expected = command_.arguments.node_count;
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
    static_cast<void>(tcflush(STDIN_FILENO, TCIFLUSH));  // what was typed before is no answer
    command_.terminal.print_always(fmt::format("Write this file to {}, and offer it to {}? [y/N] ",
                                               path(), listed(others_in(draft.parsed))));
    flush(command_.terminal);
  }

  bool is_yes() {
    const auto word = ascii_lower(fold_blanks(session_.take_typed().value_or("")));
    return word == "y" || word == "yes";
  }

  ExitCode refuse() {
    command_.terminal.print_always("not written; nothing was changed\n");
    return ExitCode::kRefused;
  }

  [[nodiscard]] std::string path() const {
    const auto& out = command_.arguments.out;
    return out.empty() ? protocol::kDefaultFile : out;
  }

  [[nodiscard]] std::vector<std::string> others_in(const config::Parsed& parsed) const {
    auto names = names_in(parsed);
    std::erase(names, session_.task().node);
    return names;
  }

  Result<> put_file(const std::string& text) {
    if (!command_.arguments.out.empty()) return write_new_file(command_.arguments.out, text);
    const auto placed = place_file(command_.host.files, text);
    if (!placed) return std::unexpected(placed.error());
    was_there_ = *placed == Placed::kSame;
    return {};
  }

  ExitCode offer(const Draft& draft) {
    const auto words = four_words(draft.text, session_.task().run, names_in(draft.parsed));
    if (auto ordered = session_.order({.offer = draft.text, .file = {}}); !ordered) {
      return report_error(command_, ordered.error());
    }
    const auto others = others_in(draft.parsed);
    say_words(words, others);
    const auto digest = sha256_of(draft.text);
    while (!session_.is_time_over() && answers_.size() < others.size()) {
      if (const auto event = session_.wait(session_.deadline(), false); !event) {
        return report_error(command_, event.error());
      }
      note_answers(digest, others);
    }
    say_over();
    return report(draft, words, others);
  }

  void say_words(const std::string& words, const std::vector<std::string>& others) {
    const auto text = fmt::format(
        "{} {}\n\n    {}\n\nCompare these words with those that `join` shows on {}, and answer "
        "there\n",
        path(), was_there_ ? "was there already, the same" : "is written", words, listed(others));
    if (command_.arguments.json) {
      command_.terminal.complain(words + "\n");  // the one object comes at the end
    } else {
      command_.terminal.print_always(fitting(text, command_.terminal));
    }
    flush(command_.terminal);
  }

  void note_answers(const std::string& digest, const std::vector<std::string>& others) {
    for (const auto& node : session_.nodes()) {
      const bool counts = node.file == digest && node.answer != FileAnswer::kNone &&
                          std::ranges::find(others, node.node) != others.end();
      if (!counts || (answers_.contains(node.node) && answers_[node.node] == node.answer)) continue;
      answers_[node.node] = node.answer;
      if (command_.arguments.json) continue;
      command_.terminal.print(fmt::format("{} {}\n", node.node,
                                          node.answer == FileAnswer::kTaken
                                              ? "has taken the file"
                                              : "did not take the file: its own screen says why"));
      flush(command_.terminal);
    }
  }

  /// Else the others would wait for the ten minutes.
  void say_over() {
    const auto end = Clock::now() + kOverTime;
    if (!session_.order({.offer = {}, .file = {}, .is_over = true})) return;
    while (Clock::now() < end && session_.wait(end, false)) {
    }
  }

  ExitCode report(const Draft& draft, const std::string& words,
                  const std::vector<std::string>& others) {
    std::vector<std::string> silent;
    std::vector<std::string> refused;
    for (const auto& name : others) {
      const auto answer = answers_.find(name);
      if (answer == answers_.end()) {
        silent.push_back(name);
      } else if (answer->second == FileAnswer::kRefused) {
        refused.push_back(name);
      }
    }
    if (!refused.empty()) {
      return report_error(command_,
                          {.code = ErrorCode::kInvalid,
                           .what = fmt::format("{} did not take the file, which stays at '{}': run "
                                               "this and `join` again, or copy it there",
                                               listed(refused), path())},
                          ExitCode::kRefused);
    }
    if (!silent.empty()) {
      return report_error(
          command_,
          {.code = ErrorCode::kTimeout,
           .what = fmt::format("ten minutes have passed, and {} did not answer; the "
                               "file stays at '{}': run this and `join` again",
                               listed(silent), path())},
          ExitCode::kWaiting);
    }
    if (command_.arguments.json) {
      nlohmann::json body{{"text", draft.text}, {"out", path()}, {"words", words}};
      if (!was_there_) add_artifact(body, path(), kYamlType, draft.text);
      print_json(command_.terminal, "init", draft.parsed.cluster, "", ExitCode::kDone, body);
    } else {
      const auto apply = command_line_for(
          "apply", {.file = command_.arguments.out, .root = command_.arguments.root});
      command_.terminal.print_always(fmt::format("next: sudo {}\n", apply));
    }
    return ExitCode::kDone;
  }

  ExitCode report_time_over() {
    const auto& wiring = session_.wiring();
    const auto expected = command_.arguments.node_count;
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
  DiscoverSession session_;
  std::vector<IpPrefix> taken_;
  OwnRails own_;
  bool was_there_ = false;
  std::map<std::string, FileAnswer> answers_;
};

/// What this machine has to say before it listens. Errors: it will not be able to write.
Result<> check_founder(const Command& command) {
  const auto& arguments = command.arguments;
  if (!arguments.yes && !is_person_there(arguments)) {
    return fail(ErrorCode::kInvalid,
                "nobody can be asked here: give --yes, and --nodes N with the number of nodes");
  }
  if (!arguments.out.empty()) return {};
  const auto placed = find_placed(command.host.files, "");
  if (!placed) return std::unexpected(placed.error());
  if (*placed == Placed::kDifferent && !arguments.json) {
    command.terminal.complain(fitting(
        fmt::format("! '{}' is there already; it is not replaced, and only offered where what is "
                    "found comes out the same. Else give -o another name\n",
                    protocol::kDefaultFile),
        command.terminal));
  }
  return {};
}

}  // namespace

ExitCode init_by_discovery(const Command& command) {
  if (const auto checked = check_founder(command); !checked) {
    return report_error(command, checked.error());
  }
  host::View view(command.host);
  auto task = own_task(view, true);
  if (!task) return report_error(command, task.error());
  auto session = DiscoverSession::start(command, *std::move(task));
  if (!session) return report_error(command, session.error());
  const auto rails = rails_here(view).value_or(std::vector<RailHere>{});
  OwnRails own{.node = session->task().node, .in_use = subnets_in_use(view, rails)};
  return Founder(command, *std::move(session), plan::subnets_in_use(view), std::move(own)).run();
}

}  // namespace spark::cli
