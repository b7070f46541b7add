#pragma once
// run_verb: what a verb prints on a fake machine, and its exit code; by its name, or as it was
// typed.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/input/verb.hpp"
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

inline Printed run_verb(std::string_view name, test::FakeHost& machine, Arguments arguments = {},
                        std::optional<std::size_t> width = std::nullopt) {
  arguments.verb = verb_named(name);
  return run_verb(arguments.verb->run, machine, arguments, width);
}

/// What the parser makes of the words: "apply", "--confirm", "1m".
inline Arguments typed_as(const std::vector<std::string>& words) {
  std::vector<const char*> line{"spark-reconcile"};
  for (const auto& word : words) line.push_back(word.c_str());
  const auto parsed = parse_arguments(static_cast<int>(line.size()), line.data());
  const auto* const arguments = std::get_if<Arguments>(&parsed);
  if (arguments == nullptr) {
    ADD_FAILURE() << std::get<Answer>(parsed).error;
    return {};
  }
  auto typed = *arguments;
  typed.typed.clear();  // else an error of rights ends with the line for root
  return typed;
}

inline Printed run_typed(test::FakeHost& machine, const std::vector<std::string>& words,
                         std::optional<std::size_t> width = std::nullopt) {
  return run_verb(words.front(), machine, typed_as(words), width);
}

}  // namespace spark::cli
