#pragma once
// select: which node of the file this machine is, and what the file asks of it.

#include <string>

#include "base/result.hpp"
#include "host/view.hpp"
#include "spec/cluster.hpp"
#include "spec/node.hpp"

namespace spark {

struct Selection {
  Node node;
  std::string matched;  ///< the node that this machine is by name or `match:`; empty: none
};

/// Takes the node named `asked`, or, where that is empty, the one that this machine is.
/// Errors: kNotFound when there is none, saying what the file has and how to choose.
Result<Selection> select(const Cluster& cluster, const std::string& asked, View& view);

}  // namespace spark
