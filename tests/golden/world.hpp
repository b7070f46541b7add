#pragma once
// build_world: a machine in memory from a short text, which a reviewer can read beside the plan.

#include <string_view>

#include "fake/fake_host.hpp"

namespace spark::test {

/// Makes of a new `host` the machine that a world.yaml describes: a healthy DGX Spark, but for what
/// the text says. docs/dev/tests.md has the keys.
/// Throws std::invalid_argument with the line: the text is wrong.
void build_world(FakeHost& host, std::string_view text);

}  // namespace spark::test
