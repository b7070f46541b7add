#pragma once
// Problem: one thing that is wrong with a node, or between two of them, and what to do about it.
// Everyone who finds one makes this value; which of them explains which says diagnose().

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "protocol/problem.hpp"
#include "protocol/verdict.hpp"

namespace spark::diagnosis {

/// The most basic first, which is the order on every screen.
enum class Rank : std::uint8_t {
  kHindered,  ///< this program cannot do its work: nothing is changed, or half of it
  kTwice,     ///< two machines with one number or one identity
  kCable,     ///< a cable leads elsewhere
  kNode,      ///< a node lacks something
  kSilent,    ///< a node is not heard
  kRelation,  ///< what a node finds of its peers
  kFile,      ///< a node has another file
  kVersion,   ///< a node runs another version
  kAside,     ///< the node is ready with it or without, and nothing follows from it
};

struct Remedy {
  std::string text;     ///< what to do, commands between backticks; empty: nothing is known
  std::string command;  ///< to type on this node next; empty: `text` is done by hand
  /// The node that this command examines; empty: none.
  // Most leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
  std::string examine = {};
  bool operator==(const Remedy&) const = default;
};

struct Problem {
  std::string node;  ///< whose it is
  protocol::Problem
      found;  ///< without an id, its name is one of kinds.hpp, or of a kind of resource
  protocol::Verdict verdict = protocol::Verdict::kNotReady;
  bool counts = true;         ///< false: the node can be ready all the same
  bool stands_alone = false;  ///< its remedy is its own, whatever explains others like it
  Remedy remedy;
  std::optional<std::chrono::milliseconds> since;  ///< so long it has been so; empty: not known
  std::string state;  ///< "waits for a job", where the verdict does not say it all
  std::string why;    ///< who makes it so, or what it waits for; may be empty
  std::string place;  ///< the line of the file that asks for it; may be empty
  /// Of the file, that differ or wait: "mtu enp1s0f0np0".
  // Most leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
  std::set<std::string> resources = {};
  bool operator==(const Problem&) const = default;
};

}  // namespace spark::diagnosis
