#pragma once
// The options and arguments of the command line: one row each, which makes the parser, the help,
// the manual pages and the completion.

#include <any>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "cli/input/arguments.hpp"

namespace spark::cli {

/// One of the words that a value can be.
struct Word {
  std::string_view text;
  std::string_view about;
};

/// What the value of an option is: the help and the manual call it by its name, a shell completes
/// by its words. A verb defines what it alone takes.
struct Value {
  std::string_view name;        ///< "FILE", "NODE"; empty for a flag
  std::span<const Word> words;  ///< that it is one of; durations: examples. Empty: it is anything
  std::string_view what;        ///< for a sentence: "the name of a node"; empty: one of the words
  std::string_view example;     ///< empty: the first word
  bool means_option = true;     ///< one of its words alone behind the verb means the option

  static const Value kNone;  ///< the option is a flag
  static const Value kText;
  static const Value kFile;
  static const Value kDirectory;
  static const Value kNode;      ///< a node of the cluster file
  static const Value kDuration;  ///< "90s"
  static const Value kVerb;
  static const Value kColor;
  static const Value kReportFormat;
  static const Value kGeneration;  ///< of this node's history
  static const Value kCount;
  static const Value kNames;  ///< of nodes, with commas between them
  static const Value kWord;   ///< that `explain` knows
  static const Value kAlert;  ///< its id or its name
  static const Value kEngine;
};

// In the order of the enumerators.
inline constexpr std::array kColors{Word{"auto", "on a terminal"}, Word{"always", ""},
                                    Word{"never", ""}};
inline constexpr std::array kReportFormats{Word{"text", "for people"}, Word{"json", "as --json"},
                                           Word{"github", "annotations of GitHub Actions"}};
inline constexpr std::array kDurations{Word{"30s", "half a minute"}, Word{"60s", "a minute"},
                                       Word{"5m", "five minutes"}, Word{"2h", "two hours"}};
inline constexpr std::array kEngines{
    Word{"slurm", "by spark-reconcile-slurm, a package of its own"}};

inline constexpr Value Value::kNone{};
inline constexpr Value Value::kText{"TEXT", {}, "a text", "TEXT"};
inline constexpr Value Value::kFile{"FILE", {}, "the name of a file", "FILE"};
inline constexpr Value Value::kDirectory{"DIRECTORY", {}, "a directory", "DIRECTORY"};
inline constexpr Value Value::kNode{"NODE", {}, "the name of a node", "spark1"};
inline constexpr Value Value::kDuration{
    "DURATION", kDurations, "a duration (a whole number from 1, and ms, s, m or h)", "5m", false};
inline constexpr Value Value::kVerb{"VERB", {}, "a verb", "status"};
inline constexpr Value Value::kColor{"WHEN", kColors};
inline constexpr Value Value::kReportFormat{"FORMAT", kReportFormats};
inline constexpr Value Value::kGeneration{"N", {}, "the number of a generation", "3"};
inline constexpr Value Value::kCount{"N", {}, "a whole number from 1", "4"};
inline constexpr Value Value::kNames{
    "NAMES", {}, "names of nodes with commas between them", "spark1,spark2"};
inline constexpr Value Value::kWord{"WORD", {}, "a word", "fabric.mtu"};
inline constexpr Value Value::kAlert{"ID", {}, "the name or the id of an alert", "SparkDrift"};
inline constexpr Value Value::kEngine{"ENGINE", kEngines};

/// "the name of a node", "env, shell or json".
std::string described(const Value& value);
/// A value that could stand there.
std::string_view sample_of(const Value& value);

/// How long an option may say; as texts, which messages and lines to type have.
struct DurationRange {
  std::string_view least;   ///< empty: any
  std::string_view most;    ///< empty: any
  std::string_view units;   ///< of a number alone, the first in which it is in the range
  bool may_be_word = true;  ///< what is near a duration and stands behind the verb is meant as one
};

/// What the parser fills.
struct Filled {
  Arguments& arguments;
  std::any& own;  ///< of the verb
};

/// Where the parser stores the value; that of a choice by the place of its word.
using Member =
    std::variant<std::monostate, bool& (*)(const Filled&), int& (*)(const Filled&),
                 std::string& (*)(const Filled&), std::chrono::milliseconds& (*)(const Filled&),
                 std::optional<std::uint64_t>& (*)(const Filled&),
                 void (*)(const Filled&, std::size_t)>;

/// The option changes nothing.
inline constexpr Member kNowhere{};

template <class T>
concept Enumeration = std::is_enum_v<T>;

/// A member of Arguments, or of the struct that a verb alone has.
template <auto kMember>
struct MemberOf;
template <class T, class Of, T Of::* kMember>
struct MemberOf<kMember> {
  static T& in(const Filled& filled) {
    if constexpr (std::is_same_v<Of, Arguments>) {
      return filled.arguments.*kMember;
    } else {
      return std::any_cast<Of&>(filled.own).*kMember;
    }
  }
  static void choose(const Filled& filled, std::size_t word) {
    if constexpr (Enumeration<T>) {
      in(filled) = static_cast<T>(word);
    } else {
      in(filled) = static_cast<typename T::value_type>(word);
    }
  }
  static constexpr Member get() {
    if constexpr (Enumeration<T> || requires { requires Enumeration<typename T::value_type>; }) {
      return &choose;
    } else {
      return &in;
    }
  }
};

/// For a row: `in<&BenchArguments::peer>()`. The enumerators of a choice are in the order of its
/// words.
template <auto kMember>
constexpr Member in() {
  return MemberOf<kMember>::get();
}

struct OptionRow {
  std::string_view names;  ///< "-f,--file"; without a dash: an argument, by the name of its value
  const Value* value = &Value::kNone;
  Member member;  ///< none: the option changes nothing
  std::string_view about;
  DurationRange range;      ///< of a duration
  std::string_view sample;  ///< a value that says more than that of its kind; empty: that one
  bool required = false;
  bool for_root = false;    ///< with it the verb needs root
  std::string_view advice;  ///< for a value that an argument does not take; empty: none

  [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }
  [[nodiscard]] bool has_name(std::string_view name) const;
};

/// The text as a duration that the option takes: a number alone has a unit added, and what is out
/// of the range is its end. Empty: it is none.
std::string duration_near(const OptionRow& option, const std::string& text);

/// Which the library adds itself.
inline constexpr OptionRow kHelpOption{.names = "-h,--help", .about = "print help, and exit"};

/// Of the verbs that change this node.
inline constexpr OptionRow kChangeIdOption{
    .names = "--change-id",
    .value = &Value::kText,
    .member = in<&Arguments::change_id>(),
    .about =
        "the id of this change elsewhere, as of a ticket: shown in history, events and alerts (64 "
        "characters at most)",
    .sample = "CHG0031"};

/// Those that every verb has, and the program without a verb.
std::span<const OptionRow> common_options();

/// {"-f", "--file"}.
std::vector<std::string_view> names_in(const OptionRow& option);

}  // namespace spark::cli
