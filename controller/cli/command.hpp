#pragma once
// Command: what every verb gets, and how it reports.

#include <string>
#include <string_view>

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

/// What the verb alone has.
template <class Own>
const Own& own_options(const Command& command) {
  return own_options<Own>(command.arguments);
}

/// The verb's name in JSON.
std::string_view verb_of(const Command& command);

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
