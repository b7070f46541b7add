#include "cli/discover/wiring.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/init/node_names.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

using protocol::CageEnd;
using protocol::CageState;
using protocol::NodeRecord;
using Ends = std::vector<CageEnd>;
using Heard = std::map<CageEnd, std::set<CageEnd>>;  ///< each cage of a node, to what it hears

std::string ends_text(const Ends& ends) {
  std::vector<std::string> texts;
  std::ranges::transform(ends, std::back_inserter(texts), text_of);
  return listed(texts);
}

class Judge {
 public:
  explicit Judge(const std::vector<NodeRecord>& nodes) : nodes_(nodes) {
    for (const auto& node : nodes_) {
      for (const auto& cage : node.cages) {
        auto& hears = heard_[{node.node, cage.cage}];
        hears.insert(cage.hears.begin(), cage.hears.end());
      }
    }
  }

  Wiring result() && {
    judge_names();
    judge_founders();
    judge_loops();
    judge_one_sided();
    find_segments();
    find_unconnected();
    find_lonely();
    return std::move(wiring_);
  }

 private:
  void problem(std::string text) { wiring_.problems.push_back(std::move(text)); }

  void judge_names() {
    std::map<std::string, int> counts;
    for (const auto& node : nodes_) ++counts[node.node];
    for (const auto& [name, count] : counts) {
      wiring_.nodes.push_back(name);
      if (count > 1) {
        problem(
            fmt::format("{} machines are called {}: give each its own name, there: sudo "
                        "hostnamectl set-hostname NAME",
                        count, name));
      } else if (!can_be_node(name)) {
        problem(
            fmt::format("no node of a file can be called {}: sudo hostnamectl set-hostname "
                        "NAME, there",
                        name));
      }
    }
    if (nodes_.size() > protocol::kMostDiscovered) {
      problem(
          fmt::format("{} nodes are there, and {} is the most that this finds: write the file "
                      "with `spark-reconcile init --switch {}`",
                      nodes_.size(), protocol::kMostDiscovered, nodes_.size()));
    }
  }

  void judge_founders() {
    std::vector<std::string> founders;
    for (const auto& node : nodes_) {
      if (node.is_founder) founders.push_back(node.node);
    }
    if (founders.size() > 1) {
      problem(
          fmt::format("{} run `init --discover`: one of them writes the file; run `join` on the "
                      "others",
                      listed(founders)));
    }
  }

  void judge_loops() {
    for (const auto& [end, hears] : heard_) {
      for (const auto& other : hears) {
        // Each loop is heard at both of its cages.
        if (other.node == end.node && end < other) {
          problem(
              fmt::format("cages {} and {} of {} are joined to each other: plug one end into "
                          "another node; at a switch, one cage of a node is enough here",
                          end.cage, other.cage, end.node));
        }
      }
    }
  }

  [[nodiscard]] bool is_heard_by(const CageEnd& speaker, const CageEnd& listener) const {
    const auto found = heard_.find(listener);
    return found != heard_.end() && found->second.contains(speaker);
  }

  void judge_one_sided() {
    for (const auto& [end, hears] : heard_) {
      for (const auto& other : hears) {
        if (other.node == end.node || is_heard_by(end, other)) continue;
        problem(
            fmt::format("{} hears {}, and not the reverse, so far", text_of(end), text_of(other)));
      }
    }
  }

  /// All ends that `first` is joined to, over others too. They are marked as found.
  Ends connected_to(const CageEnd& first) {
    Ends ends{first};
    found_.insert(first);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto hears = heard_.find(ends[i]);
      if (hears == heard_.end()) continue;
      for (const auto& other : hears->second) {
        if (other.node != ends[i].node && is_heard_by(ends[i], other) &&
            found_.insert(other).second) {
          ends.push_back(other);
        }
      }
    }
    std::ranges::sort(ends);
    return ends;
  }

  /// At one switch, each hears each.
  [[nodiscard]] bool do_all_hear_each_other(const Ends& ends) const {
    return std::ranges::all_of(ends, [&](const CageEnd& end) {
      return std::ranges::all_of(
          ends, [&](const CageEnd& other) { return end == other || is_heard_by(other, end); });
    });
  }

  void find_segments() {
    for (const auto& [end, hears] : heard_) {
      if (found_.contains(end)) continue;
      auto ends = connected_to(end);
      if (ends.size() < 2) continue;
      if (!do_all_hear_each_other(ends)) {
        problem(fmt::format("{} do not all hear each other, so far", ends_text(ends)));
      }
      wiring_.segments.push_back(std::move(ends));
    }
  }

  [[nodiscard]] bool is_joined(const CageEnd& end) const {
    return std::ranges::any_of(wiring_.segments, [&](const Ends& ends) {
      return std::ranges::find(ends, end) != ends.end();
    });
  }

  /// A node that is heard of, and joined to nobody.
  void find_unconnected() {
    if (nodes_.size() < 2) return;
    for (const auto& name : wiring_.nodes) {
      const bool is_there = std::ranges::any_of(wiring_.segments, [&](const Ends& ends) {
        return std::ranges::find(ends, name, &CageEnd::node) != ends.end();
      });
      if (!is_there) problem(fmt::format("no cable of {} is heard, so far", name));
    }
  }

  void find_lonely() {
    for (const auto& node : nodes_) {
      for (const auto& cage : node.cages) {
        const CageEnd end{node.node, cage.cage};
        if (!is_joined(end)) wiring_.lonely.push_back({.end = end, .state = cage.state});
      }
    }
    std::ranges::sort(wiring_.lonely, {}, &LonelyCage::end);
  }

  const std::vector<NodeRecord>& nodes_;
  Heard heard_;
  std::set<CageEnd> found_;
  Wiring wiring_;
};

}  // namespace

Wiring wiring_of(const std::vector<NodeRecord>& nodes) { return Judge(nodes).result(); }

std::string text_of(const CageEnd& end) { return fmt::format("{}:{}", end.node, end.cage); }

}  // namespace spark::cli
