#pragma once
// Parts of a new cluster file.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "cli/init/host_rails.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/yaml_text.hpp"
#include "config/cluster.hpp"
#include "config/parse/parse.hpp"
#include "host/view.hpp"

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

/// The cables that can take the place of the `links` of rails, once somebody knows their other
/// ends. Nothing, where no cage has rails with one lasting address each.
void write_cable_comment(const std::string& node, const HostRails& rails,
                         const std::vector<Neighbour>& neighbours, YamlText& yaml);

/// What `plan` makes of a new file on this machine, as lines of a comment. Lines that begin with a
/// blank are items of a list.
std::vector<std::string> plan_comment(const config::Cluster& cluster, const std::string& node,
                                      host::View& view);

/// A file that `init` is about to write, read as any other. What init writes is always valid: the
/// program's own parser has the last word. Errors: kInvalid.
Result<config::Parsed> parse_own_text(const std::string& text);

}  // namespace spark::cli
