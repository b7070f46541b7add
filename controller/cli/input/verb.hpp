#pragma once
// The verbs: one row each, which makes the help, the command line, the manual pages, the completion
// and the JSON's name of it.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace spark::cli {

enum class Verb : std::uint8_t {
  kValidate,
  kPlan,
  kApply,
  kConfirm,
  kRollback,
  kHistory,
  kDoctor,
  kRelease,
  kStatus,
  kGate,
  kExport,
  kFacts,
  kDaemon,
  kWait,
  kPause,
  kResume,
  kMute,
  kFollow,
  kSync,
  kRollout,
  kEvents,
  kInit,
  kJoin,
  kBench,
  kExplain,
  kTopology,
  kVersion
};

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

struct VerbRow {
  Verb verb{};
  VerbGroup group{};
  std::string_view name;   ///< as on the command line and in JSON
  std::string_view about;  ///< one line of help
  std::string_view alias;  ///< another name on the command line; empty: none
};

/// All verbs, in the order in which the help shows them.
std::span<const VerbRow> verbs();

/// The verb with that name or alias; empty: there is none.
std::optional<Verb> verb_named(std::string_view name);

const VerbRow& row_of(Verb verb);
/// It changes this machine, or reads what root alone may. Without words `mute` and `follow` only
/// show, which all may.
bool needs_root(Verb verb);
inline std::string_view name_of(Verb verb) { return row_of(verb).name; }

/// The verb that prints the help. It runs nothing, so it is none of the table.
inline constexpr std::string_view kHelpVerb = "help";
inline constexpr std::string_view kHelpAbout =
    "print the help of a first week, of all with --all, or of one verb";
inline constexpr std::string_view kHelpAll = "--all";

}  // namespace spark::cli
