#pragma once
// FoundAlerts: takes what the condition of one AlertRule finds in a NodeState.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemon/alerts/common/alert_rule.hpp"
#include "diagnosis/diagnose.hpp"
#include "node_state/problems.hpp"

namespace spark::daemon {

class FoundAlerts {
 public:
  /// What is found is added to `alerts`. All of these outlive this.
  FoundAlerts(const AlertRule& rule, const NodeState& state, const diagnosis::Diagnosis& diagnosis,
              std::vector<Alert>& alerts)
      : rule_(rule), state_(state), diagnosis_(diagnosis), alerts_(alerts) {}

  /// Of that state.
  [[nodiscard]] const diagnosis::Diagnosis& diagnosis() const { return diagnosis_; }

  /// `labels`: what distinguishes it from others of its name; node and cluster are added. Name, id,
  /// severity and remedy are those of the rule; an event is true for as long as the rule says.
  /// Valid until the next call.
  Alert& add(std::map<std::string, std::string> labels, std::string summary, const Moment& since);

  /// The same about the first problem that is meant: with the remedy that its screens show.
  template <class IsMeant>
  Alert& add_about(IsMeant is_meant, std::map<std::string, std::string> labels, std::string summary,
                   const Moment& since) {
    auto& alert = add(std::move(labels), std::move(summary), since);
    const auto remedy = node_state::remedy_where(diagnosis_, is_meant);
    if (!remedy.empty()) alert.remedy = written(remedy);
    return alert;
  }

 private:
  const AlertRule& rule_;
  const NodeState& state_;
  const diagnosis::Diagnosis& diagnosis_;
  std::vector<Alert>& alerts_;
};

}  // namespace spark::daemon
