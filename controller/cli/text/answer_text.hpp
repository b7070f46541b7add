#pragma once
// The answer to "was it the network", as a screen and as JSON.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal.hpp"
#include "jobs/answer.hpp"

namespace spark::cli {

/// A node whose record was asked for.
struct NodeAsked {
  std::string node;
  std::optional<std::chrono::milliseconds> ahead;  ///< of this node's clock; empty: not known
  std::string why;  ///< why what it recorded is not known, printable; empty: it is known
};

struct NetworkAnswer {
  jobs::Answer answer;
  std::vector<NodeAsked> nodes;  ///< this node first
};

/// The answer, and what has to be known of it.
std::string answer_text(const NetworkAnswer& asked, const Terminal& terminal);

/// An empty line, and the lines of all nodes in the order of time; those of a proof that came again
/// and again are one. Empty: nothing was recorded.
std::string lines_text(const NetworkAnswer& asked, const Terminal& terminal);

/// Its members `answer`, `notes`, `lines` and `nodes`.
nlohmann::json answer_json(const NetworkAnswer& asked);

}  // namespace spark::cli
