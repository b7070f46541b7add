#include "cli/input/arguments.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::cli {
namespace {

constexpr const char* kAbout =
    "Makes a cluster of DGX Spark machines match one cluster.yaml, and keeps it so.\n"
    "Reads what the kernel really has, changes only what differs, and reads it back.";

constexpr const char* kExitCodes =
    "Exit codes: 0 done, in sync; 1 error; 2 differences (plan --detailed-exitcode, status\n"
    "--exit-code); 3 waiting for a device, not ready; 4 unknown or not enforced; 5 invalid file; 6 "
    "refused;\n"
    "7 failed and rolled back; 8 failed, rollback incomplete; 64 usage; 75 busy; 130 interrupted.\n"
    "\n"
    "First steps:  spark-reconcile validate -f cluster.yaml   is the file right?\n"
    "              spark-reconcile plan -f cluster.yaml       what would change here?\n"
    "              spark-reconcile apply -f cluster.yaml      make it so";

void add_common(CLI::App& app, Arguments& arguments) {
  const std::map<std::string, Color> colors{
      {"auto", Color::kAuto}, {"always", Color::kAlways}, {"never", Color::kNever}};
  app.add_option("-f,--file", arguments.file,
                 "the cluster file; - is stdin (default /etc/spark-reconcile/cluster.yaml)");
  app.add_option("-n,--node", arguments.node,
                 "node of the file (default: the one that this machine is)");
  app.add_flag("--json", arguments.json, "print one JSON object");
  app.add_option("--color", arguments.color, "auto, always or never; NO_COLOR means never")
      ->transform(CLI::Transformer(colors, CLI::ignore_case))
      ->option_text("WHEN");
  app.add_option("--root", arguments.root,
                 "read and write /etc, /var and /run below this directory (for tests and images); "
                 "/proc and /sys stay the system's");
  app.add_flag("-q,--quiet", arguments.quiet, "print only errors and the closing line");
  app.add_flag("-v,--verbose", arguments.verbosity,
               "log each step with its cause, on stderr; -vv: also each difference that is found");
}

/// The subcommand of a verb, which add_verbs has made.
CLI::App& of(CLI::App& app, Verb verb) { return *app.get_subcommand(std::string(name_of(verb))); }

void add_export_options(CLI::App& app, Arguments& arguments) {
  const std::map<std::string, ExportFormat> formats{
      {"env", ExportFormat::kEnv}, {"shell", ExportFormat::kShell}, {"json", ExportFormat::kJson}};
  auto& verb = of(app, Verb::kExport);
  verb.add_option("--format", arguments.format,
                  "env (default; EnvironmentFile=, --env-file), shell (export ...) or json")
      ->transform(CLI::Transformer(formats))
      ->option_text("FORMAT");
  verb.add_option("--facts", arguments.facts,
                  "for the machine whose `facts` output this is, not for this one");
}

/// A number of milliseconds, from "90s", "5m" or "2h".
CLI::Option* add_duration(CLI::App& verb, const std::string& name,
                          std::chrono::milliseconds& duration, const std::string& about) {
  return verb
      .add_option(
          name,
          [&duration, name](const CLI::results_t& words) {
            const auto parsed = parse_duration(words.front());
            if (!parsed || parsed->count() == 0) {
              throw CLI::ValidationError(name, "takes a whole number and ms, s, m or h, not " +
                                                   spark::in_quotes(words.front()));
            }
            duration = *parsed;
            return true;
          },
          about)
      ->option_text("DURATION");
}

void add_daemon_options(CLI::App& app, Arguments& arguments) {
  auto& wait = of(app, Verb::kWait);
  wait.add_flag_function("--ready", [](std::int64_t) {}, "for the gate to be open (the default)");
  add_duration(wait, "--timeout", arguments.timeout, "give up after this long (default: never)");
  auto& pause = of(app, Verb::kPause);
  add_duration(pause, "--for", arguments.pause_for, "how long: 2h")->required();
  pause.add_option("--reason", arguments.reason, "why, shown in status and on the page")
      ->option_text("TEXT");
  of(app, Verb::kEvents)
      .add_flag("-f,--follow", arguments.follow, "and follow what it changes from now on");
}

void add_plan_options(CLI::App& app, Arguments& arguments) {
  auto& plan = of(app, Verb::kPlan);
  plan.alias("diff");
  plan.add_flag("--detailed-exitcode", arguments.detailed_exitcode,
                "0 in sync, 2 differences, 3 waiting, 4 unknown or not enforced");
  plan.add_flag("--release", arguments.release, "plan what `release` would restore");
  plan.add_option("--out", arguments.out, "save the plan, for `apply FILE`");
  plan.add_option("--facts", arguments.facts,
                  "plan for what `facts` printed, not for this machine");
}

void add_options(CLI::App& app, Arguments& arguments) {
  add_plan_options(app, arguments);
  auto& apply = of(app, Verb::kApply);
  apply.add_option("plan", arguments.plan_file, "a plan saved by `plan --out`");
  add_duration(apply, "--confirm", arguments.confirm,
               "roll everything back unless you confirm in time; use it when a change may cut "
               "you off");
  of(app, Verb::kRollback)
      .add_flag("--overdue", arguments.overdue,
                "only what was not confirmed in time (for the timer and the boot)");
  of(app, Verb::kRelease).callback([&arguments] {
    arguments.verb = Verb::kRelease;
    arguments.release = true;
  });
  of(app, Verb::kStatus)
      .add_flag("--exit-code", arguments.exit_code, "exit with the state of the node");
  of(app, Verb::kGate)
      .add_flag("--full", arguments.full,
                "measure bandwidth, also where the file names no floor or a job uses the device");
  add_export_options(app, arguments);
  of(app, Verb::kFacts)
      .add_flag("--discover", arguments.discover,
                "ask the file's NVMe targets what they offer this machine");
  add_daemon_options(app, arguments);
}

void add_verbs(CLI::App& app, Arguments& arguments, std::string& topic) {
  for (const auto& row : verbs()) {
    auto* command = app.add_subcommand(std::string(row.name), std::string(row.about));
    command->callback([&arguments, verb = row.verb] { arguments.verb = verb; });
    command->fallthrough();
  }
  auto* help = app.add_subcommand("help", "print this help, or that of one verb");
  help->add_option("verb", topic);
  help->fallthrough();
}

/// The names of all verbs, without their aliases.
std::vector<std::string> verb_names(const CLI::App& app) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> names;
  std::ranges::transform(commands, std::back_inserter(names), &CLI::App::get_name);
  return names;
}

bool is_verb(const CLI::App& app, const std::string& word) {
  const auto names = verb_names(app);
  return word == "diff" || std::ranges::find(names, word) != names.end();
}

/// The library's words for a verb that it does not know leave the user alone with the whole list.
std::string unknown_verb(const CLI::App& app, const std::string& word) {
  const auto names = verb_names(app);
  const std::vector<std::string_view> verbs(names.begin(), names.end());
  const auto near = closest(word, verbs);
  return "unknown verb " + spark::in_quotes(word) +
         (near ? ", did you mean '" + std::string(*near) + "'?" : "");
}

/// The first word of the command line that the library could not place.
std::string first_word_left(const CLI::App& app) {
  const auto left = app.remaining();
  const auto word = std::ranges::find_if(left, [](const auto& text) { return text[0] != '-'; });
  return word == left.end() ? std::string() : *word;
}

/// Wrong command lines are answered before they are read to their end.
bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::string_view(word) == "--json"; });
}

Answer usage_error(std::string what) {
  return {.error = std::move(what), .code = ExitCode::kUsage};
}

Answer answer_of(const CLI::App& app, const CLI::Error& error) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(error, out, err);
  if (code == 0) {
    return {.help = out.str()};
  }
  const auto word = first_word_left(app);
  const bool names_a_verb = app.get_subcommands().empty() && !word.empty();
  return usage_error(names_a_verb ? unknown_verb(app, word) : error.what());
}

/// The help that `spark-reconcile help [topic]` asks for.
Answer help_on(const CLI::App& app, const std::string& topic, const std::string& whole_help) {
  if (topic.empty() || topic == "help") {
    return {.help = whole_help};
  }
  return is_verb(app, topic) ? Answer{.help = app.get_subcommand(topic)->help()}
                             : usage_error(unknown_verb(app, topic));
}

/// What is wrong with a command line that the library could read; empty: nothing.
std::string contradiction(const CLI::App& app, const Arguments& arguments, bool asks_version) {
  if (app.get_subcommands().empty() && !asks_version) {
    return "a verb is missing";
  }
  if (!arguments.plan_file.empty() && (!arguments.file.empty() || !arguments.node.empty())) {
    return "a saved plan holds its file and its node: -f and -n do not go with it";
  }
  constexpr std::chrono::hours kLongest{1};
  if (arguments.confirm > kLongest) {
    return "--confirm takes 1h at most: so long a node would be kept as nobody has confirmed";
  }
  if (arguments.confirm.count() > 0 && arguments.confirm < std::chrono::seconds(5)) {
    return "--confirm takes 5s at least: nobody types faster";
  }
  const bool names_format = app.get_subcommand("export")->count("--format") > 0;
  if (arguments.json && names_format && arguments.format != ExportFormat::kJson) {
    return "--json is --format json: another format does not go with it";
  }
  return {};
}

/// As a POSIX shell takes it for one word.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  const bool plain =
      std::ranges::all_of(text, [&](char c) { return is_ascii_alnum(c) || kPlain.contains(c); });
  if (plain && !text.empty()) {
    return text;
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

}  // namespace

std::string command_line_for(std::string_view verb, const Arguments& arguments) {
  std::string line = "spark-reconcile " + std::string(verb);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) {
      line += std::string(" ") + option + " " + shell_word(value);
    }
  };
  if (!arguments.plan_file.empty()) {
    line += " " + shell_word(arguments.plan_file);
  }
  add("-f", arguments.file);
  add("-n", arguments.node);
  add("--root", arguments.root == "/" ? std::string() : arguments.root);
  return arguments.file == "-" ? line + " (with the same file on its standard input)" : line;
}

std::variant<Arguments, Answer> parse_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app(kAbout, "spark-reconcile");
  app.footer(kExitCodes);
  app.require_subcommand(0, 1);
  if (const char* no_color = std::getenv("NO_COLOR"); no_color != nullptr && *no_color != '\0') {
    arguments.color = Color::kNever;
  }
  add_common(app, arguments);
  bool asks_version = false;
  app.add_flag("--version", asks_version, "the same as the verb");
  std::string topic;
  add_verbs(app, arguments, topic);
  add_options(app, arguments);
  // Taken now: after parsing, the library answers for the verb that was named.
  const auto whole_help = app.help();
  if (argc <= 1) {
    return Answer{.help = whole_help, .code = ExitCode::kUsage};
  }
  Answer answer;
  try {
    app.parse(argc, argv);
    if (app.get_subcommand("help")->parsed()) {
      answer = help_on(app, topic, whole_help);
    } else if (auto what = contradiction(app, arguments, asks_version); !what.empty()) {
      answer = usage_error(std::move(what));
    } else {
      arguments.verb = asks_version ? Verb::kVersion : arguments.verb;
      arguments.json |= arguments.format == ExportFormat::kJson;
      return arguments;
    }
  } catch (const CLI::Error& error) {
    answer = answer_of(app, error);
  }
  answer.json = asks_for_json(argc, argv);
  return answer;
}

}  // namespace spark::cli
