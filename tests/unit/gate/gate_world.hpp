#pragma once
// GateTest: a Spark whose gate is open, until a test makes something happen to it.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apply/transaction.hpp"
#include "fake/fake_cluster.hpp"
#include "gate/gate.hpp"

namespace spark::gate {

inline constexpr const char* kRail = "enp1s0f0np0";
inline constexpr const char* kDevice = "rocep1s0f0";
inline const IpPrefix kAddress = *IpPrefix::parse("198.51.100.11/24");

/// A Spark that has been applied to: its gate is open until something happens.
class GateTest : public testing::Test {
 protected:
  GateTest() {
    test::add_spark(host_);
    auto ports = host_.host();
    host::View view(ports);
    const auto node = test::node_on(host_, text_);
    EXPECT_EQ(apply::Transaction(ports, node, plan::make_plan(node, view, {}), view, {},
                                 apply::TransactionObserver{})
                  .run()
                  .exit_code(),
              ExitCode::kDone);
  }

  GateReport look(const GateOptions& options = {}) {
    auto ports = host_.host();
    host::View view(ports);
    return judge(ports, view, test::node_on(host_, text_), options);
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

  test::FakeHost host_;
  std::string text_ = test::pair_text();
};

}  // namespace spark::gate
