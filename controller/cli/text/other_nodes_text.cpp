#include "cli/text/other_nodes_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/duration_text.hpp"
#include "base/text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/state_words.hpp"

namespace spark::cli {
namespace {

std::string line_of(const OtherNode& node, std::size_t width, const Terminal& terminal) {
  std::vector<std::string> parts{heard_text(node)};
  if (!node.why.empty()) parts.front() += ": " + node.why;
  if (node.has_our_file == false) parts.push_back("another file, digest " + node.file);
  if (node.rails > 0) {
    parts.push_back(
        fmt::format("RDMA proven over {} of {}", node.proven, counted(node.rails, "rail")));
  }
  const auto [tone, sign] = look_of(node.verdict);
  return fmt::format("  {} {}  {}\n", terminal.paint(tone, std::string(sign)),
                     padded(node.name, width), fmt::join(parts, "; "));
}

}  // namespace

std::string heard_text(const OtherNode& node) {
  const auto verdict = name_of(node.verdict);
  if (node.is_own) return std::string(verdict);
  if (!node.told_by.empty() && node.is_silent)
    return fmt::format("silent, as {} tells", node.told_by);
  if (!node.heard_ago) return "not heard since this node booted";
  const auto ago = duration_text(*node.heard_ago);
  if (!node.told_by.empty())
    return fmt::format("{}, as {} told {} ago", verdict, node.told_by, ago);
  if (!node.is_silent) return fmt::format("{}, heard {} ago", verdict, ago);
  return fmt::format("silent for {}{}{}", ago, node.told_before.empty() ? "" : ", before that ",
                     node.told_before);
}

std::string standing_text(const OtherNode& node) {
  return fmt::format("{} is {}{}", node.name, heard_text(node),
                     node.why.empty() ? "" : ": " + node.why);
}

std::string brief_text(std::string_view cluster, const std::vector<OtherNode>& nodes,
                       const Terminal& terminal) {
  const auto worst = std::ranges::max_element(nodes, {}, &OtherNode::verdict);
  if (worst == nodes.end()) return {};
  const auto ready = std::ranges::count(nodes, gate::Verdict::kReady, &OtherNode::verdict);
  const auto [tone, sign] = look_of(worst->verdict);
  auto text = fmt::format("{} {}: {} of {} ready", terminal.paint(tone, std::string(sign)), cluster,
                          ready, nodes.size());
  const auto others = nodes.size() - static_cast<std::size_t>(ready);
  if (others > 0) text += "; " + standing_text(*worst);
  if (others > 1) text += fmt::format("; and {} more", others - 1);
  return text + "\n";
}

std::string other_nodes_text(const std::vector<OtherNode>& nodes, const Terminal& terminal) {
  if (nodes.empty()) return {};
  std::size_t width = 0;
  for (const auto& node : nodes) width = std::max(width, columns(node.name));
  auto text = terminal.paint(Tone::kStrong, "other nodes") + "\n";
  for (const auto& node : nodes) text += line_of(node, width, terminal);
  return text + "\n";
}

}  // namespace spark::cli
