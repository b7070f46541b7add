#pragma once
// VerbSpec: a verb is one value of this type, at the end of its file in cli/verbs/. The parser, the
// help, the manual pages, the completion and the answers to wrong lines walk the table of all.

#include <any>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.hpp"
#include "cli/input/options.hpp"

namespace spark::cli {

struct Command;
struct TypedArgument;
struct TypedLine;

/// The heading of the help under which a verb stands.
enum class VerbGroup : std::uint8_t {
  kStart,
  kLook,
  kBack,     ///< to how it was
  kService,  ///< the daemon
  kJobs,
  kProgram
};

std::string_view title_of(VerbGroup group);

/// What people type who know other programs, and what this one has for it.
struct Meaning {
  std::string_view words;   ///< in lower case, a comma between two
  std::string_view advice;  ///< why, and the line to type
};

/// A word that a verb does not take.
struct ExtraWord {
  const TypedLine& line;  ///< without the words behind it that are too many
  const TypedArgument& argument;
  const TypedLine& typed;  ///< with all
};

/// The options that a verb alone has.
struct OwnOptions {
  std::span<const OptionRow> rows;
  std::any (*make)() = nullptr;  ///< the struct that they fill; none: Arguments
};

template <class Own>
constexpr OwnOptions own_rows(std::span<const OptionRow> rows) {
  return {rows, [] { return std::any(Own{}); }};
}

struct VerbSpec {
  /// Which cluster file the verb gets where the one of this machine is refused or waits.
  enum class OfFile : std::uint8_t {
    kInForce,  ///< the one that the daemon has in force: the verb shows how this machine is
    kAsItIs,   ///< the file itself is what the verb is about
    kActedOn   ///< the same, and root does what it says
  };
  /// Which node the verb is about.
  enum class OfNode : std::uint8_t {
    kThisMachine,
    kAny,  ///< the one of -n
    kNone
  };

  std::string_view name;   ///< as on the command line and in JSON
  std::string_view alias;  ///< another name on the command line; empty: none
  VerbGroup group{};
  std::string_view about;         ///< one line of help
  std::uint8_t first_week = 0;    ///< its place in the help of a first week; 0: it has none
  bool needs_root = false;        ///< it changes this machine, or reads what root alone may
  bool names_unfinished = false;  ///< it says first that an apply was interrupted
  bool writes = false;            ///< without root: a file, or by an engine
  OfFile file = OfFile::kInForce;
  OfNode node = OfNode::kThisMachine;
  OwnOptions options;
  std::span<const Meaning> meant;  ///< for options that it does not have, and for words behind it
  /// Whether what was typed needs root; none: `needs_root` says it.
  bool (*is_for_root)(const Arguments&) = nullptr;
  /// Adds to a line that is shown for being typed what the verb does nothing without.
  void (*complete)(std::vector<std::string>& words) = nullptr;
  /// What to write in place of the word, before it is compared with what options take, and after
  /// that; empty: nothing is known.
  std::string (*advise)(const ExtraWord& extra) = nullptr;
  std::string (*advise_last)(const ExtraWord& extra) = nullptr;
  /// What is wrong with options that can each be read; empty: nothing.
  std::string (*check)(const Arguments& arguments, const TypedLine& line) = nullptr;
  ExitCode (*run)(const Command& command) = nullptr;  ///< none: main.cpp runs it
};

/// All verbs, in the order in which the help shows them. What is below cli/verbs knows no more of
/// them than this table, which cli/verbs/verbs.cpp has.
std::span<const VerbSpec* const> verbs();

/// The verb with that name or alias; none: there is none.
const VerbSpec* verb_named(std::string_view name);
/// The verb that alone has the option; none: every verb has it.
const VerbSpec* owner_of(const OptionRow& option);
/// It changes this machine, a file, or other machines.
bool changes_something(const VerbSpec& verb);

/// The arguments of the verb, in their order.
std::vector<OptionRow> arguments_of(const VerbSpec& verb);
/// The common options beside the verb's own, which may have taken a short name: `events -f`
/// follows.
std::vector<OptionRow> common_options(const VerbSpec& verb);
/// The option of that name, as "-f", for the verb: its own, else one that every verb has. None:
/// there is none.
const OptionRow* option_named(const VerbSpec* verb, std::string_view name);
/// Some verb has an option of that name.
bool names_an_option(std::string_view word);

/// The verb that prints the help. It runs nothing, so it is none of the table.
inline constexpr std::string_view kHelpVerb = "help";
inline constexpr std::string_view kHelpAbout =
    "print the help of a first week, of all with --all, or of one verb";
inline constexpr std::string_view kHelpAll = "--all";

}  // namespace spark::cli
