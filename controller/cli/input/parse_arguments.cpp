#include "cli/input/parse_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/input/help_text.hpp"
#include "cli/input/line_to_type.hpp"
#include "cli/input/meant.hpp"
#include "cli/input/options.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/input/wrong_word.hpp"
#include "protocol/discover.hpp"
#include "protocol/peer_ask.hpp"
#include "state/history.hpp"
#include "state/pause.hpp"

namespace spark::cli {
namespace {

constexpr const char* kAbout =
    "Makes a cluster of DGX Spark machines match one cluster.yaml, and keeps it so.\n"
    "Reads what the kernel really has, changes only what differs, and reads it back.";

// Each stores the value that a word is; false: the option does not take it.

bool store_text(const OptionRow& /*row*/, const std::string& word, std::string& target) {
  target = word;
  return true;
}

bool store_duration(const OptionRow& /*row*/, const std::string& word,
                    std::chrono::milliseconds& target) {
  target = parse_duration(word).value_or(std::chrono::milliseconds{0});
  return target.count() > 0;
}

bool store_number(const OptionRow& /*row*/, const std::string& word,
                  std::optional<std::uint64_t>& target) {
  const auto* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, target.emplace());
  return error == std::errc{} && stop == end && *target > 0;
}

/// An enumeration, whose enumerators are in the order of the words.
template <class Enumeration, class Target = Enumeration>
bool store_enumerator(const OptionRow& row, const std::string& word, Target& target) {
  const auto words = words_of(row.value);
  const auto found = std::ranges::find(words, ascii_lower(word), &Word::text);
  if (found == words.end()) return false;
  target = static_cast<Enumeration>(found - words.begin());
  return true;
}

/// The value is none that the option takes.
class NotTaken : public CLI::ValidationError {
 public:
  NotTaken(const OptionRow& row, std::string value)
      : CLI::ValidationError(std::string(row.names)), row_(row), value_(std::move(value)) {}

  [[nodiscard]] std::string why(const std::vector<std::string>& words) const {
    const TypedLine line(words);
    const auto names = fault_of_names(line);
    return names.empty() ? why_not_taken(line, row_, value_) : names;
  }

 private:
  const OptionRow& row_;
  std::string value_;
};

/// Adds one option to the library's verb, or to its program for one that every verb has.
class OptionAdder {
 public:
  OptionAdder(CLI::App& app, Arguments& arguments, const OptionRow& row)
      : app_(app), arguments_(arguments), row_(row), names_(row.names), about_(row.about) {}

  void operator()(std::monostate /*none*/) const {
    app_.add_flag_function(names_, [](std::int64_t) {}, about_);
  }
  void operator()(bool Arguments::* flag) const { app_.add_flag(names_, arguments_.*flag, about_); }
  void operator()(int Arguments::* count) const {
    app_.add_flag(names_, arguments_.*count, about_);
  }
  void operator()(std::string Arguments::* text) const { add<store_text>(arguments_.*text); }
  void operator()(std::chrono::milliseconds Arguments::* duration) const {
    add<store_duration>(arguments_.*duration);
  }
  void operator()(std::optional<std::uint64_t> Arguments::* number) const {
    add<store_number>(arguments_.*number);
  }
  template <class Enumeration>
  void operator()(Enumeration Arguments::* chosen) const {
    add<store_enumerator<Enumeration>>(arguments_.*chosen);
  }
  template <class Enumeration>
  void operator()(std::optional<Enumeration> Arguments::* chosen) const {
    add<store_enumerator<Enumeration, std::optional<Enumeration>>>(arguments_.*chosen);
  }

 private:
  template <auto kStore, class T>
  void add(T& target) const {
    finish(app_.add_option(
        names_,
        [&row = row_, &target](const CLI::results_t& words) {
          const auto& word = words.front();
          // The value was forgotten, and that option would be lost.
          const bool is_option = !row.is_argument() && names_an_option(word);
          if (is_option) throw CLI::ArgumentMismatch(std::string(row.names));
          if (!kStore(row, word, target)) throw NotTaken(row, word);
          return true;
        },
        about_));
  }

  void finish(CLI::Option* option) const {
    if (row_.is_argument()) {
      option->type_name("");  // its name says it
    } else {
      option->option_text(std::string(name_of(row_.value)));
    }
    option->required(row_.required);
  }

  CLI::App& app_;
  Arguments& arguments_;
  const OptionRow& row_;
  std::string names_;
  std::string about_;
};

/// The library's help in lines of kHelpColumns, which it does not break itself.
class HelpFormat : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), kHelpColumns);
  }
  /// The library puts the lines below the first under it.
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    auto text = wrapped(option->get_description(), kHelpColumns - kAboutColumn);
    if (!text.empty()) text.pop_back();
    return text;
  }
  [[nodiscard]] std::string make_subcommand(const CLI::App* verb) const override {
    return beside("  " + verb->get_display_name(true), verb->get_description());
  }
};

void add_options(CLI::App& app, Arguments& arguments) {
  for (const auto& row : options()) {
    if (row.names == kHelpOption.names) {
      continue;  // the library's own
    }
    auto& owner = row.verb ? *app.get_subcommand(std::string(name_of(*row.verb))) : app;
    std::visit(OptionAdder(owner, arguments, row), row.member);
  }
}

void add_verbs(CLI::App& app, Arguments& arguments) {
  for (const auto& row : verbs()) {
    auto* command = app.add_subcommand(std::string(row.name), std::string(row.about));
    command->group(std::string(title_of(row.group)));
    if (!row.alias.empty()) {
      command->alias(std::string(row.alias));
    }
    command->callback([&arguments, verb = row.verb] {
      arguments.verb = verb;
      arguments.release |= verb == Verb::kRelease;
    });
    command->footer([verb = row.verb] { return footer_of(verb); });
    command->fallthrough();
  }
  auto* help = app.add_subcommand(std::string(kHelpVerb), std::string(kHelpAbout));
  help->group(std::string(title_of(VerbGroup::kProgram)));
  help->add_option(std::string(name_of(Value::kVerb)), arguments.topic)->type_name("");
  help->add_flag(std::string(kHelpAll))->description("every verb and option");
  help->fallthrough();
}

/// Wrong command lines are answered before they are read to their end.
bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

Answer usage_error(std::string what) {
  return {.error = std::move(what), .code = ExitCode::kUsage};
}

Answer answer_of(const CLI::App& app, const CLI::Error& error,
                 const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  if (app.exit(error, out, err) == 0) {
    return {.help = app.get_subcommands().empty() ? help_of_first_week(kAbout) : out.str()};
  }
  // What the library says of the others names neither a reason nor a remedy.
  const auto* const not_taken = dynamic_cast<const NotTaken*>(&error);
  const bool has_blanks = std::ranges::find(words, "=") != words.end();
  return usage_error(not_taken != nullptr && !has_blanks ? not_taken->why(words)
                                                         : why_not_read(words));
}

/// The help that `spark-reconcile help [topic]` asks for. `whole_help`: empty where it was not.
Answer help_on(const CLI::App& app, const std::string& topic, const std::string& whole_help) {
  if (topic.empty() || topic == kHelpVerb) {
    return {.help = whole_help.empty() ? help_of_first_week(kAbout) : whole_help};
  }
  return verb_named(topic) ? Answer{.help = app.get_subcommand(topic)->help(app.get_name())}
                           : usage_error(why_no_help(topic));
}

/// What is wrong with the options that go with `init --discover`; empty: nothing.
std::string contradiction_of_discover(const Arguments& arguments) {
  if (!arguments.discover) {
    return arguments.node_count || arguments.yes
               ? "--nodes and --yes of init go with --discover: `sudo spark-reconcile init "
                 "--discover --nodes 2`"
               : "";
  }
  if (!arguments.names.empty()) {
    return "--discover takes the host names that the nodes tell: leave out --names";
  }
  if (arguments.node_count &&
      (*arguments.node_count < 2 || *arguments.node_count > protocol::kMostDiscovered)) {
    return fmt::format("--nodes takes 2 to {}", protocol::kMostDiscovered);
  }
  if (arguments.yes && !arguments.node_count) {
    return "--yes needs --nodes, since nobody else says when all nodes are there: `sudo "
           "spark-reconcile init --discover --nodes 2 --yes`";
  }
  return {};
}

/// The line with the first of its shapes alone.
std::string line_of_one_shape(const TypedLine& line) {
  auto words = line.words;
  const auto shapes = shapes_in(line);
  for (auto shape = shapes.rbegin(); shape + 1 != shapes.rend(); ++shape) {
    const TypedLine now(words);
    const auto* option = typed_option(now, *shape);
    const bool has_next = option->value && words[option->at] == option->name;
    if (has_next) words = words_with(std::move(words), option->at + 1, {});
    words = words_with(std::move(words), option->at, {});
  }
  return line_to_type(line.verb, words);
}

/// What is wrong with the options of `init`; empty: nothing.
std::string contradiction_of_init(const Arguments& arguments, const TypedLine& line) {
  constexpr std::uint64_t kMostNodes = 254;  // the numbers of a /24
  const auto shapes = shapes_in(line);
  if (shapes.size() > 1) {
    return fmt::format("init takes one of {}: leave out the others, as {}", listed(shapes),
                       line_of_one_shape(line));
  }
  if (shapes.empty()) {
    constexpr std::string_view kTakes =
        "init takes one of --discover, --from-host, --pair, --ring N and --switch N";
    const auto with_one = line_to_type(line.verb, line.words);
    return arguments.names.empty()
               ? fmt::format(
                     "{}; by the cables as they are plugged: {}; of two nodes and a cable: "
                     "`spark-reconcile init --pair`",
                     kTakes, with_one)
               : fmt::format("{}: {}", kTakes, with_one);
  }
  if (auto what = contradiction_of_discover(arguments); !what.empty()) return what;
  if (arguments.ring && *arguments.ring != 3 && *arguments.ring != 4) {
    const auto others =
        *arguments.ring < 3
            ? std::string("two nodes are a pair: `spark-reconcile init --pair`")
            : fmt::format("more nodes share a switch: `spark-reconcile init --switch {}`",
                          std::min(*arguments.ring, kMostNodes));
    return "--ring takes 3 or 4: a node has two cages, and with more nodes too much passes through "
           "others; " +
           others;
  }
  if (arguments.switch_nodes &&
      (*arguments.switch_nodes < 2 || *arguments.switch_nodes > kMostNodes)) {
    return "--switch takes 2 to 254 nodes: so many have a place in a /24";
  }
  if (arguments.from_host && !arguments.names.empty()) {
    return "--from-host takes the host name of this machine: leave out --names";
  }
  return {};
}

/// What is wrong with a reason, which is shown wherever what it is for is; empty: nothing.
std::string fault_of_why(const std::string& why) {
  return printable(why) == printable(why, state::kLongestReason)
             ? ""
             : fmt::format(
                   "--why has more than {} characters: shorten it; a link to the ticket is "
                   "enough",
                   state::kLongestReason);
}

/// What is wrong with the options of `sync`; empty: nothing.
std::string contradiction_of_sync(const Arguments& arguments) {
  if (arguments.skip.empty() != arguments.why.empty()) {
    const auto node = arguments.skip.empty() ? "spark1" : arguments.skip;
    const auto why = arguments.why.empty() ? "TEXT" : arguments.why;
    return fmt::format(
        "--skip and --why go together, since others read why the roll-out did not wait: {}",
        line_to_type(Verb::kSync, {"sync", "--skip", node, "--why", why}));
  }
  return !arguments.skip.empty() && arguments.retry ? "--skip fetches nothing: leave out --retry"
                                                    : fault_of_why(arguments.why);
}

/// What is wrong with the options of `validate`; empty: nothing.
std::string contradiction_of_validate(const Arguments& arguments) {
  if (arguments.all_nodes && !arguments.node.empty()) {
    return "--all-nodes is of every node: leave out -n";
  }
  if (arguments.detailed_exitcode && arguments.against.empty()) {
    return "--detailed-exitcode of validate says whether two files differ: `spark-reconcile "
           "validate --against old.yaml --detailed-exitcode`";
  }
  if (arguments.file == "-" && arguments.against == "-") {
    return "-f and --against cannot both be stdin: name a file for one of them";
  }
  return {};
}

/// What is wrong with the options of `bench`; empty: nothing.
std::string contradiction_of_bench(const Arguments& arguments) {
  if (arguments.all_peers && !arguments.peer.empty()) {
    return "--all is every peer: leave out the one that is named";
  }
  if (arguments.seconds &&
      (*arguments.seconds == 0 || *arguments.seconds > protocol::kMostBenchSeconds)) {
    return fmt::format("--seconds takes 1 to {}", protocol::kMostBenchSeconds);
  }
  return {};
}

/// What is wrong with the options of `wait`; empty: nothing.
std::string contradiction_of_wait(const Arguments& arguments, const TypedLine& line) {
  if (!arguments.cluster) {
    return arguments.names.empty() && arguments.digest.empty()
               ? ""
               : "--nodes and --digest of wait go with --cluster: " +
                     line_to_type(line.verb, line.words);
  }
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kWhole = 64;
  const auto& digest = arguments.digest;
  const bool is_digest = digest.size() >= kLeast && digest.size() <= kWhole &&
                         digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  return digest.empty() || is_digest
             ? ""
             : "--digest takes 8 to 64 hexadecimal digits, as `status` shows them";
}

/// What is wrong with the options of `status`; empty: nothing.
std::string contradiction_of_status(const Arguments& arguments) {
  if (arguments.watch && (arguments.json || arguments.exit_code)) {
    return "--watch never ends by itself: leave out --json and --exit-code";
  }
  if (arguments.brief && (arguments.json || !arguments.node.empty())) {
    return "--brief is a line of the whole cluster for people: leave out --json and -n";
  }
  if (arguments.brief && arguments.here) {
    return "--brief is a line of the whole cluster: leave out --here";
  }
  return {};
}

/// What is wrong with the options of `doctor`; empty: nothing.
std::string contradiction_of_doctor(const Arguments& arguments) {
  if (arguments.file == "-") {
    return "doctor reads the file more than once, and stdin only once: `spark-reconcile doctor -f "
           "cluster.yaml`";
  }
  return arguments.bundle.empty() && (arguments.keep_names || arguments.yes)
             ? "--keep-names and --yes of doctor go with --bundle: `sudo spark-reconcile doctor "
               "--bundle FILE`"
             : "";
}

/// What is wrong with the options of `mute`; empty: nothing.
std::string contradiction_of_mute(const Arguments& arguments, const TypedLine& line) {
  const bool has_time = arguments.mute_for.count() > 0;
  const bool begins = has_time || !arguments.why.empty() || !arguments.change_id.empty();
  if (arguments.mute_id.empty()) {
    return begins || arguments.end
               ? "mute needs the alert: `sudo spark-reconcile mute SparkDrift --for 2h --why TEXT`"
               : "";
  }
  if (arguments.end) {
    return begins ? "--end ends a mute now: leave out --for, --why and --change-id" : "";
  }
  if (!has_time) {
    // "mute SparkDrift 2h": no node is called so.
    const bool is_time = parse_duration(arguments.mute_node).has_value();
    return fmt::format(
        "mute needs --for: how long (168h at most): {}",
        line_to_type(Verb::kMute, {"mute", arguments.mute_id, "--for",
                                   is_time ? arguments.mute_node : std::string("2h")}));
  }
  if (fold_blanks(arguments.why).empty()) {
    const auto* why = typed_option(line, "--why");
    return fmt::format(
        "mute needs --why: the reason, which is shown wherever the mute is: {}",
        why == nullptr ? line_to_type(line.verb, line.words) : line_with_value(line, *why, "TEXT"));
  }
  return fault_of_why(arguments.why);
}

/// What is wrong with the options of `topology`; empty: nothing.
std::string contradiction_of_topology(const Arguments& arguments) {
  if (!arguments.node.empty()) {
    return "topology shows every node: leave out -n";
  }
  if (arguments.file == "-" && arguments.diff == "-") {
    return "-f and --diff cannot both be stdin: name a file for one of them";
  }
  if (arguments.live && !arguments.diff.empty()) {
    return "--live marks what is known now, --diff what differs from an older file: leave out one";
  }
  const bool is_json = arguments.json || arguments.topology_format == TopologyFormat::kJson;
  return is_json && !arguments.out.empty()
             ? "-o of topology is for text and svg: write `> FILE` in its place"
             : "";
}

/// A format is named, and it is not json.
bool names_another_format(const CLI::App& app, const Arguments& arguments) {
  const auto is_named = [&](const char* verb) {
    return app.get_subcommand(verb)->count("--format") > 0;
  };
  return (is_named("export") && arguments.format != ExportFormat::kJson) ||
         ((is_named("validate") || is_named("plan")) &&
          arguments.report_format != ReportFormat::kJson) ||
         (is_named("topology") && arguments.topology_format != TopologyFormat::kJson);
}

/// A duration that is not in the range of its option; empty: each is.
std::string fault_of_durations(const TypedLine& line) {
  for (const auto& option : line.options) {
    const bool is_duration = option.row != nullptr && option.row->value == Value::kDuration;
    if (!is_duration || !option.value || !parse_duration(*option.value)) continue;
    const auto near = duration_near(*option.row, *option.value);
    if (near == *option.value) continue;
    const auto range = duration_range(*option.row);
    const auto takes = range.least.empty() ? fmt::format("{} at most", range.most)
                                           : fmt::format("{} to {}", range.least, range.most);
    return fmt::format("{} takes {}, not {}: {}", long_name(*option.row), takes,
                       in_quotes(*option.value), line_with_value(line, option, near));
  }
  return {};
}

/// Why a word is no URL of a repository; empty: it may be one.
std::string fault_of_url(const TypedLine& line, const std::string& url) {
  const auto found = std::ranges::find(line.arguments, url, &TypedArgument::text);
  if (url.empty() || url.contains("://") || found == line.arguments.end()) return {};
  if (const auto* meant = option_named(Verb::kFollow, "--" + url)) {
    return fmt::format("follow takes a URL, and {} is an option: {}", long_name(*meant),
                       line_to_type(Verb::kFollow, verb_and(Verb::kFollow, with_sample(*meant))));
  }
  if (const auto meant = meant_by_word(Verb::kFollow, url); !meant.empty()) {
    return fmt::format("follow takes a URL, not {}: {}", in_quotes(url), meant);
  }
  const auto with_url = [&](const std::string& whole) {
    return fmt::format("{} is no URL: {}", in_quotes(url), line_with(line, found->at, {whole}));
  };
  const auto colon = url.find(':');
  const auto slash = url.find('/');
  // As git and scp take it: user@host:path.
  if (colon != std::string::npos && colon > 0 && colon < slash) {
    const auto path = url.substr(colon + 1);
    return with_url("ssh://" + url.substr(0, colon) + (path.starts_with('/') ? "" : "/") + path);
  }
  if (slash == 0) return with_url("file://" + url);
  const bool has_host = slash != std::string::npos && url.find('.') < slash && url[0] != '.';
  return with_url(has_host ? "https://" + url : std::string(sample_of(Value::kUrl)));
}

/// What is wrong with the id of a change, which goes into documents and lines of others; empty:
/// nothing.
std::string fault_of_change_id(const std::string& id) {
  const auto stands_alone = [](char c) { return c > ' ' && c <= '~'; };
  return id.size() <= state::kLongestChangeId && std::ranges::all_of(id, stands_alone)
             ? ""
             : fmt::format("--change-id takes at most {} printable ASCII characters, no blanks",
                           state::kLongestChangeId);
}

/// What is wrong with a command line that the library could read; empty: nothing.
std::string contradiction(const CLI::App& app, const Arguments& arguments, const TypedLine& line) {
  if (auto what = fault_of_dashes(line); !what.empty()) return what;
  if (!arguments.plan_file.empty() && (!arguments.file.empty() || !arguments.node.empty())) {
    return "a saved plan holds its file and its node: leave out -f and -n, or the plan";
  }
  if (auto what = fault_of_change_id(arguments.change_id); !what.empty()) return what;
  if (auto what = fault_of_durations(line); !what.empty()) return what;
  if (arguments.generation && arguments.overdue) {
    return "--overdue rolls back what was not confirmed in time: leave out the generation";
  }
  if (arguments.generation && arguments.verb == Verb::kHistory &&
      arguments.history_view != HistoryView::kDiff) {
    return fmt::format(
        "list shows all generations; what differs from one: {}",
        line_to_type(Verb::kHistory, {"history", "diff", std::to_string(*arguments.generation)}));
  }
  // Right after the verb it was the adapter's already (engine_call).
  if (arguments.engine != Engine::kNone) {
    return fmt::format("--engine stands right after the verb: spark-reconcile {} --engine slurm …",
                       name_of(arguments.verb));
  }
  if (arguments.verb == Verb::kInit) {
    return contradiction_of_init(arguments, line);
  }
  if (arguments.verb == Verb::kSync) {
    return contradiction_of_sync(arguments);
  }
  if (arguments.verb == Verb::kStatus) {
    return contradiction_of_status(arguments);
  }
  if (arguments.verb == Verb::kDoctor) {
    return contradiction_of_doctor(arguments);
  }
  if (arguments.verb == Verb::kBench) {
    return contradiction_of_bench(arguments);
  }
  if (arguments.verb == Verb::kMute) {
    return contradiction_of_mute(arguments, line);
  }
  if (arguments.verb == Verb::kWait) {
    return contradiction_of_wait(arguments, line);
  }
  const bool is_count = parse_decimal(arguments.node).has_value();  // as of `tail -n 5`
  if (arguments.verb == Verb::kEvents && is_count) {
    return "-n names a node, and events are chosen by time: `spark-reconcile events --since 1h`";
  }
  if (arguments.verb == Verb::kHistory && is_count) {
    return "-n names a node, and all that was applied is shown by `sudo spark-reconcile history`";
  }
  if (auto what = fault_of_url(line, arguments.source_url); !what.empty()) return what;
  const int tasks = static_cast<int>(!arguments.source_url.empty()) +
                    static_cast<int>(arguments.stop) + static_cast<int>(arguments.check) +
                    static_cast<int>(!arguments.accept.empty());
  if (tasks > 1) {
    return "follow takes one of URL, --check, --accept COMMIT and --stop: `spark-reconcile follow` "
           "alone shows what is followed";
  }
  if (arguments.verb == Verb::kFacts && !arguments.share &&
      (!arguments.out.empty() || arguments.yes)) {
    return "-o and --yes of facts go with --share: `spark-reconcile facts --share -o FILE`";
  }
  if (arguments.verb == Verb::kGate && !arguments.checklist && !arguments.out.empty()) {
    return "-o of gate goes with --checklist: `spark-reconcile gate --checklist -o FILE`";
  }
  if (arguments.checklist &&
      (arguments.full || !arguments.file.empty() || !arguments.node.empty())) {
    return "--checklist is of this machine, whatever the file says: leave out --full, -f and -n";
  }
  if (arguments.verb == Verb::kValidate) {
    if (auto what = contradiction_of_validate(arguments); !what.empty()) return what;
  }
  if (arguments.verb == Verb::kTopology) {
    if (auto what = contradiction_of_topology(arguments); !what.empty()) return what;
  }
  if (arguments.exported != Exported::kEnvironment &&
      (arguments.json || app.get_subcommand("export")->count("--format") > 0)) {
    return "--json and --format are for the environment: `spark-reconcile export --json`";
  }
  if (arguments.json && names_another_format(app, arguments)) {
    return "--json is --format json: leave out one of the two";
  }
  return {};
}

}  // namespace

std::variant<Arguments, Answer> parse_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app(kAbout, "spark-reconcile");
  app.set_help_flag(std::string(kHelpOption.names), std::string(kHelpOption.about));
  app.formatter(std::make_shared<HelpFormat>());
  app.footer(footer_of_program);
  app.require_subcommand(0, 1);
  if (const char* no_color = std::getenv("NO_COLOR"); no_color != nullptr && *no_color != '\0') {
    arguments.color = Color::kNever;
  }
  add_verbs(app, arguments);
  add_options(app, arguments);
  if (argc <= 1) {
    return Answer{.help = help_of_first_week(kAbout), .code = ExitCode::kUsage};
  }
  // Taken now: after parsing, the library answers for the verb that was named. Only where it may be
  // asked for: it is more work than all the rest of a converged apply's arguments.
  const std::span words(argv + 1, static_cast<std::size_t>(argc) - 1);
  const auto whole_help =
      std::ranges::find(words, kHelpAll) != words.end() ? app.help() : std::string();
  const auto has_empty_word = [&] {
    return std::ranges::find(words, std::string_view()) != words.end();
  };
  Answer answer;
  try {
    app.parse(argc, argv);
    const bool has_verb = !app.get_subcommands().empty() || arguments.asks_version;
    if (!has_verb || has_empty_word()) {
      answer = usage_error(why_not_read({words.begin(), words.end()}));
    } else if (app.get_subcommand(std::string(kHelpVerb))->parsed()) {
      answer = help_on(app, arguments.topic, whole_help);
    } else if (auto what = contradiction(app, arguments, TypedLine({words.begin(), words.end()}));
               !what.empty()) {
      answer = usage_error(std::move(what));
    } else {
      arguments.typed.assign(words.begin(), words.end());
      arguments.verb = arguments.asks_version ? Verb::kVersion : arguments.verb;
      arguments.json |= arguments.format == ExportFormat::kJson ||
                        arguments.report_format == ReportFormat::kJson ||
                        arguments.topology_format == TopologyFormat::kJson;
      return arguments;
    }
  } catch (const CLI::Error& error) {
    answer = answer_of(app, error, {words.begin(), words.end()});
  }
  answer.json = asks_for_json(argc, argv);
  answer.verb = TypedLine({words.begin(), words.end()}).verb;
  return answer;
}

}  // namespace spark::cli
