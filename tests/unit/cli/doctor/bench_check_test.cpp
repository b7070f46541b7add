#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/checks.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"
#include "state/bench_results.hpp"
#include "unit/cli/bench/results.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BenchCheck : public ::testing::Test {
 protected:
  void keep(state::BenchResult result) {
    auto host = machine_.host();
    EXPECT_TRUE(state::keep_bench_result(host.files, std::move(result)));
  }

  /// `gigabits` over both rails with that peer; every call a day later.
  void keep(double gigabits, const std::string& peer = "spark2") { keep(measured(gigabits, peer)); }

  state::BenchResult measured(double gigabits, const std::string& peer = "spark2") {
    auto result = pair_result(98, gigabits + 0.4);
    result.peer = peer;
    result.at = fmt::format("2026-01-0{}T09:30:00Z", ++day_);
    return result;
  }

  [[nodiscard]] Findings found() {
    const TextFile out;
    const TextFile err;
    const Arguments arguments;
    const Terminal terminal(out.stream(), err.stream(), arguments.color, arguments.quiet);
    const Log log(err.stream(), {.verbosity = arguments.verbosity});
    auto host = machine_.host();
    return check_bench({arguments, terminal, log, host});
  }

  [[nodiscard]] std::vector<std::string> said() {
    std::vector<std::string> texts;
    for (const auto& finding : found()) texts.push_back(finding.what);
    return texts;
  }

  test::FakeHost machine_;

 private:
  int day_ = 0;
};

TEST_F(BenchCheck, SaysNothingWhereNothingIsSlow) {
  EXPECT_THAT(found(), IsEmpty());
  keep(190);
  EXPECT_THAT(found(), IsEmpty()) << "there is nothing to compare it with";
  keep(95);
  EXPECT_THAT(found(), IsEmpty()) << "half is not below half";
}

TEST_F(BenchCheck, NamesTheLastGoodMeasurement) {
  keep(190);
  keep(188);
  keep(26);
  keep(25);
  const auto findings = found();
  ASSERT_THAT(findings, ElementsAre(Field(&Finding::severity, Severity::kLook)));
  EXPECT_EQ(findings[0].name, "bench");
  EXPECT_EQ(findings[0].what, "188 → 25 Gb/s with spark2 since 2026-01-02T09:30:00Z");
  EXPECT_THAT(findings[0].remedy, HasSubstr("`spark-reconcile bench spark2`"));
}

TEST_F(BenchCheck, IsDoneOnceItIsFastAgain) {
  keep(190);
  keep(26);
  keep(189);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(BenchCheck, ComparesEachPeerWithItself) {
  keep(190, "spark2");
  keep(40, "spark3");
  keep(20, "spark2");
  keep(39, "spark3");
  EXPECT_THAT(said(), ElementsAre("190 → 20 Gb/s with spark2 since 2026-01-01T09:30:00Z"));
}

TEST_F(BenchCheck, ComparesNoOtherRailsAndNoRunBesideAJob) {
  keep(190);
  auto one = measured(26);
  one.rails.pop_back();
  keep(one);
  EXPECT_THAT(found(), IsEmpty());
  auto beside = measured(26);
  beside.jobs = {"python3 (pid 4711) of alice"};
  keep(beside);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(BenchCheck, JudgesNoOtherDevice) {
  for (const double gigabits : {10.0, 1.0}) {
    auto result = measured(gigabits);
    for (auto& rail : result.rails) rail.driver = "rdma_rxe";
    keep(result);
  }
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(BenchCheck, ForgetsAPeerThatLeftTheFile) {
  keep(190);
  keep(26);
  machine_.files().put(protocol::kDefaultFile,
                       "version: 1\ncluster: one\nnodes: { spark1: {}, spark2: {} }\n");
  EXPECT_EQ(found().size(), 1U);
  machine_.files().put(protocol::kDefaultFile, "version: 1\ncluster: one\nnodes: { spark1: {} }\n");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(BenchCheck, NamesADamagedFile) {
  machine_.files().put(protocol::kBenchFile, "{");
  EXPECT_THAT(said(), ElementsAre(HasSubstr("is damaged or of another version")));
}

}  // namespace
}  // namespace spark::cli
