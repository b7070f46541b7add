#pragma once
// node_names: what the nodes of a new file are called.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace spark::cli {

struct NodeNames {
  std::vector<std::string> names;
  std::optional<std::size_t> own;  ///< which of them is this machine; empty: none
  bool are_derived = false;        ///< from this machine's host name: the others are placeholders
};

/// The name can be a node of the file.
bool can_be_node(std::string_view name);

/// `count` names: those of `list` ("spark1,spark2"), or, where that is empty, this machine's host
/// name and names like it. Errors: kInvalid when the list has another number of names, or one that
/// no node can have.
Result<NodeNames> node_names(const std::string& list, std::size_t count,
                             const std::string& hostname);

}  // namespace spark::cli
