#include "cli/doctor/finding.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gate/checks/checks.hpp"
#include "gate/gate.hpp"
#include "kinds/network/link.hpp"

namespace spark::cli {

Finding not_applicable(std::string_view name, std::string_view why) {
  return {.name = std::string(name),
          .what = fmt::format("not applicable: {}", why),
          .remedy = {},
          .is_applicable = false};
}

diagnosis::Problem problem_named(std::string_view name, std::optional<gate::Detail> detail) {
  diagnosis::Problem problem;
  problem.found.name = name;
  problem.found.detail = detail;
  return problem;
}

diagnosis::Problem problem_of(const gate::FactKind& fact, gate::Detail detail,
                              const std::string& link) {
  auto problem = problem_named(fact.name, detail);
  problem.found.id = fact.id;
  problem.found.link = link;
  return problem;
}

diagnosis::Problem problem_of_resource(std::string_view kind, const std::string& key,
                                       const plan::OnLink& on) {
  if (kind == kinds::Link::kName) return problem_of(gate::kLinkFact, gate::Detail::kDown, on.link);
  const auto facts = gate::fact_kinds();
  const auto fact = std::ranges::find(facts, kind, &gate::FactKind::compares);
  if (fact != facts.end() && !on.link.empty()) {
    return problem_of(*fact, gate::Detail::kDiffers, on.link);
  }
  auto problem = problem_named(kind, gate::Detail::kDiffers);
  problem.found.link = on.link;
  problem.found.subject = on.ip ? on.ip->text() : on.link.empty() ? key : std::string();
  return problem;
}

Findings findings_of_unread(std::string_view name, const std::vector<Error>& unread) {
  const auto is_forbidden = [](const Error& error) { return error.code == ErrorCode::kPermission; };
  Findings findings;
  const auto add = [&](std::string_view what, std::string_view more, std::string_view remedy) {
    findings.push_back({std::string(name), Severity::kLook,
                        fmt::format("what stands there is not known: {}{}", what, more),
                        std::string(remedy)});
  };
  const auto first = std::ranges::find_if(unread, is_forbidden);
  if (first != unread.end()) {
    const auto others = std::ranges::count_if(unread, is_forbidden) - 1;
    add(first->what, others == 0 ? "" : fmt::format(", and {} more", others),
        "run it as root: `sudo spark-reconcile doctor`");
  }
  for (const auto& error : unread) {
    if (is_forbidden(error)) continue;
    add(error.what, "", "fix the file that is there");
  }
  return findings;
}

}  // namespace spark::cli
