#pragma once
// GateTest: a Spark whose gate is open, until a test makes something happen to it.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "gate/gate.hpp"

namespace spark::gate {

using test::kRail;
inline constexpr const char* kDevice = "rocep1s0f0";
inline const IpPrefix kAddress = *IpPrefix::parse("198.51.100.11/24");

/// A Spark that has been applied to: its gate is open until something happens.
class GateTest : public test::PassTest {
 protected:
  GateTest() { EXPECT_EQ(apply().exit_code(), ExitCode::kDone); }

  GateReport look(const GateOptions& options = {}) {
    host::View view(ports_);
    auto report = judge(ports_, view, node(), options);
    for (const auto& rail : report.rails) expect_details(rail.facts);
    expect_details(report.node);
    return report;
  }

  /// Whatever a test broke: what decides by a fact reads these, and no text.
  static void expect_details(const std::vector<Fact>& facts) {
    for (const auto& fact : facts) {
      const bool holds = fact.verdict == Verdict::kReady;
      EXPECT_EQ(fact.detail.has_value(), !holds) << fact.id << ": " << fact.measured;
      EXPECT_FALSE(holds && (fact.action || !fact.peers.empty())) << fact.id;
    }
  }

  static const Fact& fact_of(const RailFacts& rail, const std::string& id) {
    return *std::ranges::find(rail.facts, id, &Fact::id);
  }

  /// "SR-GATE-002" for each fact of all rails that does not hold.
  static std::vector<std::string> closed_by(const GateReport& report) {
    std::vector<std::string> ids;
    for (const auto& rail : report.rails) {
      for (const auto& fact : rail.facts) {
        if (fact.verdict != Verdict::kReady) {
          ids.push_back(fact.id);
        }
      }
    }
    for (const auto& fact : report.node) {
      if (fact.verdict != Verdict::kReady) {
        ids.push_back(fact.id);
      }
    }
    return ids;
  }

  /// The loopback over `kDevice` reports what `change` makes of a good report.
  void report_of_rail(const std::function<void(protocol::LoopbackReport&)>& change) {
    host_.probe().answer_with([change](const protocol::LoopbackRequest& request) {
      auto report = test::FakeProbe::good(request);
      if (request.device == kDevice) change(report);
      return Result<protocol::LoopbackReport>(report);
    });
  }
};

}  // namespace spark::gate
