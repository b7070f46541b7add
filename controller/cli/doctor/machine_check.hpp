#pragma once
// What people ask about this machine: check_power about a line of the kernel's log, check_watchdog
// about resets, check_tools about programs that are missing, check_clock about its time.

#include <string_view>

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Nothing where the kernel has not said that the slot gives too little power.
Findings check_power(const Command& command);

/// Nothing on a machine without an SBSA watchdog, where that has its driver, and where another
/// watchdog is in use.
Findings check_watchdog(const Command& command);

/// Nothing where all tools are installed. None of them is needed by this program.
Findings check_tools(const Command& command);

Findings check_clock(const Command& command);

/// A record of the kernel's log says that the slot gives the card too little power.
bool is_power_line(std::string_view record);

}  // namespace spark::cli
