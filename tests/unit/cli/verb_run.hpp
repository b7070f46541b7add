#pragma once
// run_verb: what a verb prints on a fake machine, and its exit code.

#include <string>

#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "fake/fake_host.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {

struct Printed {
  ExitCode code = ExitCode::kDone;
  std::string out;
  std::string err;
};

inline Printed run_verb(ExitCode (*verb)(const Command&), test::FakeHost& machine,
                        const Arguments& arguments = {}) {
  const TextFile out;
  const TextFile err;
  const Terminal terminal(out.stream(), err.stream(), arguments.color, arguments.quiet);
  const Log log(err.stream(), {.verbosity = arguments.verbosity});
  auto host = machine.host();
  const auto code = verb({arguments, terminal, log, host});
  EXPECT_TRUE(terminal.finish());
  return {code, out.text(), err.text()};
}

}  // namespace spark::cli
