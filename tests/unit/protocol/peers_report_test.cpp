#include "protocol/peers_report.hpp"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "protocol/alive.hpp"

namespace spark::protocol {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::int64_t kUntil = 1'000'000;

std::string written() {
  PeersReport report{.boot_id = "b", .failed = {}};
  report.heard.push_back({.link = "enp1s0f0np0", .mac = {}, .hello = {.node = "spark2"}});
  report.heard.front().heard_ms = 5;
  report.told.emplace_back();
  report.told.front().details.node = "spark2";
  report.rdma.emplace_back();
  return json_text(document_of(kPeersReportSchema, report));
}

TEST(PeersReportAt, CountsUntilItsWriterShouldHaveSaidThatItLives) {
  for (const auto& alive :
       {std::optional<std::string>(), std::optional<std::string>("1000000\n")}) {
    const auto report = peers_report_at(milliseconds(kUntil), written(), alive);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_FALSE(report->heard.front().is_silent);
    EXPECT_EQ(report->told.size(), 1U);
    EXPECT_EQ(report->rdma.size(), 1U);
    EXPECT_EQ(report->failed, "");
  }
}

TEST(PeersReportAt, PastThatAllAreSilentAndNothingIsKnown) {
  const auto report = peers_report_at(milliseconds(kUntil + 1), written(), "0000000001000000\n");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_TRUE(report->heard.front().is_silent);
  // It was heard at least until its writer lived last.
  EXPECT_EQ(report->heard.front().heard_ms, kUntil - milliseconds(kAliveCounts).count());
  EXPECT_TRUE(report->told.empty());
  EXPECT_TRUE(report->rdma.empty());
  EXPECT_THAT(report->failed, HasSubstr("hangs, or was killed"));
}

TEST(PeersReportAt, TakesNoTimeForGranted) {
  for (const auto* alive : {"", "soon", "99999999999999999999", "9999999999999999"}) {
    EXPECT_FALSE(peers_report_at(milliseconds(kUntil), written(), alive)) << alive;
  }
}

}  // namespace
}  // namespace spark::protocol
