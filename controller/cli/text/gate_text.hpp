#pragma once
// The report of the readiness gate, for people.

#include <string>

#include "cli/command.hpp"
#include "config/node.hpp"
#include "gate/gate.hpp"

namespace spark::cli {

/// Each fact on a line of its own, by rail.
std::string gate_text(const gate::GateReport& report, const Terminal& terminal);

/// For a screen: by cage and rail, rail 0 first. Facts that hold and only repeat the file share a
/// line.
std::string gate_screen(const gate::GateReport& report, const config::Node& node,
                        const std::string& file, const Terminal& terminal);

/// The verdict, and the root of what makes it so, as `status` names it.
std::string gate_line(const gate::GateReport& report, const std::string& node,
                      const Terminal& terminal);

}  // namespace spark::cli
