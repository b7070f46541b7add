#pragma once
// Finding: one line of `doctor`. Check: what finds them. CheckRow: where its findings stand, and
// how it is asked.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/command.hpp"
#include "diagnosis/problem.hpp"
#include "gate/common/facts.hpp"
#include "plan/step.hpp"

namespace spark::cli {

enum class Severity : std::uint8_t {
  kGood,
  kLook,      ///< to look at: the node may be ready with it
  kPrevents,  ///< prevents the node from being ready, or from being managed
};

struct Finding {
  std::string name;  ///< "journal"; nine letters at most
  Severity severity = Severity::kGood;
  std::string what;
  std::string remedy;  ///< a command, or what to do; empty where it is good
  /// Of one that is not good, what is wrong, as values: these are compared with what other rows
  /// found. Without a node it is of the node that is examined. Empty: nothing goes with it.
  // Most leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<diagnosis::Problem> problems = {};
  bool repeats = false;       ///< what it has in common with a row of its own goes with that row
  bool is_applicable = true;  ///< false: there is nothing here that the row could look at
};
using Findings = std::vector<Finding>;

inline bool is_good(const Finding& finding) { return finding.severity == Severity::kGood; }

/// A good one, which says why there is nothing to look at.
Finding not_applicable(std::string_view name, std::string_view why);

/// A problem of the node that is examined. `name`: see diagnosis/kinds.hpp.
diagnosis::Problem problem_named(std::string_view name, std::optional<gate::Detail> detail = {});
diagnosis::Problem problem_of(const gate::FactKind& fact, gate::Detail detail,
                              const std::string& link);
/// That a resource differs from the file: the fact of the gate that says it, where one does.
diagnosis::Problem problem_of_resource(std::string_view kind, const std::string& key,
                                       const plan::OnLink& on);

/// Of what could not be read, each with its path, a line in the row of that name: what stands there
/// is not known. What others may not read is one line for all.
Findings findings_of_unread(std::string_view name, const std::vector<Error>& unread);

/// Looks at one thing, and changes nothing: it takes no lock, writes no file and waits for no
/// network. It claims nothing that it cannot see. Empty: there is nothing to say.
using Check = Findings (*)(const Command& command);

/// What a check is about, in the order of the screen.
enum class Section : std::uint8_t {
  kProgram,
  kFile,
  kCard,
  kRdma,
  kNetwork,
  kManagers,
  kJobs,
  kCluster,
};

std::string_view name_of(Section section);

/// Checks of one lane are asked one after another, and those of several at the same time. The ports
/// of a Host are for one thread each, but for files, which many may read.
enum class Lane : std::uint8_t {
  kFiles,    ///< it only reads files
  kKernel,   ///< it uses any other port of the host
  kHelpers,  ///< it starts helper programs
};
inline constexpr std::size_t kLanes = 3;

/// Who sees what a check looks at.
enum class SeenBy : std::uint8_t { kAll, kRoot };

struct CheckRow {
  std::string_view name;  ///< as of its findings, where it does not answer
  Section section{};
  Lane lane{};
  SeenBy seen_by{};
  Check check = nullptr;
};

}  // namespace spark::cli
