// The verb `version`.

#include "cli/version.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_writer.hpp"
#include "cli/command.hpp"
#include "cli/input/verb.hpp"
#include "cli/json_output.hpp"

namespace spark::cli {

namespace {

ExitCode version(const Command& command) {
  if (command.arguments.json) {
    print_json(command.terminal, "version", config::Cluster{}, "", ExitCode::kDone,
               {{"commit", version_commit()}, {"components", TextJsonWriter::write(components())}});
  } else {
    const auto commit = version_commit();
    command.terminal.print_always(fmt::format("spark-reconcile {}{}\n", version_number(),
                                              commit.empty() ? "" : fmt::format(" ({})", commit)));
  }
  return ExitCode::kDone;
}

}  // namespace

extern const VerbSpec kVersionVerb{
    .name = "version", .group = VerbGroup::kProgram, .about = "print the version", .run = version};

}  // namespace spark::cli
