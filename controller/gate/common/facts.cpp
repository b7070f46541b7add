#include "gate/common/facts.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::gate {
namespace {

/// The worst of those that count.
Verdict worst_of(const std::vector<Fact>& facts) {
  Verdict worst = Verdict::kReady;
  for (const auto& fact : facts) worst = fact.counts ? std::max(worst, fact.verdict) : worst;
  return worst;
}

/// Calls `each(fact, link)` in the order of the gate.
void for_each_fact(const GateReport& report, auto each) {
  for (const auto& rail : report.rails) {
    for (const auto& fact : rail.facts) each(fact, rail.link);
  }
  for (const auto& fact : report.node) each(fact, std::string());
}

/// Every rail has the fact, and it holds.
bool hold_everywhere(const std::vector<RailFacts>& rails, const FactKind& kind) {
  return std::ranges::all_of(rails, [&kind](const RailFacts& rail) {
    const auto* const fact = rail.find(kind.id);
    return fact != nullptr && fact->verdict == Verdict::kReady;
  });
}

}  // namespace

Fact holds(const FactKind& kind, std::string measured) {
  return {.verdict = Verdict::kReady,
          .id = std::string(kind.id),
          .name = std::string(kind.name),
          .measured = std::move(measured),
          .reach = kind.reach,
          .goes_with_carrier = kind.goes_with_carrier,
          .compares = kind.compares};
}

Fact fails(const FactKind& kind, Verdict verdict, Detail detail, std::string measured,
           std::string remedy) {
  auto fact = holds(kind, std::move(measured));
  fact.verdict = verdict;
  fact.detail = detail;
  fact.remedy = std::move(remedy);
  return fact;
}

Fact fails_until_apply(const FactKind& kind, Detail detail, std::string measured) {
  auto fact = fails(kind, Verdict::kNotReady, detail, std::move(measured), "spark-reconcile apply");
  fact.action = protocol::Action::kApply;
  return fact;
}

Fact about(std::string subject, Fact fact) {
  fact.subject = std::move(subject);
  return fact;
}

const Fact* RailFacts::find(std::string_view id) const {
  const auto fact = std::ranges::find(facts, id, &Fact::id);
  return fact == facts.end() ? nullptr : &*fact;
}

std::string named_peers(const std::vector<std::string>& texts) {
  const auto named = std::span(texts).first(std::min(texts.size(), kNamedPeers));
  auto text = fmt::format("{}", fmt::join(named, "; "));
  if (texts.size() > named.size()) {
    text += fmt::format("; and {} more", texts.size() - named.size());
  }
  return text;
}

bool is_wrong(const Fact& fact) {
  return fact.verdict == Verdict::kNotReady || (fact.verdict != Verdict::kReady && fact.counts);
}

protocol::Problem problem_of(const Fact& fact, std::string_view link) {
  return {.id = fact.id,
          .name = fact.name,
          .detail = fact.detail,
          .link = std::string(link),
          .subject = fact.subject,
          .peers = fact.peers,
          .plug = fact.plug,
          .macs = fact.macs,
          .measured = fact.measured};
}

std::string reason_text(const Fact& fact, std::string_view link) {
  return fmt::format("{} [{}]", problem_of(fact, link).text(), fact.id);
}

std::vector<protocol::Problem> reasons_of(const GateReport& report) {
  std::vector<protocol::Problem> reasons;
  for (const auto verdict : {Verdict::kNotReady, Verdict::kWaiting, Verdict::kUnknown}) {
    for_each_fact(report, [&](const Fact& fact, const std::string& link) {
      if (fact.counts && fact.verdict == verdict) reasons.push_back(problem_of(fact, link));
    });
  }
  return reasons;
}

Verdict GateReport::verdict() const {
  auto worst = worst_of(node);
  for (const auto& rail : rails) worst = std::max(worst, worst_of(rail.facts));
  return worst;
}

ExitCode exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReady:
      return ExitCode::kDone;
    case Verdict::kUnknown:
      return ExitCode::kUnknown;
    case Verdict::kWaiting:
    case Verdict::kNotReady:
      return ExitCode::kWaiting;
  }
  return ExitCode::kUnknown;
}

GateReport::Decisive GateReport::decisive() const {
  const auto worst = verdict();
  if (worst == Verdict::kReady) return {};
  const auto decides = [worst](const Fact& fact) { return fact.counts && fact.verdict == worst; };
  for (const auto& rail : rails) {
    const auto first = std::ranges::find_if(rail.facts, decides);
    if (first != rail.facts.end()) return {.fact = &*first, .link = rail.link};
  }
  // Not ready, and no rail is to blame: then a fact of the node is.
  return {.fact = &*std::ranges::find_if(node, decides)};
}

std::string GateReport::why() const {
  if (const auto [fact, link] = decisive(); fact != nullptr) return reason_text(*fact, link);
  if (hold_everywhere(rails, kPeersFact)) {
    return "the node is proven; its peers answer over every rail";
  }
  return hold_everywhere(rails, kCablingFact)
             ? "the node and its cables are proven; not every peer answers now"
             : "the node is proven; its cables are not until a peer answers";
}

}  // namespace spark::gate
