#pragma once
// run_verb: what a verb prints on a fake machine, and its exit code.

#include <cstddef>
#include <optional>
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

/// `width`: of the terminal that it prints on; empty: it prints on none.
inline Printed run_verb(ExitCode (*verb)(const Command&), test::FakeHost& machine,
                        const Arguments& arguments = {},
                        std::optional<std::size_t> width = std::nullopt) {
  const TextFile out;
  const TextFile err;
  const Terminal terminal(out.stream(), err.stream(), arguments.color, arguments.quiet, width);
  const Log log(err.stream(), {.verbosity = arguments.verbosity});
  auto host = machine.host();
  const auto code = verb({arguments, terminal, log, host});
  EXPECT_TRUE(terminal.finish());
  return {code, out.text(), err.text()};
}

}  // namespace spark::cli
