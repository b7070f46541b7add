#include "all_nodes/progress.hpp"

#include <algorithm>

namespace spark::all_nodes {
namespace {

bool any_at(const Progress& progress, Stage stage) {
  return std::ranges::any_of(progress.nodes, [&](const auto& node) { return node.stage == stage; });
}

}  // namespace

bool is_over(const Progress& progress) {
  return std::ranges::all_of(progress.nodes, [&](const auto& node) {
    if (!node.stage) return progress.order == Order::kBack;
    return has_ended(*node.stage);
  });
}

bool is_mixed(const Progress& progress) {
  return any_at(progress, Stage::kKept) && any_at(progress, Stage::kBack);
}

}  // namespace spark::all_nodes
