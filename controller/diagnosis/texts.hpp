#pragma once
// Texts: what people read of a problem, of a root, and of what to do about it.

#include <string>
#include <vector>

#include "base/sentence.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::diagnosis {

/// The sentence_of it and its id: "mtu of eth0: 1500, the file says 9000 [SR-GATE-002]".
Sentence text_of(const Problem& problem);

/// Problems of a root that one sentence says of all their links.
struct Alike {
  Problem problem;                 ///< the first of them
  std::vector<std::string> links;  ///< empty: of the node
};

/// All of a root but its effects; its own problem is in the first.
std::vector<Alike> alike_in(const Root& root);

/// "mtu of eth0 and eth1: 1500, the file says 9000".
Sentence sentence_of(const Alike& alike);
/// The same and its id.
Sentence text_of(const Alike& alike);

/// The first of them with "; 2 more of its rails" and "(and 3 that follow)".
Sentence text_of(const Root& root);

/// " (and 3 that follow)"; empty: nothing does.
Sentence follows_text(const Root& root);

/// What to do, each command between backticks.
Sentence text_of(const Remedy& remedy);

/// What programs read of a root.
template <class Visit>
void each_field(const Root& root, Visit visit) {
  const auto& found = root.problem.found;
  visit("node", root.problem.node);
  visit("link", found.link);
  visit("id", found.id);
  visit("name", found.name);
  visit("detail", found.detail);
  visit("what", sentence_of(root.problem));
  visit("follows", root.effects.size());
  visit("remedy", text_of(root.problem.remedy));
  visit("command", root.problem.remedy.command);
}

}  // namespace spark::diagnosis
