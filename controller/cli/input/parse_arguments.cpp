#include "cli/input/parse_arguments.hpp"

#include <algorithm>
#include <any>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/input/help_text.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/verb.hpp"
#include "cli/input/wrong_line.hpp"
#include "state/history.hpp"

namespace spark::cli {
namespace {

constexpr const char* kAbout =
    "Makes a cluster of DGX Spark machines match one cluster.yaml, and keeps it so.\n"
    "Reads what the kernel really has, changes only what differs, and reads it back.";

// Each stores the value that a word is; false: the option does not take it.

bool store_value(const std::string& word, std::string& target) {
  target = word;
  return true;
}

bool store_value(const std::string& word, std::chrono::milliseconds& target) {
  target = parse_duration(word).value_or(std::chrono::milliseconds{0});
  return target.count() > 0;
}

bool store_value(const std::string& word, std::optional<std::uint64_t>& target) {
  target = number_in<std::uint64_t>(word);
  return target.value_or(0) > 0;
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
  OptionAdder(CLI::App& app, const Filled& filled, const OptionRow& row)
      : app_(app), filled_(filled), row_(row), names_(row.names), about_(row.about) {}

  void operator()(std::monostate /*none*/) const {
    if (row_.value == &Value::kNone) {
      app_.add_flag_callback(names_, [] {}, about_);
    } else {
      add_choice([](std::size_t) {});
    }
  }
  template <class T>
  void operator()(T& (*member)(const Filled&)) const {
    auto& target = member(filled_);
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int>) {
      app_.add_flag(names_, target, about_);
    } else {
      add([&target](const std::string& word) { return store_value(word, target); });
    }
  }
  void operator()(void (*choose)(const Filled&, std::size_t)) const {
    add_choice([filled = filled_, choose](std::size_t word) { choose(filled, word); });
  }

 private:
  void add_choice(const std::function<void(std::size_t)>& choose) const {
    add([words = row_.value->words, choose](const std::string& word) {
      const auto found = std::ranges::find(words, ascii_lower(word), &Word::text);
      if (found == words.end()) return false;
      choose(static_cast<std::size_t>(found - words.begin()));
      return true;
    });
  }

  /// `takes`: stores the word; false where the option does not take it.
  void add(const std::function<bool(const std::string&)>& takes) const {
    auto* option = app_.add_option(
        names_,
        [&row = row_, takes](const CLI::results_t& words) {
          const auto& word = words.front();
          // The value was forgotten, and that option would be lost.
          const bool is_option = !row.is_argument() && names_an_option(word);
          if (is_option) throw CLI::ArgumentMismatch(std::string(row.names));
          if (!takes(word)) throw NotTaken(row, word);
          return true;
        },
        about_);
    if (row_.is_argument()) {
      option->type_name("");  // its name says it
    } else {
      option->option_text(std::string(row_.value->name));
    }
    option->required(row_.required);
  }

  CLI::App& app_;
  Filled filled_;
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

void add_options(CLI::App& app, const Filled& filled, std::span<const OptionRow> rows) {
  for (const auto& row : rows) {
    if (row.names == kHelpOption.names) {
      continue;  // the library's own
    }
    std::visit(OptionAdder(app, filled, row), row.member);
  }
}

/// `own`: what each verb alone has, in the order of the table.
void add_verbs(CLI::App& app, Arguments& arguments, std::vector<std::any>& own,
               std::string& topic) {
  for (const auto* verb : verbs()) {
    auto* command = app.add_subcommand(std::string(verb->name), std::string(verb->about));
    command->group(std::string(title_of(verb->group)));
    if (!verb->alias.empty()) {
      command->alias(std::string(verb->alias));
    }
    auto& filled =
        own.emplace_back(verb->options.make == nullptr ? std::any() : verb->options.make());
    command->callback([&arguments, &filled, verb] {
      arguments.verb = verb;
      arguments.own = filled;
    });
    command->footer([verb] { return footer_of(*verb); });
    command->fallthrough();
    add_options(*command, {arguments, filled}, verb->options.rows);
  }
  auto* help = app.add_subcommand(std::string(kHelpVerb), std::string(kHelpAbout));
  help->group(std::string(title_of(VerbGroup::kProgram)));
  help->add_option(std::string(Value::kVerb.name), topic)->type_name("");
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
  return verb_named(topic) != nullptr
             ? Answer{.help = app.get_subcommand(topic)->help(app.get_name())}
             : usage_error(why_no_help(topic));
}

/// A duration that is not in the range of its option; empty: each is.
std::string fault_of_durations(const TypedLine& line) {
  for (const auto& option : line.options) {
    const bool is_duration = option.row != nullptr && option.row->value == &Value::kDuration;
    if (!is_duration || !option.value || !parse_duration(*option.value)) continue;
    const auto near = duration_near(*option.row, *option.value);
    if (near == *option.value) continue;
    const auto& range = option.row->range;
    const auto takes = range.least.empty() ? fmt::format("{} at most", range.most)
                                           : fmt::format("{} to {}", range.least, range.most);
    return fmt::format("{} takes {}, not {}: {}", long_name(*option.row), takes,
                       in_quotes(*option.value), line_with_value(line, option, near));
  }
  return {};
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

/// --format as it was typed; empty: it was not.
std::string typed_format(const TypedLine& line) {
  const auto* format = typed_option(line, "--format");
  return format == nullptr ? std::string() : ascii_lower(format->value.value_or(""));
}

/// What is wrong with a command line that the library could read; empty: nothing.
std::string contradiction(const Arguments& arguments, const TypedLine& line) {
  if (auto what = fault_of_dashes(line); !what.empty()) return what;
  if (auto what = fault_of_change_id(arguments.change_id); !what.empty()) return what;
  if (auto what = fault_of_durations(line); !what.empty()) return what;
  if (const auto* verb = arguments.verb) {
    // Right after the verb it was the adapter's already (engine_call).
    if (typed_option(line, "--engine") != nullptr) {
      return fmt::format(
          "--engine stands right after the verb: spark-reconcile {} --engine slurm …", verb->name);
    }
    if (verb->check != nullptr) {
      if (auto what = verb->check(arguments, line); !what.empty()) return what;
    }
  }
  const auto format = typed_format(line);
  return arguments.json && !format.empty() && format != "json"
             ? "--json is --format json: leave out one of the two"
             : "";
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
  std::vector<std::any> own;
  own.reserve(verbs().size());  // what is in it stays where it is
  std::string topic;
  add_verbs(app, arguments, own, topic);
  std::any none;
  add_options(app, {arguments, none}, common_options());
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
  const TypedLine line({words.begin(), words.end()});
  Answer answer;
  try {
    app.parse(argc, argv);
    const bool asks_version = app.count("--version") > 0;
    const bool has_verb = !app.get_subcommands().empty() || asks_version;
    if (!has_verb || has_empty_word()) {
      answer = usage_error(why_not_read(line.words));
    } else if (app.get_subcommand(std::string(kHelpVerb))->parsed()) {
      answer = help_on(app, topic, whole_help);
    } else if (auto what = contradiction(arguments, line); !what.empty()) {
      answer = usage_error(std::move(what));
    } else {
      arguments.typed = line.words;
      if (asks_version) arguments.verb = verb_named("version");
      arguments.json |= typed_format(line) == "json";
      return arguments;
    }
  } catch (const CLI::Error& error) {
    answer = answer_of(app, error, line.words);
  }
  answer.json = asks_for_json(argc, argv);
  answer.verb = line.verb;
  return answer;
}

}  // namespace spark::cli
