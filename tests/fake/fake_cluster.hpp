#pragma once
// What the tests ask of a fake machine: a small cluster file, and the node it gives there.

#include <string>

#include "config/node.hpp"
#include "fake/fake_host.hpp"

namespace spark::test {

/// A pair on one cable in cage 0, both rails, MTU 9000, with something for most kinds to hold.
std::string pair_text();
/// The same, with something of each kind of state on spark1.
std::string every_kind_text();

/// A node of which one thing is asked, net.core.rmem_max, in line 5.
std::string one_setting_text();

/// The node `name` of that text on `host`; throws where the text is wrong, which is the test's
/// error.
config::Node node_on(FakeHost& host, const std::string& text, const std::string& name = "spark1");

}  // namespace spark::test
