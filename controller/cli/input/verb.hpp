#pragma once
// The verbs: one row each, which makes the help, the command line and the JSON's name of it.

#include <cstdint>
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
  kEvents,
  kVersion
};

struct VerbRow {
  Verb verb{};
  std::string_view name;   ///< as on the command line and in JSON
  std::string_view about;  ///< one line of help
};

/// All verbs, in the order in which the help shows them.
std::span<const VerbRow> verbs();

const VerbRow& row_of(Verb verb);
inline std::string_view name_of(Verb verb) { return row_of(verb).name; }

}  // namespace spark::cli
