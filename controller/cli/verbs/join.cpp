// The verb `join`: takes the cluster file of the node that runs `init --discover`, over the cable,
// once a person has compared four words.

#include <algorithm>
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
#include "cli/command.hpp"
#include "cli/discover/four_words.hpp"
#include "cli/discover/own_task.hpp"
#include "cli/discover/picture.hpp"
#include "cli/discover/place_file.hpp"
#include "cli/discover/session.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"
#include "config/parse/parse.hpp"
#include "host/view.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

using JoinClock = DiscoverSession::Clock;
using JoinEvent = DiscoverSession::Event;
using protocol::FileAnswer;

/// So long it passes on that all is over, for nodes that hear the founder over this one alone.
constexpr std::chrono::milliseconds kPassOnOver{1500};
/// So long a refusal is told: several rounds of frames.
constexpr std::chrono::milliseconds kTellRefusal{2500};
constexpr std::string_view kWordsFromStdin = "-";

/// The file that is offered, judged.
struct Offered {
  std::string text;
  config::Parsed parsed;
  std::string founder;  ///< its name
  std::string words;
};

/// Errors: kInvalid: it is no file of this node.
Result<Offered> judge_offer(const protocol::DiscoverFile& file, const std::string& founder,
                            const std::string& own) {
  Offered offered{
      .text = file.text, .parsed = config::parse(file.text), .founder = founder, .words = {}};
  for (const auto& diagnostic : offered.parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("the file that {} offers is invalid here: {} [{}]; do both nodes "
                              "have the same version of spark-reconcile?",
                              founder, printable(diagnostic.message), diagnostic.id));
    }
  }
  std::vector<std::string> names;
  names.reserve(offered.parsed.cluster.nodes.size());
  for (const auto& [name, spec] : offered.parsed.cluster.nodes) names.push_back(name);
  if (std::ranges::find(names, own) == names.end()) {
    return fail(ErrorCode::kInvalid,
                fmt::format("the file that {} offers has no node {}: it was written before this "
                            "node was heard; run `init --discover` again there",
                            founder, own));
  }
  offered.words = four_words(file.text, file.founder, std::move(names));
  return offered;
}

class Joiner {
 public:
  Joiner(const Command& command, DiscoverSession session)
      : command_(command), session_(std::move(session)) {}

  ExitCode run() {
    say(
        fmt::format("listening on the cages of {}, for ten minutes at most; run `sudo "
                    "spark-reconcile init --discover` on one other node\n",
                    session_.task().node));
    while (!session_.is_time_over()) {
      const auto event = session_.wait(session_.deadline(), offered_ && needs_stdin());
      if (!event) return report_error(command_, event.error());
      session_.show();
      if (const auto file = session_.take_file()) {
        if (const auto shown = take_offer(*file); !shown) return refuse(shown.error());
        if (offered_ && !needs_stdin()) return decide(command_.arguments.words);
      } else if (*event == JoinEvent::kTyped) {
        return decide(session_.take_typed().value_or(""));
      }
    }
    return report_error(command_, {.code = ErrorCode::kTimeout, .what = why_time_is_over()},
                        ExitCode::kWaiting);
  }

 private:
  void say(const std::string& text) {
    if (command_.arguments.json) return;
    command_.terminal.print(fitting(text, command_.terminal));
    flush(command_.terminal);
  }

  [[nodiscard]] bool needs_stdin() const {
    return command_.arguments.words.empty() || command_.arguments.words == kWordsFromStdin;
  }

  /// Shows the file and asks. Errors: it cannot be taken, whatever the person says.
  Result<> take_offer(const protocol::DiscoverFile& file) {
    digest_ = sha256_of(file.text);
    const auto* founder = session_.founder();
    auto judged = judge_offer(file, founder == nullptr ? "another node" : founder->node,
                              session_.task().node);
    if (!judged) return std::unexpected(judged.error());
    const auto placed = find_placed(command_.host.files, judged->text);
    if (!placed) return std::unexpected(placed.error());
    if (*placed == Placed::kDifferent) {
      return fail(ErrorCode::kBusy,
                  fmt::format("'{0}' is there already and says something else than {1} offers, and "
                              "no file is replaced: move it away (sudo mv {0} {0}.before) and run "
                              "this again",
                              protocol::kDefaultFile, judged->founder));
    }
    offered_ = *std::move(judged);
    show_offer();
    return {};
  }

  void show_offer() {
    say(fmt::format("\n{} offers this file:\n\n", offered_->founder));
    say(file_screen(offered_->text) + "\n" +
        cages_by_file(offered_->parsed.cluster, session_.wiring(), session_.task().node) +
        fmt::format("\n    {}\n\n", offered_->words));
    if (!command_.arguments.words.empty()) return;
    static_cast<void>(tcflush(STDIN_FILENO, TCIFLUSH));  // what was typed before is no answer
    command_.terminal.print_always(
        fmt::format("Does {} show the same words? Put the file at {}? [y/N] ", offered_->founder,
                    protocol::kDefaultFile));
    flush(command_.terminal);
  }

  /// What was typed at the question, or the words that were given.
  ExitCode decide(const std::string& answer) {
    if (command_.arguments.words.empty()) {
      const auto word = ascii_lower(fold_blanks(answer));
      if (word == "y" || word == "yes") return put_file();
      return refuse({.code = ErrorCode::kInvalid, .what = "not taken; nothing was written"},
                    ExitCode::kRefused);
    }
    if (are_same_words(answer, offered_->words)) return put_file();
    return refuse(
        {.code = ErrorCode::kInvalid,
         .what = fmt::format("the words of the file that came are \"{}\", not {}: nothing "
                             "was written",
                             offered_->words, in_quotes(answer))},
        ExitCode::kRefused);
  }

  ExitCode put_file() {
    const auto placed = place_file(command_.host.files, offered_->text);
    if (!placed) return refuse(placed.error());
    const bool was_there = *placed == Placed::kSame;
    // The file is there, whether or not the others hear so.
    static_cast<void>(session_.order(answer(FileAnswer::kTaken)));
    if (!command_.arguments.json) {
      command_.terminal.print_always(
          fmt::format("{} {}\n", protocol::kDefaultFile,
                      was_there ? "was there already, the same" : "is written"));
      flush(command_.terminal);
    }
    pass_on_until_over();
    report_placed(was_there);
    return ExitCode::kDone;
  }

  [[nodiscard]] protocol::DiscoverOrder answer(FileAnswer answer) const {
    return {.offer = {}, .answer = answer, .file = digest_};
  }

  /// Others may hear the founder over this node alone.
  void pass_on_until_over() {
    command_.terminal.show_passing(
        "waiting until all nodes have answered; Ctrl-C ends this, and the file stays");
    std::optional<SteadyTime> end;
    while (!session_.is_time_over() && (!end || JoinClock::now() < *end)) {
      if (!session_.wait(end.value_or(session_.deadline()), false)) return;
      const auto* founder = session_.founder();
      if (founder == nullptr) return;  // it has ended
      if (founder->is_over && !end) end = JoinClock::now() + kPassOnOver;
    }
  }

  void report_placed(bool was_there) {
    const auto& arguments = command_.arguments;
    if (arguments.json) {
      nlohmann::json body{{"founder", offered_->founder},
                          {"words", offered_->words},
                          {"path", protocol::kDefaultFile},
                          {"was_there", was_there}};
      if (!was_there) add_artifact(body, protocol::kDefaultFile, kYamlType, offered_->text);
      print_json(command_.terminal, name_of(arguments.verb), offered_->parsed.cluster,
                 session_.task().node, ExitCode::kDone, body);
    } else {
      command_.terminal.print_always(
          fmt::format("next: sudo {}\n", command_line_for("apply", {.root = arguments.root})));
    }
  }

  /// Tells the founder, and reports it here.
  ExitCode refuse(const Error& error, ExitCode code = ExitCode::kError) {
    const auto end = JoinClock::now() + kTellRefusal;
    if (session_.order(answer(FileAnswer::kRefused))) {
      while (JoinClock::now() < end && session_.wait(end, false)) {
      }
    }
    return report_error(command_, error, code);
  }

  [[nodiscard]] std::string why_time_is_over() const {
    const auto& wiring = session_.wiring();
    const auto* why = offered_                        ? "nobody answered the question"
                      : session_.founder() != nullptr ? "no file was offered"
                      : wiring.nodes.size() > 1
                          ? "none of those that were heard runs `init --discover`"
                          : "nobody was heard";
    return fmt::format("ten minutes have passed, and nothing was written: {}", why);
  }

  const Command& command_;
  DiscoverSession session_;
  std::string digest_;  ///< SHA-256 of the file that came last
  std::optional<Offered> offered_;
};

}  // namespace

ExitCode join(const Command& command) {
  const auto& arguments = command.arguments;
  if (arguments.words.empty() && !is_person_there(arguments)) {
    return report_error(command,
                        {.code = ErrorCode::kInvalid,
                         .what = "nobody can be asked here: give --words, the four words that "
                                 "`init --discover` printed, or --words - to read them from stdin"},
                        ExitCode::kRefused);
  }
  host::View view(command.host);
  auto task = own_task(view, false);
  if (!task) return report_error(command, task.error());
  auto session = DiscoverSession::start(command, *std::move(task));
  if (!session) return report_error(command, session.error());
  return Joiner(command, *std::move(session)).run();
}

}  // namespace spark::cli
