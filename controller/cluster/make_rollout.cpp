#include "cluster/make_rollout.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "cluster/view_words.hpp"

namespace spark::cluster {
namespace {

/// What a node that is heard says of its files.
struct Files {
  std::string file;
  std::string candidate;
  [[nodiscard]] bool waits() const { return !candidate.empty() && candidate != file; }
  [[nodiscard]] bool tries() const { return !candidate.empty() && candidate == file; }
};

class Rolling {
 public:
  Rolling(const Known& known, const std::vector<NodeView>& nodes) : known_(known), nodes_(nodes) {
    for (const auto& node : nodes) {
      if (!is_heard(node)) continue;
      files_[node.name] = {.file = node.file,
                           .candidate = node.is_own
                                            ? own_candidate()
                                            : latest_report(node.name, known.told).candidate};
    }
  }

  std::optional<RolloutView> view() {
    to_ = new_file();
    if (to_.empty()) return std::nullopt;
    RolloutView rollout{.from = old_file(), .to = to_, .nodes = {}, .skipped = {}};
    for (const auto& name : names_in_order()) rollout.nodes.push_back(node_of(name));
    rollout.has = static_cast<int>(std::ranges::count_if(rollout.nodes, [](const auto& node) {
      return node.step == RolloutStep::kHas || node.step == RolloutStep::kTries;
    }));
    if (known_.rollout.held) rollout.skipped = known_.rollout.held->skipped;
    return rollout;
  }

 private:
  [[nodiscard]] std::string own_candidate() const {
    const auto& held = known_.rollout.held;
    return protocol::short_digest(held ? held->digest : known_.told.own.candidate);
  }

  [[nodiscard]] bool are_different() const {
    std::set<std::string> all;
    for (const auto& [node, files] : files_) {
      if (!files.file.empty()) all.insert(files.file);
    }
    return all.size() > 1;
  }

  static std::string most_of(const std::map<std::string, int>& counts) {
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return most == counts.end() ? std::string() : most->first;
  }

  /// The file that the others go to. Empty: none.
  [[nodiscard]] std::string new_file() const {
    if (known_.rollout.held) return protocol::short_digest(known_.rollout.held->digest);
    std::map<std::string, int> waiting;
    for (const auto& [node, files] : files_) {
      if (files.waits()) ++waiting[files.candidate];
    }
    if (!waiting.empty()) return most_of(waiting);
    if (!known_.rollout.is_asked || !are_different()) return {};
    for (const auto& [node, files] : files_) {
      if (files.tries()) return files.file;
    }
    // Nobody says which of the two is newer: the first group has it first.
    for (const auto& group : known_.rollout.groups) {
      for (const auto& name : group) {
        const auto found = files_.find(name);
        if (found != files_.end() && !known_.shape.is_away(name) && !found->second.file.empty()) {
          return found->second.file;
        }
      }
    }
    return {};
  }

  [[nodiscard]] std::string old_file() const {
    std::map<std::string, int> others;
    for (const auto& [node, files] : files_) {
      if (!files.file.empty() && files.file != to_) ++others[files.file];
    }
    return most_of(others);
  }

  [[nodiscard]] std::vector<std::string> names_in_order() const {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      const bool is_node = std::ranges::find(nodes_, name, &NodeView::name) != nodes_.end();
      if (is_node && std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const auto& group : known_.rollout.groups) std::ranges::for_each(group, add);
    std::ranges::for_each(known_.shape.nodes, add);
    return names;
  }

  [[nodiscard]] RolloutStep step_of(const std::string& name) const {
    const auto found = files_.find(name);
    if (found == files_.end()) return RolloutStep::kUnknown;
    const auto& [file, candidate] = found->second;
    if (file == to_) return candidate == to_ ? RolloutStep::kTries : RolloutStep::kHas;
    if (candidate == to_) return RolloutStep::kWaits;
    const auto is_new = [&](const auto& digest) { return protocol::short_digest(digest) == to_; };
    const bool has_failed =
        name == known_.own.name && std::ranges::any_of(known_.rollout.bad, is_new);
    return has_failed ? RolloutStep::kWentBack : RolloutStep::kNotYet;
  }

  [[nodiscard]] RolloutNode node_of(const std::string& name) const {
    const auto& seen = *std::ranges::find(nodes_, name, &NodeView::name);
    RolloutNode node{.node = name,
                     .step = step_of(name),
                     .file = is_heard(seen) ? seen.file : std::string(),
                     .is_away = known_.shape.is_away(name),
                     .is_silent = seen.is_silent,
                     .waits = {},
                     .since = {}};
    if (node.step != RolloutStep::kWaits) return node;
    if (seen.is_own && known_.rollout.held) {
      node.waits = known_.rollout.held->waits;
      node.since = known_.rollout.held->since;
    } else if (!seen.is_own) {
      node.waits = waits_by_order(name);
    }
    return node;
  }

  /// It does not say for whom it waits: for those of the groups before its own that do not have the
  /// file yet, or are not ready with it.
  [[nodiscard]] std::vector<RolloutWait> waits_by_order(const std::string& name) const {
    std::vector<RolloutWait> waits;
    for (const auto& group : known_.rollout.groups) {
      if (std::ranges::find(group, name) != group.end()) return waits;
      for (const auto& before : group) {
        const auto seen = std::ranges::find(nodes_, before, &NodeView::name);
        if (seen == nodes_.end() || known_.shape.is_away(before)) continue;
        const bool is_there =
            step_of(before) == RolloutStep::kHas && seen->verdict == protocol::Verdict::kReady;
        if (!is_there) waits.push_back({.node = before, .why = {}});
      }
    }
    return waits;
  }

  const Known& known_;
  const std::vector<NodeView>& nodes_;
  std::map<std::string, Files> files_;  ///< of the nodes that are heard
  std::string to_;
};

}  // namespace

std::optional<RolloutView> rollout_of(const Known& known, const std::vector<NodeView>& nodes) {
  return Rolling(known, nodes).view();
}

}  // namespace spark::cluster
