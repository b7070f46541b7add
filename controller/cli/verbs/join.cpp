// The verb `join`: takes the cluster file of the node that runs `init --discover`, over the cable,
// once people at all nodes have compared four words. Nodes that have a file already exchange their
// keys the same way, and keep it.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/discover/discovered_file.hpp"
#include "cli/discover/own_task.hpp"
#include "cli/discover/pairing.hpp"
#include "cli/discover/picture.hpp"
#include "cli/discover/session.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"
#include "config/parse/parse.hpp"
#include "host/view.hpp"
#include "protocol/discover.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

struct JoinArguments {
  std::string words;   ///< "-": from stdin; empty: a person is asked
  std::string forget;  ///< whose key is dropped; empty: none
};

using JoinClock = DiscoverSession::Clock;
using JoinEvent = DiscoverSession::Event;

/// So long an offer is held back at most until the own cables are heard: it shows which are what.
constexpr std::chrono::seconds kForOwnCables{5};
/// So long nothing changes before keys are exchanged, where all nodes of the file are there.
constexpr std::chrono::seconds kForAll{3};
/// The same where some are not.
constexpr std::chrono::seconds kForThoseHere{30};
constexpr std::string_view kWordsFromStdin = "-";

/// What is offered, for this node. Errors: kInvalid: it is no file of the nodes that it is for.
Result<config::Parsed> judge_offer(const Pairing& pairing, const std::string& founder,
                                   const protocol::DiscoverTask& own) {
  auto parsed = config::parse(pairing.file());
  for (const auto& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("the file that {} offers is invalid here: {} [{}]; do both nodes "
                              "have the same version of spark-reconcile?",
                              founder, printable(diagnostic.message), diagnostic.id));
    }
  }
  std::set<std::string> in_file;
  for (const auto& [name, spec] : parsed.cluster.nodes) in_file.insert(name);
  const auto others = pairing.others();
  std::set<std::string> offered(others.begin(), others.end());
  offered.insert(own.node);
  const auto self = parsed.cluster.nodes.find(own.node);
  const bool is_mine = self != parsed.cluster.nodes.end() &&
                       (!self->second.management || self->second.management->value == own.lan);
  if (in_file == offered && is_mine) return parsed;
  if (in_file == offered) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("the file that {} offers has another link to the LAN for this node than "
                    "'{}': something on the wire may have changed what this node said",
                    founder, own.lan));
  }
  return fail(
      ErrorCode::kInvalid,
      fmt::format("the file that {} offers has other nodes than those that it is offered to: "
                  "run `init --discover` again there",
                  founder));
}

class Joiner {
 public:
  /// `own_file`: the cluster file that is here; without nodes: there is none that can be used.
  Joiner(const Command& command, DiscoverSession session, config::Parsed own_file)
      : command_(command), session_(std::move(session)), parsed_(std::move(own_file)) {}

  ExitCode run() {
    say(
        fmt::format("listening on the cages of {}, for ten minutes at most; run `sudo "
                    "spark-reconcile {}\n",
                    session_.task().node,
                    keeps_file() ? "join` on each other node too: a cluster file is here, so keys "
                                   "are exchanged, and each node keeps its file"
                                 : "init --discover` on one other node"));
    while (!session_.is_time_over()) {
      const auto event =
          session_.wait(session_.deadline(), session_.awaits_person() && needs_stdin());
      if (!event) return report_error(command_, event.error());
      if (!session_.pairing()) session_.show();
      if (offers_keys()) {
        founder_ = session_.task().node;
        if (const auto offered = session_.offer(""); !offered) {
          return report_error(command_, offered.error());
        }
      }
      if (auto file = session_.take_file()) held_ = std::move(file);
      if (held_ && are_own_cables_heard()) {
        session_.show();
        if (const auto taken = take_offer(); !taken) return refuse(taken.error());
      }
      if (const auto end = go_on(*event)) return *end;
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

  [[nodiscard]] const std::string& words() const {
    return own_options<JoinArguments>(command_).words;
  }

  [[nodiscard]] bool needs_stdin() const { return words().empty() || words() == kWordsFromStdin; }

  [[nodiscard]] bool keeps_file() const { return !session_.task().own_file.empty(); }
  [[nodiscard]] bool is_of_keys() const { return session_.pairing()->file().empty(); }

  /// Where all keep their files, the first by name begins.
  [[nodiscard]] bool offers_keys() const {
    const auto& own = session_.task();
    const auto& wiring = session_.wiring();
    if (!keeps_file() || session_.pairing() != nullptr || !wiring.is_whole()) return false;
    const bool may_begin = std::ranges::all_of(session_.nodes(), [&](const auto& node) {
      return node.node >= own.node && !node.own_file.empty() && node.file.empty() &&
             !node.is_founder;
    });
    const bool are_all = std::ranges::all_of(parsed_.cluster.nodes, [&](const auto& node) {
      return node.second.away || std::ranges::binary_search(wiring.nodes, node.first);
    });
    return may_begin &&
           JoinClock::now() >= session_.unchanged_since() + (are_all ? kForAll : kForThoseHere);
  }

  /// Of what is heard, or it takes too long.
  [[nodiscard]] bool are_own_cables_heard() const {
    return session_.wiring().problems.empty() ||
           JoinClock::now() >= session_.unchanged_since() + kForOwnCables;
  }

  /// Errors: it cannot be taken, whatever the person says.
  Result<> take_offer() {
    const auto file = *std::exchange(held_, std::nullopt);
    if (auto begun = session_.begin(file); !begun) return begun;
    founder_ = session_.pairing()->founder();
    if (is_of_keys()) {
      return keeps_file()
                 ? Result<>{}
                 : fail(ErrorCode::kInvalid,
                        fmt::format("{} exchanges keys alone, and there is no cluster file here "
                                    "yet: run `init --discover` on one node, and this again",
                                    founder_));
    }
    auto parsed = judge_offer(*session_.pairing(), founder_, session_.task());
    if (!parsed) return std::unexpected(parsed.error());
    parsed_ = *std::move(parsed);
    return check_no_other_file(command_.host.files, session_.pairing()->file());
  }

  /// What comes next of the offer. Empty: it goes on.
  std::optional<ExitCode> go_on(JoinEvent event) {
    using Next = DiscoverSession::Next;
    const auto* pairing = session_.pairing();
    if (pairing == nullptr) return {};
    switch (session_.next(!needs_stdin() || event == JoinEvent::kTyped)) {
      case Next::kWait:
        return {};
      case Next::kPut:
        return put_file();
      case Next::kRefused:
        session_.pass_on();
        return report_refused(pairing->refused_by());
      case Next::kGone:
        return report_gone(pairing->gone(session_.nodes()));
      case Next::kAsk:
        if (auto free = check_trusted(command_.host.files, pairing->keys_of_others()); !free) {
          return refuse(free.error());
        }
        show_offer(*pairing);
        if (needs_stdin()) return {};
        [[fallthrough]];
      case Next::kAnswer:
        break;
    }
    if (const auto no = answered(*pairing)) return refuse(*no, ExitCode::kRefused);
    const auto said = session_.consent();
    return said ? std::nullopt : std::optional(report_error(command_, said.error()));
  }

  /// Those with another cluster file than this node; they have said so themselves.
  [[nodiscard]] std::vector<std::string> with_other_file() const {
    std::vector<std::string> names;
    for (const auto& node : session_.nodes()) {
      if (node.own_file != session_.task().own_file) names.push_back(node.node);
    }
    return names;
  }

  void show_keys(const Pairing& pairing) {
    const auto& terminal = command_.terminal;
    if (command_.arguments.json) {
      terminal.complain(pairing.words() + "\n");  // the one object comes at the end
    } else {
      if (const auto others = with_other_file(); !others.empty()) {
        terminal.print_always(
            fitting(fmt::format("! {} {} another cluster file than this node; no file is changed "
                                "now, and `apply --all` gives all nodes one\n",
                                listed(others), others.size() == 1 ? "has" : "have"),
                    terminal));
      }
      terminal.print_always(fmt::format("\n    {}\n\n", pairing.words()));
      flush(terminal);
    }
    if (!words().empty()) return;
    session_.ask(
        fmt::format("Does `join` show the same words on {}? A node whose key is in {} may offer a "
                    "cluster file to this one (`apply --all`). [y/N] ",
                    listed(pairing.others()), protocol::kTrustedFile));
  }

  void show_offer(const Pairing& pairing) {
    if (is_of_keys()) return show_keys(pairing);
    if (!command_.arguments.json) {
      command_.terminal.print_always(fmt::format(
          "\n{} offers this file:\n\n{}\n{}\n    {}\n\n", founder_, file_screen(pairing.file()),
          cages_by_file(parsed_.cluster, session_.wiring(), session_.task().node),
          pairing.words()));
      flush(command_.terminal);
    }
    if (!words().empty()) return;
    session_.ask(fmt::format("Does {} show the same words? Put the file at {}? [y/N] ", founder_,
                             protocol::kDefaultFile));
  }

  /// To the question, or by the words that were given. Empty: yes.
  std::optional<Error> answered(const Pairing& pairing) {
    const auto& given = words();
    const auto answer = needs_stdin() ? session_.take_typed().value_or("") : given;
    if (given.empty() ? is_word_of_yes(answer) : are_same_words(answer, pairing.words())) return {};
    return Error{.code = ErrorCode::kInvalid,
                 .what = given.empty()
                             ? "not taken; nothing was written"
                             : fmt::format("the words of {} are \"{}\", not {}: nothing was "
                                           "written",
                                           is_of_keys() ? "the keys" : "the file that came",
                                           pairing.words(), in_quotes(answer))};
  }

  ExitCode put_file() {
    const auto placed = session_.put("");
    if (placed && !command_.arguments.json) {
      command_.terminal.print_always(
          is_of_keys()
              ? fmt::format("{} has {} of {}\n", protocol::kTrustedFile,
                            session_.pairing()->others().size() == 1 ? "the key" : "the keys",
                            listed(session_.pairing()->others()))
              : fmt::format(
                    "{} {}\n", protocol::kDefaultFile,
                    *placed == Placed::kSame ? "was there already, the same" : "is written"));
      flush(command_.terminal);
    }
    session_.pass_on();
    if (!placed) return report_error(command_, placed.error());
    report_placed(*placed == Placed::kSame);
    return ExitCode::kDone;
  }

  ExitCode report_refused(const std::string& node) {
    return report_error(command_,
                        {.code = ErrorCode::kInvalid,
                         .what = fmt::format("{} did not take the {}: its own screen says why. "
                                             "Nothing was written",
                                             node, is_of_keys() ? "keys" : "file")},
                        ExitCode::kRefused);
  }

  /// It may have heard the last yes, and this node not: nothing that comes later can tell.
  ExitCode report_gone(const std::string& node) {
    return report_error(
        command_,
        {.code = ErrorCode::kSystem,
         .what = fmt::format("{} is gone before all have said yes: nothing was written here. "
                             "Run {}",
                             node,
                             is_of_keys() ? "`join` again, there and here"
                                          : "`init --discover` and this again; a node that has the "
                                            "file offers it as it is")});
  }

  void report_placed(bool was_there) {
    const auto& arguments = command_.arguments;
    if (arguments.json) {
      nlohmann::json body{{"founder", founder_},
                          {"words", session_.pairing()->words()},
                          {"path", protocol::kDefaultFile},
                          {"was_there", was_there},
                          {"trusted", session_.pairing()->others()}};
      if (!was_there)
        add_artifact(body, protocol::kDefaultFile, kYamlType, session_.pairing()->file());
      print_json(command_.terminal, verb_of(command_), parsed_.cluster, session_.task().node,
                 ExitCode::kDone, body);
    } else {
      command_.terminal.print_always(fmt::format(
          "next: sudo {}\n",
          command_line_for(is_of_keys() ? "plan --all" : "apply", {.root = arguments.root})));
    }
  }

  /// Tells the founder, and reports it here.
  ExitCode refuse(const Error& error, ExitCode code = ExitCode::kError) {
    session_.refuse();
    return report_error(command_, error, code);
  }

  [[nodiscard]] std::string why_time_is_over() const {
    const auto& wiring = session_.wiring();
    const auto* why = session_.pairing() != nullptr   ? "not all have said yes"
                      : session_.founder() != nullptr ? "no file was offered"
                      : wiring.nodes.size() > 1 && keeps_file()
                          ? "keys are exchanged once every node that runs `join` has a cluster "
                            "file, and every cable is heard at both ends"
                      : wiring.nodes.size() > 1
                          ? "none of those that were heard runs `init --discover`"
                          : "nobody was heard";
    return fmt::format("ten minutes have passed, and nothing was written: {}", why);
  }

  const Command& command_;
  DiscoverSession session_;
  std::optional<protocol::DiscoverFile> held_;  ///< what came, and was not looked at yet
  std::string founder_;                         ///< its name
  config::Parsed parsed_;  ///< the file that is offered, or, where keys are, the one that is here
};

ExitCode forget(const Command& command, const std::string& node) {
  if (const auto forgotten = forget_trusted(command.host.files, node); !forgotten) {
    return report_error(command, forgotten.error());
  }
  host::View view(command.host);
  return report_outcome(
      command, "", ExitCode::kDone, {{"forgotten", node}},
      fitting(
          fmt::format("no cluster file of {0} is taken here any more. {0} still takes those of "
                      "this node until you type there: sudo spark-reconcile join --forget {1}\n",
                      node, own_node_name(view).value_or("NODE")),
          command.terminal));
}

ExitCode join(const Command& command) {
  if (const auto& node = own_options<JoinArguments>(command).forget; !node.empty()) {
    return forget(command, node);
  }
  if (own_options<JoinArguments>(command).words.empty() && !is_person_there(command.arguments)) {
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
  const auto& file = view.file(protocol::kDefaultFile);
  auto own_file = config::parse(file && *file ? **file : "");
  if (config::has_errors(own_file.diagnostics)) own_file = {};
  return Joiner(command, *std::move(session), std::move(own_file)).run();
}

constexpr auto kJoinOptions = std::to_array<OptionRow>({
    {"--words", &Value::kText, in<&JoinArguments::words>(),
     "instead of the question: the four words that the other node printed; - reads them "
     "from stdin"},
    {"--forget", &Value::kNode, in<&JoinArguments::forget>(),
     "drop the key of that node, and exchange nothing"},
});

std::string advise_join(const ExtraWord& extra) {
  return protocol::is_host_name(extra.argument.text)
             ? "it finds the other node over the cable: " +
                   line_with(extra.line, extra.argument.at, {})
             : "";
}

}  // namespace

extern const VerbSpec kJoinVerb{
    .name = "join",
    .group = VerbGroup::kStart,
    .about = "take the file of another node over the cable, or exchange keys, by four words",
    .first_week = 2,
    .needs_root = true,
    .file = VerbSpec::OfFile::kAsItIs,
    .options = own_rows<JoinArguments>(kJoinOptions),
    .advise_last = advise_join,
    .run = join};

}  // namespace spark::cli
