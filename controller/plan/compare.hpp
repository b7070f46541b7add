#pragma once
// compare: what a new file changes on a node that is as an old file says, judged without the
// machine.

#include <string>
#include <vector>

#include "config/node.hpp"
#include "plan/step.hpp"

namespace spark::plan {

/// What only the machine can tell of a comparison.
struct Unknown {
  std::string resource;  ///< "mtu enp1s0f0np0"; empty: the node
  std::string what;      ///< one clause
  bool operator==(const Unknown&) const = default;
};

struct Comparison {
  /// In the order of an apply. What nobody asked for so far is `before` nothing, and disturbs what
  /// it can at most. What stays although the file no longer asks for it is `left` as it was.
  std::vector<Step> steps;
  std::vector<Unknown> unknown;
};

/// Both nodes are of one name, resolved with the same model of its devices. Reads and changes
/// nothing: the steps are to be shown.
Comparison compare(const config::Node& from, const config::Node& to);

}  // namespace spark::plan
