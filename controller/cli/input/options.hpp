#pragma once
// The options and arguments of the command line: one row each, which makes the parser, the help,
// the manual pages and the completion.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/input/arguments.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {

/// What the value of an option is: the help and the manual call it by this, a shell completes by
/// it.
enum class Value : std::uint8_t {
  kNone,  ///< the option is a flag
  kText,
  kFile,
  kDirectory,
  kNode,      ///< a node of the cluster file
  kDuration,  ///< "90s"
  kVerb,
  kColor,
  kFormat,
  kReportFormat,
  kTopologyFormat,
  kHistoryView,
  kExported,
  kGeneration,  ///< of this node's history
  kRing,        ///< how many nodes a ring has
  kRail,
  kCount,
  kNames,  ///< of nodes, with commas between them
  kUrl,
  kVerify,
  kPattern,
  kKey,
  kCommit,
  kWord,     ///< that `explain` knows
  kVersion,  ///< of a library: "2.28", "2.30.7-1"
  kDigest,   ///< of a file, or its beginning
  kAlert,    ///< its id or its name
  kEngine,
};

/// One of the words that a value can be.
struct Word {
  std::string_view text;
  std::string_view about;
};

/// "FILE", "NODE"; empty for a flag.
std::string_view name_of(Value value);
/// The words that the value is one of; durations: examples. Empty: it is anything.
std::span<const Word> words_of(Value value);

/// What the value is, for a sentence: "the name of a node", "env, shell or json".
std::string described(Value value);
/// A value that could stand there.
std::string_view sample_of(Value value);

/// How long an option may say; as texts, which messages and lines to type have.
struct DurationRange {
  std::string_view option;  ///< its long name
  std::string_view least;   ///< empty: any
  std::string_view most;    ///< empty: any
  std::string_view units;   ///< of a number alone, the first in which it is in the range
};

struct OptionRow;
DurationRange duration_range(const OptionRow& option);
/// The text as a duration that the option takes: a number alone has a unit added, and what is out
/// of the range is its end. Empty: it is none.
std::string duration_near(const OptionRow& option, const std::string& text);

/// Where the parser stores the value.
using Member =
    std::variant<std::monostate, bool Arguments::*, int Arguments::*, std::string Arguments::*,
                 std::chrono::milliseconds Arguments::*, std::optional<std::uint64_t> Arguments::*,
                 Color Arguments::*, ExportFormat Arguments::*, ReportFormat Arguments::*,
                 TopologyFormat Arguments::*, HistoryView Arguments::*, Exported Arguments::*,
                 std::optional<VerifyMode> Arguments::*, WhichRail Arguments::*,
                 Engine Arguments::*>;

struct OptionRow {
  std::optional<Verb> verb;  ///< empty: every verb has it
  std::string_view names;    ///< "-f,--file"; without a dash: an argument, by the name of its value
  Value value{};
  Member member;  ///< none: the option changes nothing
  std::string_view about;
  bool required = false;

  [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }
};

/// Which the library adds itself.
inline constexpr OptionRow kHelpOption{{}, "-h,--help", Value::kNone, {}, "print help, and exit"};

/// All options, those of every verb last.
std::span<const OptionRow> options();

/// The options and arguments of one verb alone, in the order of the help.
std::vector<OptionRow> options_of(Verb verb);
/// The arguments of one verb, in their order.
std::vector<OptionRow> arguments_of(Verb verb);
/// Those that every verb has, and the program without a verb.
std::vector<OptionRow> common_options();
/// The same beside the verb's own, which may have taken a short name: `events -f` follows.
std::vector<OptionRow> common_options(Verb verb);

/// The option of that name, as "-f", for the verb: its own, else one that every verb has. None:
/// there is none.
const OptionRow* option_named(std::optional<Verb> verb, std::string_view name);

/// Some verb has an option of that name.
bool names_an_option(std::string_view word);

/// {"-f", "--file"}.
std::vector<std::string_view> names_in(const OptionRow& option);
bool has_name(const OptionRow& option, std::string_view name);

}  // namespace spark::cli
