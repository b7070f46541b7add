#pragma once
// asked: the findings of one check on a machine in memory.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/finding.hpp"
#include "fake/fake_host.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {

/// `root`: where a check looks that asks the file system by itself.
inline Findings asked(Check check, test::FakeHost& machine, const std::string& root = "/") {
  const TextFile out;
  const TextFile err;
  Arguments arguments;
  arguments.root = root;
  const Terminal terminal(out.stream(), err.stream(), arguments.color, arguments.quiet);
  const Log log(err.stream(), {.verbosity = arguments.verbosity});
  auto host = machine.host();
  return check({arguments, terminal, log, host});
}

inline auto says(const std::string& name, Severity severity, const std::string& what) {
  using ::testing::AllOf;
  using ::testing::Field;
  return AllOf(Field(&Finding::name, name), Field(&Finding::severity, severity),
               Field(&Finding::what, ::testing::HasSubstr(what)));
}

}  // namespace spark::cli
