#pragma once
// Command: what every verb gets; and the verbs. Each verb returns the program's exit code.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "cli/input/arguments.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/input/parse_arguments.hpp"
#include "cli/log.hpp"
#include "cli/terminal.hpp"
#include "host/host.hpp"

namespace spark::cli {

struct Question;

struct Command {
  const Arguments& arguments;
  const Terminal& terminal;
  const Log& log;
  host::Host& host;
  Question* question = nullptr;  ///< none: the user is not asked (cli/question.hpp)
};

ExitCode init(const Command& command);
ExitCode join(const Command& command);
ExitCode validate(const Command& command);
ExitCode show_plan(const Command& command);
/// Also the verb `release`, which applies what was there before the first apply.
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
ExitCode mute(const Command& command);
ExitCode events(const Command& command);
ExitCode follow(const Command& command);
ExitCode sync_source(const Command& command);
ExitCode bench(const Command& command);
ExitCode explain(const Command& command);
ExitCode topology(const Command& command);
ExitCode version(const Command& command);

/// Reports an error that ends the verb, as text on stderr or as JSON, and returns `code`.
ExitCode report_error(const Command& command, const Error& error, ExitCode code = ExitCode::kError);

/// Reports what came of a verb, as text (on stderr unless `code` is kDone) or as JSON, and returns
/// `code`.
ExitCode report_outcome(const Command& command, const std::string& node, ExitCode code,
                        const nlohmann::json& body, const std::string& text);

/// Prints the answer to a command line that runs no verb, and returns its exit code.
ExitCode report(const Terminal& terminal, const Answer& answer);

/// Shows what is wrong with the file, and warnings; the exit code is kInvalidFile or kDone.
ExitCode report_findings(const Command& command, const ClusterFile& file);

}  // namespace spark::cli
