#include "cli/bench/bench_text.hpp"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "unit/cli/bench/results.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string shown(const state::BenchResult& result, std::optional<std::size_t> width) {
  const TextFile text;
  const Terminal terminal(text.stream(), text.stream(), Color::kNever, false, width);
  return bench_text(result, terminal);
}

/// A pair of which two numbers failed, beside a job.
state::BenchResult marred() {
  auto result = pair_result();
  figure_of(result, {"enp1s0f0np0"}, "read", "to").failed = "no answer in time";
  figure_of(result, {"enP2p1s0f0np0"}, "read", "from").failed = "no answer in time";
  result.rails[1].latency_p50_us = 0;
  result.rails[1].latency_p99_us = 0;
  result.jobs = {"python3 (pid 4711) of alice uses rocep1s0f0"};
  return result;
}

TEST(BenchText, OfAPairOn80Columns) { EXPECT_EQ(shown(pair_result(), 80), R"()"); }
TEST(BenchText, OfAPairOn120Columns) { EXPECT_EQ(shown(pair_result(), 120), R"()"); }
TEST(BenchText, OfAPairOn60Columns) { EXPECT_EQ(shown(pair_result(13, 26, 50), 60), R"()"); }
TEST(BenchText, OfAPairOn40Columns) { EXPECT_EQ(shown(pair_result(), 40), R"()"); }
TEST(BenchText, InAFileOneThingALine) { EXPECT_EQ(shown(marred(), std::nullopt), R"()"); }
TEST(BenchText, OfWhatFailed) { EXPECT_EQ(shown(marred(), 80), R"()"); }

}  // namespace
}  // namespace spark::cli
