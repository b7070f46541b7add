#pragma once
// Progress: how an offer stands, as one node knows it, for people and programs.

#include <optional>
#include <string>
#include <vector>

#include "all_nodes/machine.hpp"
#include "base/moment.hpp"

namespace spark::all_nodes {

struct NodeProgress {
  std::string node;
  std::optional<Stage> stage;  ///< empty: nothing was heard of it
  std::string why;
  PlanTold plan;
  bool operator==(const NodeProgress&) const = default;
};

template <EitherConst<NodeProgress> T, class Visit>
void each_field(T& progress, Visit visit) {
  visit("node", progress.node);
  visit("stage", progress.stage);
  visit("why", may_lack(progress.why));
  visit("plan", may_lack(progress.plan));
}

struct Progress {
  Terms terms;
  Order order = Order::kNone;
  std::string why;                  ///< of kBack
  std::optional<Moment> until;      ///< this node goes back then; empty: nothing is applied here
  std::vector<NodeProgress> nodes;  ///< this one first, then by name
};

template <EitherConst<Progress> T, class Visit>
void each_field(T& progress, Visit visit) {
  visit("terms", progress.terms);
  visit("order", progress.order);
  visit("why", may_lack(progress.why));
  visit("until", progress.until);
  visit("nodes", progress.nodes);
}

/// Nobody does anything for it any more: each node that takes part kept it, went back, refused it
/// or never took it.
bool is_over(const Progress& progress);

/// Some nodes kept it and others went back, by what they say: no retry of the protocol heals that.
bool is_mixed(const Progress& progress);

}  // namespace spark::all_nodes
