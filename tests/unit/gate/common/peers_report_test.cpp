#include "gate/common/peers_report.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "fake/fake_host.hpp"

namespace spark::gate {
namespace {

/// A report with one of each.
protocol::PeersReport small_report() {
  protocol::PeersReport report;
  report.heard.resize(1);
  report.told.resize(1);
  report.rdma.resize(1);
  report.rdma.front().ip = *IpAddress::parse("192.0.2.12");
  report.refused.resize(1);
  return report;
}

Result<std::optional<protocol::PeersReport>> read_back(const protocol::PeersReport& report) {
  test::FakeHost host;
  host.files().put(protocol::kPeersReportFile,
                   json_text(document_of(protocol::kPeersReportSchema, report)));
  auto ports = host.host();
  return read_peers_report(ports);
}

TEST(PeersReport, WithTimesThatNobodyCanReckonWithIsRefused) {
  using Set = std::function<void(protocol::PeersReport&, std::int64_t)>;
  const std::vector<Set> times{[](auto& report, auto ms) { report.heard.front().heard_ms = ms; },
                               [](auto& report, auto ms) { report.heard.front().since_ms = ms; },
                               [](auto& report, auto ms) { report.told.front().told_ms = ms; },
                               [](auto& report, auto ms) { report.told.front().replaced_ms = ms; },
                               [](auto& report, auto ms) { report.rdma.front().tried_ms = ms; },
                               [](auto& report, auto ms) { report.refused.front().heard_ms = ms; }};
  for (const auto& set : times) {
    auto report = small_report();
    set(report, 1'000'000);
    EXPECT_TRUE(read_back(report));
    for (const auto ms :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
      set(report, ms);
      EXPECT_FALSE(read_back(report)) << ms << " is no time of a machine";
    }
  }
}

}  // namespace
}  // namespace spark::gate
