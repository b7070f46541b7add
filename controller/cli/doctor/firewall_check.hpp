#pragma once
// check_firewall: whether a chain of nftables drops TCP between nodes by its policy.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Nothing where no rail is here. Rules are not looked at: one of them may accept what is needed.
Findings check_firewall(const Command& command);

}  // namespace spark::cli
