#pragma once
// --all of `plan`, `apply` and `rollback`: the daemon offers a file to all nodes, and the verb
// shows how that goes.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {

inline constexpr OptionRow kAllOption{
    .names = "--all",
    .value = &Value::kNone,
    .member = in<&Arguments::all>(),
    .about = "on all nodes of the file together: all have it, or all go back",
    .for_root = true};
inline constexpr OptionRow kWithinOption{
    .names = "--within",
    .value = &Value::kDuration,
    .member = in<&Arguments::within>(),
    .about =
        "with --all: go back on all nodes unless every gate is as good as before by then (20s to "
        "30m, default 2m)",
    .range = {"20s", "30m", "ms"}};
inline constexpr OptionRow kExceptOption{.names = "--except",
                                         .value = &Value::kNames,
                                         .member = in<&Arguments::except>(),
                                         .about = "with --all: these nodes take no part"};

/// What becomes of the answers of all nodes.
enum class AllNodesUse : bool { kPlan, kApply };

/// Offers `file`; with kApply, asks the user, and waits until all nodes have it or none.
/// `is_detailed`: --detailed-exitcode of `plan`. `rejects`: digest of the file that is rolled back;
/// empty: none is.
ExitCode offer_to_all(const Command& command, const ClusterFile& file, AllNodesUse use,
                      bool is_detailed = false, const std::string& rejects = {});
/// The same for the file that the arguments name.
ExitCode offer_named_file(const Command& command, AllNodesUse use, bool is_detailed = false);

/// What is wrong with these options; empty: nothing. `is_of_one`: an option that is about one node
/// was given.
std::string contradiction_of_all(const Arguments& arguments, const TypedLine& line, bool is_of_one);
/// What --within and --except go with.
void complete_all(std::vector<std::string>& words);

}  // namespace spark::cli
