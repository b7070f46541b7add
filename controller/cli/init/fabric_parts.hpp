#pragma once
// Parts of `fabric:` that all new files have.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "cli/init/yaml_text.hpp"

namespace spark::cli {

/// "spark1:0".
std::string cage_end(const std::string& node, int cage);

/// Two subnets that are free, one for each rail, and taken from then on. Errors: kNotFound.
Result<std::array<std::string, 2>> take_subnets(std::vector<IpPrefix>& taken);

/// What stands before the cables and switches; `who_uses` the subnets, a sentence. They stand
/// indented in it, until `end_fabric`.
void begin_fabric(YamlText& yaml, std::string_view who_uses, bool has_switch);
/// Also what stands behind it.
void end_fabric(YamlText& yaml);
/// The policy of drift for who wants to watch before it corrects, as a comment.
void offer_first_week(YamlText& yaml);

/// Gives nodes that have none (0) a number, their place from 1 on or the next that is free.
void give_numbers(std::vector<int>& numbers);

}  // namespace spark::cli
