#pragma once
// What every verb is given, and the verbs themselves. Each answers with the program's exit code.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "cli/input/arguments.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/terminal.hpp"
#include "host/host.hpp"

namespace spark {

struct Command {
  const Arguments& arguments;
  const Terminal& terminal;
  Host& host;
};

ExitCode validate(const Command& command);
ExitCode show_plan(const Command& command);
/// Also `release`: the same, towards what was there before.
ExitCode apply(const Command& command);
ExitCode confirm(const Command& command);
ExitCode rollback(const Command& command);
ExitCode history(const Command& command);
ExitCode doctor(const Command& command);
ExitCode status(const Command& command);
ExitCode facts(const Command& command);
ExitCode gate(const Command& command);
ExitCode export_environment(const Command& command);
ExitCode wait_until_ready(const Command& command);
ExitCode pause(const Command& command);
ExitCode resume(const Command& command);
ExitCode events(const Command& command);
ExitCode version(const Command& command);

/// As on the command line and in JSON.
std::string_view name_of(Verb verb);

/// Runs the verb that the arguments name.
ExitCode run(const Command& command);

/// Reports an error that ends the verb, as text on stderr or as JSON, and gives its exit code.
ExitCode report_error(const Command& command, const Error& error, ExitCode code = ExitCode::kError);

/// Says what came of a verb, as text (on stderr where it is not done) or as JSON, and gives its
/// exit code.
ExitCode report_outcome(const Command& command, const std::string& node, ExitCode code,
                        const nlohmann::json& body, const std::string& text);

/// Prints what answers the command line by itself, and gives its exit code.
ExitCode report(const Terminal& terminal, const Answer& answer);

/// Shows what is wrong with the file, and warnings; the exit code is kInvalidFile or kDone.
ExitCode report_findings(const Command& command, const ClusterFile& file);

}  // namespace spark
