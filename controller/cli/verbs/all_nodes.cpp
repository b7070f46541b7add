#include "cli/verbs/all_nodes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/random.hpp"
#include "cli/held_signals.hpp"
#include "cli/input/named_nodes.hpp"
#include "cli/input/user_name.hpp"
#include "cli/json_output.hpp"
#include "cli/question.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/status_watch.hpp"
#include "cli/text/all_nodes_text.hpp"
#include "cli/text/layout.hpp"
#include "config/parse/parse.hpp"
#include "protocol/all_nodes.hpp"
#include "state/in_force_file.hpp"

namespace spark::cli {
namespace {

using all_nodes::Order;
using all_nodes::Progress;
using all_nodes::Stage;
using protocol::AllNodesWish;
using Clock = std::chrono::steady_clock;

/// It holds a cluster file.
constexpr unsigned kAskMode = 0600;
constexpr std::size_t kIdBytes = 16;
/// For the daemon, which may be in a pass, beside what nodes may take.
constexpr std::chrono::seconds kTakenWithin{20};
/// After `within`: each node asks its neighbours once more, and trains its links again.
constexpr std::chrono::minutes kEndsWithin{2};

bool is_answered(const Progress& progress) {
  const auto is_heard = [](const auto& node) { return node.stage && *node.stage != Stage::kHeard; };
  return progress.order != Order::kNone ||
         (!progress.nodes.empty() && std::ranges::all_of(progress.nodes, is_heard));
}

/// An offer of this process, from the ask on.
class AskedOffer {
 public:
  /// Why nothing more is waited for.
  enum class Stopped : std::uint8_t {
    kReached,
    kTooLate,
    kSignal,
    kAnother  ///< the daemon takes part in another one
  };

  /// `before`: the id of the offer that the daemon knew before.
  AskedOffer(const Command& command, protocol::AllNodesAsk ask, std::string before)
      : command_(command),
        ask_(std::move(ask)),
        before_(std::move(before)),
        watch_(command.arguments.root) {}

  Result<> ask(AllNodesWish wish) {
    ask_.wish = wish;
    return command_.host.files.write(
        protocol::kAllNodesAskFile,
        json_text(document_of(protocol::kAllNodesAskSchema, ask_)) + "\n", kAskMode);
  }
  /// Follows it until `is_enough`. `ends`: a signal that ends it.
  Stopped follow(bool (*is_enough)(const Progress&), std::chrono::milliseconds most,
                 const std::function<bool()>& ends, bool shows = false) {
    for (const auto end = Clock::now() + most;; watch_.wait(end)) {
      look(shows);
      if (another_) return Stopped::kAnother;
      if (taken_ && is_enough(progress_)) return Stopped::kReached;
      if (ends()) return Stopped::kSignal;
      if (Clock::now() >= end) return Stopped::kTooLate;
    }
  }
  /// Whether it is cancelled meanwhile: nobody said yes in time, or it yielded to another one.
  bool is_cancelled() {
    look(false);
    return progress_.order == Order::kBack;
  }
  /// Cancels what nobody has approved. Where that cannot be written, the daemon does it by itself
  /// once nobody approves it in time.
  void drop() {
    if (!ask(AllNodesWish::kCancel)) return;
    constexpr std::chrono::seconds kLong{5};
    static_cast<void>(follow(all_nodes::is_over, kLong, [] { return false; }));
  }

  /// As the daemon said it last.
  [[nodiscard]] const Progress& progress() const { return progress_; }
  /// Whose took its place.
  [[nodiscard]] const Progress& another() const { return *another_; }

 private:
  void look(bool shows) {
    const auto here = node_here(command_.host).value_or(std::nullopt);
    if (!here || !here->state.all_nodes) return;
    const auto& seen = *here->state.all_nodes;
    if (seen.terms.id == ask_.id) {
      if (shows) show(seen);
      progress_ = seen;
      taken_ = true;
    } else if (seen.terms.id != before_) {
      another_ = seen;
    }
  }
  void show(const Progress& seen) const {
    const auto& terminal = command_.terminal;
    if (command_.arguments.json) return;
    if (terminal.width()) {
      terminal.show_passing(passing_text(seen));
    } else {
      terminal.print(news_text(progress_, seen));
    }
  }

  const Command& command_;
  protocol::AllNodesAsk ask_;
  std::string before_;
  StatusWatch watch_;
  Progress progress_;
  bool taken_ = false;
  std::optional<Progress> another_;
};

using Stopped = AskedOffer::Stopped;

/// What prevents an offer of this node. Empty: nothing that it knows itself.
std::optional<Error> hindrance(const std::optional<NodeHere>& here) {
  constexpr const char* kAsks = "it is the daemon that asks the other nodes";
  if (!here) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("no daemon has reported this node's state, and {}: `sudo systemctl start "
                    "spark-reconcile`",
                    kAsks)};
  }
  if (!here->hangs.empty()) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{}, and {}: `sudo systemctl restart spark-reconcile`", here->hangs, kAsks)};
  }
  const auto& state = here->state;
  if (state.source) {
    return Error{ErrorCode::kInvalid,
                 fmt::format("this node follows {}: the file's way is git, so push it there. "
                             "`sudo spark-reconcile follow --stop` ends that; nothing was changed",
                             printable(state.source->url))};
  }
  if (state.all_nodes && is_pending_here(*state.all_nodes)) {
    return Error{ErrorCode::kBusy,
                 fmt::format("{} offers a file to all nodes already: `spark-reconcile status`; "
                             "nothing was changed",
                             who_offers(*state.all_nodes))};
  }
  return std::nullopt;
}

/// How it ended, as text or JSON.
ExitCode report_end(const Command& command, const ClusterFile& file, const Progress& progress,
                    AllNodesEnd end, ExitCode code) {
  const auto& terminal = command.terminal;
  if (command.arguments.json) {
    const auto own = progress.nodes.empty() ? "" : progress.nodes.front().node;
    print_json(terminal, "all-nodes", file, own, code, to_json(progress, end));
    return code;
  }
  const auto text = fitting(end_text(progress, end), terminal);
  const bool is_good = end == AllNodesEnd::kKept || end == AllNodesEnd::kPlanned;
  is_good ? terminal.print_always(text) : terminal.complain(text);
  if (end != AllNodesEnd::kPlanned) {
    print_next(terminal, command.arguments, "How it stands", "spark-reconcile status");
    return code;
  }
  const auto& except = command.arguments.except;
  const auto all = "apply --all" + (except.empty() ? "" : " --except " + shell_word(except));
  print_next(terminal, command.arguments, "Apply it on all",
             command_line_for(all, command.arguments));
  return code;
}

/// From the user's yes on.
ExitCode carry_out(const Command& command, const ClusterFile& file, AskedOffer& offer,
                   HeldSignals& signals, std::chrono::milliseconds within) {
  if (auto approved = offer.ask(AllNodesWish::kApprove); !approved) {
    return report_error(command, approved.error());
  }
  const auto& terminal = command.terminal;
  const auto say = [&](const std::string& text) {
    if (!command.arguments.json) terminal.complain(fitting(text, terminal));
  };
  bool is_cancelled = false;
  const auto ends = [&] { return is_cancelled ? signals.insists() : signals.came(); };
  while (offer.follow(all_nodes::is_over, within + kEndsWithin, ends, true) == Stopped::kSignal) {
    if (signals.hung_up()) return ExitCode::kInterrupted;  // the daemons carry it on
    if (is_cancelled) break;
    is_cancelled = true;
    if (offer.progress().order == Order::kKeep) {
      say("decided: it is kept on all nodes\n");
    } else if (auto cancelled = offer.ask(AllNodesWish::kCancel); cancelled) {
      say("interrupted: all nodes go back, unless it is decided already\n");
    } else {
      return report_error(command, cancelled.error());
    }
  }
  const auto& progress = offer.progress();
  // The line that passed, to stay.
  if (terminal.width() && !command.arguments.json) {
    terminal.print(fitting(passing_text(progress) + "\n", terminal));
  }
  const auto end = end_of(progress, true);
  const bool is_undone = is_cancelled && end == AllNodesEnd::kRolledBack;
  return report_end(command, file, progress, end,
                    is_undone ? ExitCode::kInterrupted : exit_code_of(end, progress));
}

/// The nodes of the file that nobody asks.
std::string left_out_text(const ClusterFile& file, const Progress& progress) {
  std::vector<std::string> names;
  for (const auto& [name, node] : file.parsed.cluster.nodes) {
    if (!progress.terms.nodes.contains(name)) names.push_back(printable(name));
  }
  return names.empty() ? std::string() : fmt::format("not asked: {}\n", listed(names));
}

/// The user's yes. The error is the exit code; it is reported.
std::expected<void, ExitCode> approval(const Command& command, AskedOffer& offer,
                                       HeldSignals& signals, std::chrono::milliseconds within) {
  if (command.question == nullptr) return {};
  const auto yes = command.question->ask(all_nodes_question(offer.progress(), within));
  if (yes.value_or(false)) return {};
  offer.drop();
  if (signals.hung_up()) return std::unexpected(ExitCode::kInterrupted);
  command.terminal.complain(yes ? "not carried out; nothing was changed\n"
                                : "\nno answer; nothing was changed. Without a question: --yes\n");
  return std::unexpected(signals.came() ? ExitCode::kInterrupted : ExitCode::kRefused);
}

/// What was waited for before the answers of all nodes were there. Empty: they are.
std::optional<ExitCode> no_answers(const Command& command, AskedOffer& offer,
                                   HeldSignals& signals) {
  const auto stopped = offer.follow(is_answered, protocol::kAnswerWithin + kTakenWithin,
                                    [&] { return signals.came(); });
  if (stopped == Stopped::kReached) return std::nullopt;
  if (stopped == Stopped::kAnother) {
    // Else the daemon may take it once the other one has ended. One that is asked for here has
    // replaced it already.
    const auto& another = offer.another();
    const bool is_asked_here = another.terms.origin == another.nodes.front().node;
    if (!is_asked_here) static_cast<void>(offer.ask(AllNodesWish::kCancel));  // as drop()
    return report_error(
        command,
        {ErrorCode::kBusy,
         fmt::format("{} asks for another file at the same time: this one was cancelled; see "
                     "`spark-reconcile status`",
                     who_offers(another))},
        ExitCode::kRefused);
  }
  offer.drop();
  if (signals.hung_up()) return ExitCode::kInterrupted;
  if (stopped == Stopped::kSignal) {
    return report_error(command, {ErrorCode::kInvalid, "interrupted; nothing was changed"},
                        ExitCode::kInterrupted);
  }
  return report_error(command,
                      {ErrorCode::kNotFound,
                       "the daemon has not said in time what all nodes answer; nothing was "
                       "changed. See `spark-reconcile doctor`"});
}

/// Whom --except names wrongly. Empty: nobody.
std::optional<Error> fault_of_except(const Command& command, const ClusterFile& file,
                                     const std::set<std::string>& except, const std::string& own) {
  if (except.empty()) return std::nullopt;
  // A node that the file removes is asked too.
  const auto in_force = state::read_in_force(command.host.files);
  const auto* const text = in_force ? in_force->text() : nullptr;
  const auto former = config::parse(text == nullptr ? "" : *text).cluster;
  for (const auto& name : except) {
    if (name == own) {
      return Error{ErrorCode::kInvalid,
                   fmt::format("'{}' is this node, which takes part in what it offers", name)};
    }
    if (former.nodes.contains(name)) continue;
    if (auto none = no_such_node(file, name)) return none;
  }
  return std::nullopt;
}

}  // namespace

ExitCode offer_to_all(const Command& command, const ClusterFile& file, AllNodesUse use,
                      bool is_detailed, const std::string& rejects) {
  const auto& arguments = command.arguments;
  const auto& terminal = command.terminal;
  if (const auto code = report_findings(command, file); code != ExitCode::kDone) return code;
  const auto here = node_here(command.host);
  if (!here) return report_error(command, here.error());
  if (const auto hinders = hindrance(*here)) {
    const bool is_refusal = hinders->code != ErrorCode::kNotFound;
    return report_error(command, *hinders, is_refusal ? ExitCode::kRefused : ExitCode::kError);
  }
  const auto& state = (*here)->state;
  const auto except = named_nodes(arguments.except);
  if (const auto fault = fault_of_except(command, file, except, state.node)) {
    return report_error(command, *fault);
  }
  const auto id = random_hex(kIdBytes);
  if (!id) return report_error(command, id.error());
  const std::chrono::milliseconds within =
      arguments.within.count() == 0 ? protocol::kUsualWithin : arguments.within;
  HeldSignals signals;
  AskedOffer offer(command,
                   {.id = *id,
                    .wish = AllNodesWish::kOffer,
                    .by = user_name(),
                    .text = file.text,
                    .except = except,
                    .within = within,
                    .change_id = arguments.change_id,
                    .rejects = rejects},
                   state.all_nodes ? state.all_nodes->terms.id : std::string());
  if (auto asked = offer.ask(AllNodesWish::kOffer); !asked) {
    return report_error(command, asked.error());
  }
  if (const auto ended = no_answers(command, offer, signals)) return *ended;
  // What the nodes answered: `offer` goes on.
  const auto answered = offer.progress();
  const bool is_refused = end_of(answered, false) == AllNodesEnd::kRefused;
  // One that yields to another offer has no plans to show.
  const bool has_plans = !is_refused || std::ranges::any_of(answered.nodes, [](const auto& node) {
    return node.stage == Stage::kRefused && !node.why.empty();
  });
  if (!arguments.json && has_plans) {
    const bool has_steps = use == AllNodesUse::kPlan || arguments.verbosity > 0;
    const auto text = plans_text(answered, has_steps, terminal) + left_out_text(file, answered);
    command.question == nullptr ? terminal.print(text) : terminal.print_always(text);
  }
  if (is_refused || use == AllNodesUse::kPlan) {
    const auto end = is_refused ? AllNodesEnd::kRefused : AllNodesEnd::kPlanned;
    if (!is_refused) offer.drop();
    return report_end(command, file, answered, end, exit_code_of(end, answered, is_detailed));
  }
  if (const auto yes = approval(command, offer, signals, within); !yes) return yes.error();
  if (offer.is_cancelled()) {
    return report_end(command, file, offer.progress(), AllNodesEnd::kRefused, ExitCode::kRefused);
  }
  return carry_out(command, file, offer, signals, within);
}

ExitCode offer_named_file(const Command& command, AllNodesUse use, bool is_detailed) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  return file ? offer_to_all(command, *file, use, is_detailed)
              : report_error(command, file.error());
}

std::string contradiction_of_all(const Arguments& arguments, const TypedLine& line,
                                 bool is_of_one) {
  if (!arguments.all) {
    return arguments.within.count() == 0 && arguments.except.empty()
               ? ""
               : "--within and --except go with --all: " + line_to_type(line.words);
  }
  return is_of_one || arguments.release || !arguments.node.empty() || !arguments.plan_file.empty()
             ? "--all is about all nodes and a whole file: leave out what is about one node"
             : "";
}

void complete_all(std::vector<std::string>& words) {
  const TypedLine line(words);
  const auto has = [&](const char* name) { return typed_option(line, name) != nullptr; };
  if ((has("--within") || has("--except")) && !has("--all")) words.emplace_back("--all");
}

}  // namespace spark::cli
