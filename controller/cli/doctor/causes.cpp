#include "cli/doctor/causes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "diagnosis/diagnose.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"

namespace spark::cli {
namespace {

using diagnosis::Problem;

template <class Visit>
void each_finding(const Examination& examination, Visit visit) {
  for (const auto& section : examination.sections) std::ranges::for_each(section.findings, visit);
}

Problem with_node(Problem problem, const Examination& examination) {
  if (problem.node.empty()) problem.node = examination.wiring.own;
  return problem;
}

/// Rows look with eyes of their own: one knows the id, another what was measured.
bool is_one_problem(const Problem& one, const Problem& other) {
  const auto& a = one.found;
  const auto& b = other.found;
  const bool has_one_id = a.id == b.id || a.id.empty() || b.id.empty();
  // A link that is down, absent or without a carrier has one id, and is not all of that at once.
  const auto& link = gate::kLinkFact.id;
  const bool is_one_of_many = a.id == link || b.id == link || a.name == diagnosis::kSilent;
  const bool has_one_detail = !is_one_of_many || a.detail == b.detail;
  return one.node == other.node && has_one_id && has_one_detail && a.name == b.name &&
         a.link == b.link && a.subject == b.subject;
}

/// Each problem of an examination once, with the finding that looked at it.
class Owners {
 public:
  explicit Owners(const Examination& examination) : examination_(examination) {
    for (const bool repeats : {false, true}) {
      each_finding(examination, [&](const Finding& finding) {
        if (finding.repeats != repeats) return;
        for (const auto& problem : finding.problems) add(problem, &finding);
      });
    }
    for (const auto& problem : examination.around) add(problem, nullptr);
    std::vector<Problem> problems;
    problems.reserve(all_.size());
    for (const auto& owned : all_) problems.push_back(owned.problem);
    diagnosis_ = diagnosis::diagnose(std::move(problems), examination.wiring);
  }

  /// The finding that has to be fixed for this problem to go. Null: no row says it.
  [[nodiscard]] const Finding* root_of(const Problem& problem) const {
    const auto owned = find(with_node(problem, examination_));
    // Of one that another row has named more closely since.
    if (owned == all_.end()) return nullptr;
    const auto& root = *diagnosis_.root_of(owned->problem);
    const bool is_effect = std::ranges::find(root.effects, owned->problem) != root.effects.end();
    return is_effect ? std::ranges::find(all_, root.problem, &Owned::problem)->finding
                     : owned->finding;
  }

 private:
  struct Owned {
    Problem problem;
    const Finding* finding = nullptr;
  };

  [[nodiscard]] std::vector<Owned>::const_iterator find(const Problem& problem) const {
    return std::ranges::find_if(
        all_, [&](const Owned& owned) { return is_one_problem(owned.problem, problem); });
  }

  void add(const Problem& problem, const Finding* finding) {
    auto named = with_node(problem, examination_);
    const auto known = std::ranges::find_if(
        all_, [&](const Owned& owned) { return is_one_problem(owned.problem, named); });
    if (known == all_.end()) {
      all_.push_back({std::move(named), finding});
    } else {
      known->problem = std::move(named);  // who repeats it, knows more of it
    }
  }

  const Examination& examination_;
  std::vector<Owned> all_;
  diagnosis::Diagnosis diagnosis_;
};

}  // namespace

Causes causes_of(const Examination& examination) {
  const Owners owners(examination);
  Causes causes;
  each_finding(examination, [&](const Finding& finding) {
    std::vector<const Finding*> roots;
    for (const auto& problem : finding.problems) roots.push_back(owners.root_of(problem));
    const bool stands_alone = roots.empty() || std::ranges::any_of(roots, [&](const auto* root) {
                                return root == nullptr || root == &finding;
                              });
    if (!stands_alone) causes.emplace(&finding, roots.front());
  });
  return causes;
}

bool has_row(const diagnosis::Problem& problem, const Examination& examination) {
  bool is_said = false;
  each_finding(examination, [&](const Finding& finding) {
    is_said |= std::ranges::any_of(finding.problems, [&](const Problem& other) {
      return is_one_problem(with_node(other, examination), with_node(problem, examination));
    });
  });
  return is_said;
}

}  // namespace spark::cli
