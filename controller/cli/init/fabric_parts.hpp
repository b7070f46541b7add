#pragma once
// Parts of `fabric:` that all new files have.

#include <array>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"

namespace spark::cli {

/// "spark1:0".
std::string cage_end(const std::string& node, int cage);

/// Two subnets that are free, one for each rail, and taken from then on. Errors: kNotFound.
Result<std::array<std::string, 2>> take_subnets(std::vector<IpPrefix>& taken);

}  // namespace spark::cli
