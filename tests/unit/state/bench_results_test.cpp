#include "state/bench_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BenchResults : public testing::Test {
 protected:
  [[nodiscard]] Result<std::vector<BenchResult>> read() { return read_bench_results(ports_.files); }
  void keep(const BenchResult& result) { EXPECT_TRUE(keep_bench_result(ports_.files, result)); }
  void damage() { host_.files().put(protocol::kBenchFile, "{\"results\": ["); }

  const BenchResult kResult{.at = "2026-01-31T09:30:00Z",
                            .version = "0.2.0",
                            .node = "spark1",
                            .peer = "spark2",
                            .seconds = 2,
                            .queue_pairs = 4,
                            .jobs = {"a job uses rocep1s0f0"},
                            .rails = {{.link = "enp1s0f0np0",
                                       .cage = 0,
                                       .rail = 1,
                                       .driver = "mlx5_core",
                                       .speed = 200'000,
                                       .pcie_lanes = 4,
                                       .path_mtu = 4096,
                                       .latency_p50_us = 2.1,
                                       .latency_p99_us = 3.42}},
                            .figures = {{.operation = "write",
                                         .direction = "to",
                                         .links = {"enp1s0f0np0"},
                                         .bits_per_second = 98.1e9,
                                         .failed = ""},
                                        {.operation = "read",
                                         .direction = "from",
                                         .links = {"enp1s0f0np0"},
                                         .bits_per_second = 0,
                                         .failed = "no answer in time"}}};
  test::FakeHost host_;
  host::Host ports_ = host_.host();
};

TEST_F(BenchResults, AreNoneAtFirst) { EXPECT_THAT(*read(), IsEmpty()); }

TEST_F(BenchResults, AreReadAsTheyWereKept) {
  const BenchResult bare{.peer = "spark3"};
  keep(kResult);
  keep(bare);
  EXPECT_THAT(*read(), ElementsAre(kResult, bare));
}

TEST_F(BenchResults, TheOldestMakesRoom) {
  for (std::size_t i = 0; i <= kMostBenchResults; ++i) {
    auto result = kResult;
    result.seconds = static_cast<std::uint32_t>(i);
    keep(result);
  }
  const auto kept = *read();
  ASSERT_EQ(kept.size(), kMostBenchResults);
  EXPECT_EQ(kept.front().seconds, 1U);
  EXPECT_EQ(kept.back().seconds, kMostBenchResults);
}

TEST_F(BenchResults, OfADamagedFileAreReported) {
  damage();
  const auto results = read();
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(results.error().what, HasSubstr("the next `bench` begins a new one"));
}

TEST_F(BenchResults, OfAnotherSchemaAreReported) {
  host_.files().put(protocol::kBenchFile,
                    R"({"schema": "spark-reconcile/bench-results/v2", "results": []})");
  EXPECT_EQ(read().error().code, ErrorCode::kInvalid);
}

TEST_F(BenchResults, ADamagedFileIsBegunAgain) {
  damage();
  keep(kResult);
  EXPECT_THAT(*read(), ElementsAre(kResult));
}

}  // namespace
}  // namespace spark::state
