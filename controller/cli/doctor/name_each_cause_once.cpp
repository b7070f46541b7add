#include "cli/doctor/name_each_cause_once.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "cli/doctor/cluster_check.hpp"

namespace spark::cli {
namespace {

template <class Visit>
void each_finding(Examination& examination, Visit visit) {
  for (auto& section : examination.sections) std::ranges::for_each(section.findings, visit);
}

/// What is wrong with this node, in the words of its own rows.
class OwnFaults {
 public:
  explicit OwnFaults(Examination& examination) {
    each_finding(examination, [&](const Finding& finding) {
      const bool is_one = finding.name != kNodesFinding && finding.severity != Severity::kGood;
      if (is_one) faults_.push_back(finding);
    });
  }

  [[nodiscard]] bool say(std::string_view cause) const {
    return std::ranges::any_of(faults_,
                               [&](const Finding& fault) { return fault.what.contains(cause); });
  }

  /// The row that names a rail which the cause of this node names too. Empty: none.
  [[nodiscard]] std::string row_of(std::string_view cause, const protocol::NodeDetails& own) const {
    return row_where([&](const Finding& fault) {
      if (fault.severity != Severity::kPrevents) return false;
      return std::ranges::any_of(own.rails, [&](const protocol::RailDetails& rail) {
        return has_name(cause, rail.link) && has_name(fault.what, rail.link);
      });
    });
  }

  /// That of a cable or of rails that are not here, where it names all rails that lead to that
  /// node: nobody is heard over them. Empty: none.
  [[nodiscard]] std::string row_of_cable_to(const std::string& node, const ToldHere& told) const {
    return row_where([&](const Finding& fault) {
      const auto leads_there = [&](const auto& peer) { return peer.node == node; };
      return (fault.name == "cable" || fault.name == "rails") &&
             std::ranges::any_of(told.expected, leads_there) &&
             std::ranges::all_of(told.expected, [&](const auto& peer) {
               return !leads_there(peer) || has_name(fault.what, peer.link);
             });
    });
  }

 private:
  template <class Holds>
  [[nodiscard]] std::string row_where(Holds holds) const {
    const auto found = std::ranges::find_if(faults_, holds);
    return found == faults_.end() ? std::string() : found->name;
  }

  Findings faults_;
};

}  // namespace

void name_each_cause_once(const ToldHere& told, Examination& examination) {
  const OwnFaults faults(examination);
  const auto own = told.own.node + ": ";
  const auto is_said = [&](const Finding& finding) {
    return finding.name == kNodesFinding && finding.what.starts_with(own) &&
           faults.say(std::string_view(finding.what).substr(own.size()));
  };
  for (auto& section : examination.sections) std::erase_if(section.findings, is_said);

  bool closes_our_gate = false;
  each_finding(examination, [&](Finding& finding) {
    if (finding.name != kNodesFinding) return;
    const auto node = finding.what.substr(0, finding.what.find(": "));
    if (node == told.own.node) {
      finding.follows_from = faults.row_of(finding.what, told.own);
    } else if (finding.what.starts_with(node + ": silent")) {
      finding.follows_from = faults.row_of_cable_to(node, told);
    }
    closes_our_gate |= finding.severity == Severity::kPrevents;
  });
  if (!closes_our_gate) return;
  each_finding(examination, [](Finding& finding) {
    if (finding.name == "gate" && finding.follows_from.empty()) {
      finding.follows_from = kNodesFinding;
    }
  });
}

}  // namespace spark::cli
