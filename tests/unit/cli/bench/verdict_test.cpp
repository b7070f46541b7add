#include "cli/bench/verdict.hpp"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cli/bench/results.hpp"

namespace spark::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kRail0{"enp1s0f0np0"};
const std::vector<std::string> kRail1{"enP2p1s0f0np0"};

std::vector<std::string> names_of(const state::BenchResult& result) {
  std::vector<std::string> names;
  for (const auto& verdict : bench_verdicts(result)) names.emplace_back(verdict.name);
  return names;
}

state::BenchResult of_speed(state::BenchResult result, std::uint32_t speed) {
  for (auto& rail : result.rails) rail.speed = speed;
  return result;
}

state::BenchResult of_lanes(state::BenchResult result, std::uint32_t lanes) {
  for (auto& rail : result.rails) rail.pcie_lanes = lanes;
  return result;
}

/// Only one rail was asked for.
state::BenchResult one_rail(double gigabits) { return result_of({rail_of(0, 0)}, gigabits, 0, 0); }

/// Each of its four numbers is the same.
state::BenchResult one_rail_exactly(double gigabits) {
  auto result = one_rail(gigabits);
  set_figures(result, kRail0, "write", gigabits);
  set_figures(result, kRail0, "read", gigabits);
  return result;
}

TEST(BenchVerdict, WhatOwnersSeeIsRight) {
  EXPECT_THAT(names_of(pair_result(112, 195)), ElementsAre("right"));
  EXPECT_THAT(names_of(pair_result(92.4, 185)), ElementsAre("right"));
  const auto right = bench_verdicts(pair_result()).front();
  EXPECT_TRUE(right.good);
  EXPECT_EQ(right.what, "190 Gb/s over both rails, as it should be");
  EXPECT_EQ(right.remedy, "");
}

TEST(BenchVerdict, OneRailAloneIsRightToo) {
  const auto result = one_rail(98);
  EXPECT_THAT(names_of(result), ElementsAre("right"));
  EXPECT_EQ(bench_verdicts(result).front().what, "98 Gb/s over rail 0, as it should be");
}

TEST(BenchVerdict, TwoCablesShareTwoPcieLinks) {
  const std::vector<state::BenchRail> rails{rail_of(0, 0), rail_of(0, 1), rail_of(1, 0),
                                            rail_of(1, 1)};
  EXPECT_THAT(names_of(result_of(rails, 98, 190.4, 0)), ElementsAre("two-cables-share"));
  EXPECT_THAT(names_of(result_of(rails, 98, 215, 400)), ElementsAre("two-cables-share"));
  EXPECT_THAT(names_of(result_of(rails, 98, 110, 400)), ElementsAre("low"));
}

TEST(BenchVerdict, OfA100GCable) {
  EXPECT_THAT(names_of(of_speed(pair_result(97, 92.4, 180), 100'000)), ElementsAre("right-100g"));
  EXPECT_THAT(names_of(of_speed(pair_result(97, 60, 180), 100'000)), ElementsAre("low"));
}

TEST(BenchVerdict, PcieOfTwoLanesByItsNumber) {
  for (const auto& [gigabits, name] : std::vector<std::pair<double, std::string>>{
           {49.9, "low"}, {50, "pcie-x2"}, {55, "pcie-x2"}, {60, "pcie-x2"}, {60.1, "low"}}) {
    EXPECT_THAT(names_of(of_lanes(one_rail_exactly(gigabits), 0)), ElementsAre(name)) << gigabits;
  }
  auto one = pair_result(110, 110);
  set_figures(one, kRail1, "write", 55);
  set_figures(one, kRail1, "read", 55);
  const auto verdicts = bench_verdicts(one);
  ASSERT_EQ(verdicts.size(), 1U) << "what both carry follows from it";
  EXPECT_FALSE(verdicts[0].good);
  EXPECT_EQ(verdicts[0].what, "rail 1 carries 55 Gb/s, as much as PCIe with 2 lanes");
  EXPECT_THAT(verdicts[0].remedy, HasSubstr("BIOS before 04/2026"));
}

TEST(BenchVerdict, PcieOfTwoLanesAsTheKernelSays) {
  EXPECT_THAT(names_of(of_lanes(pair_result(), 2)), ElementsAre("pcie-x2"));
  EXPECT_EQ(bench_verdicts(of_lanes(pair_result(), 2)).front().what,
            "rail 0 and rail 1: PCIe with 2 lanes instead of 4");
  auto beside = of_lanes(pair_result(), 2);
  beside.jobs = {"a job uses rocep1s0f0"};
  EXPECT_THAT(names_of(beside), ElementsAre("pcie-x2")) << "no job changes that";
}

TEST(BenchVerdict, TheThirteenGigabitTrap) {
  for (const auto& [gigabits, name] :
       std::vector<std::pair<double, std::string>>{{7.9, "low"},
                                                   {8, "thirteen-gigabit-trap"},
                                                   {13, "thirteen-gigabit-trap"},
                                                   {25, "thirteen-gigabit-trap"},
                                                   {25.1, "low"}}) {
    EXPECT_THAT(names_of(one_rail_exactly(gigabits)), ElementsAre(name)) << gigabits;
  }
  const auto verdicts = bench_verdicts(pair_result(13, 26, 50));
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].what,
            "rail 0 and rail 1 carry 13 Gb/s for WRITE and READ, at a negotiated 200 Gb/s");
  EXPECT_THAT(verdicts[0].remedy, HasSubstr("reboot this node, then spark2"));
}

TEST(BenchVerdict, NoTrapWhereLessWasNegotiated) {
  EXPECT_THAT(names_of(of_speed(one_rail(13), 100'000)), ElementsAre("low"));
}

TEST(BenchVerdict, NoTrapWhereWriteAloneIsSlow) {
  auto result = pair_result();
  set_figures(result, kRail0, "write", 13);
  EXPECT_THAT(names_of(result), ElementsAre("low"));
}

TEST(BenchVerdict, TheIommuTranslatesForReadAlone) {
  for (const auto& [gigabits, name] : std::vector<std::pair<double, std::string>>{
           {12.9, "low"}, {13, "iommu"}, {15, "iommu"}, {15.1, "low"}}) {
    auto result = pair_result();
    set_figures(result, kRail0, "read", gigabits);
    EXPECT_THAT(names_of(result), ElementsAre(name)) << gigabits;
  }
}

TEST(BenchVerdict, TheIommuOfOneEndIsEnough) {
  auto result = pair_result();
  figure_of(result, kRail0, "read", "from").bits_per_second = 14 * kGigabit;
  EXPECT_THAT(names_of(result), ElementsAre("iommu"));
  EXPECT_EQ(bench_verdicts(result).front().what, "rail 0 carries 14 Gb/s for READ alone");
  EXPECT_THAT(bench_verdicts(result).front().remedy, HasSubstr("look on spark2 too"));
}

TEST(BenchVerdict, HalfOfTheCable) {
  for (const auto& [gigabits, name] :
       std::vector<std::pair<double, std::string>>{{25.3, "low"},
                                                   {25.4, "half-of-the-cable"},
                                                   {98, "half-of-the-cable"},
                                                   {125, "half-of-the-cable"},
                                                   {125.5, "low"},
                                                   {139.8, "low"},
                                                   {140, "right"}}) {
    EXPECT_THAT(names_of(pair_result(98, gigabits)), ElementsAre(name)) << gigabits;
  }
}

TEST(BenchVerdict, BelowTheFloorIsReported) {
  const auto verdicts = bench_verdicts(one_rail(5));
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].name, "low");
  EXPECT_EQ(verdicts[0].what, "rail 0 carries 5 Gb/s, less than the floor of 25 Gb/s");
}

TEST(BenchVerdict, BothDirectionsAtOnce) {
  EXPECT_THAT(names_of(pair_result(110, 190, 279)), ElementsAre("right"));
  const auto low = bench_verdicts(pair_result(110, 190, 190)).front();
  EXPECT_EQ(low.name, "low");
  EXPECT_EQ(low.what, "both directions at once carry 190 Gb/s of 372 Gb/s");
}

TEST(BenchVerdict, BesideAJobNoLowNumberIsAFault) {
  auto result = pair_result(13, 26, 50);
  result.jobs = {"a job uses rocep1s0f0"};
  EXPECT_THAT(names_of(result), ElementsAre("beside-jobs"));
  EXPECT_TRUE(bench_verdicts(result).front().good);
  result = pair_result();
  result.jobs = {"a job uses rocep1s0f0"};
  EXPECT_THAT(names_of(result), ElementsAre("right"));
}

TEST(BenchVerdict, JudgesNoOtherDevice) {
  for (const auto* driver : {"rdma_rxe", "", "mlx4_core"}) {
    auto result = of_lanes(pair_result(13, 2, 1), 2);
    result.rails[1].driver = driver;
    EXPECT_THAT(names_of(result), ElementsAre("emulated"));
    EXPECT_TRUE(bench_verdicts(result).front().good);
  }
}

TEST(BenchVerdict, WithoutASpeedOnlyTheFloorIsJudged) {
  EXPECT_THAT(names_of(of_speed(pair_result(40, 70), 0)), ElementsAre("speed-unknown"));
  EXPECT_THAT(names_of(of_speed(pair_result(13, 26), 0)), ElementsAre("low"));
}

TEST(BenchVerdict, SaysWhatWasNotMeasured) {
  auto result = pair_result();
  result.figures.front().failed = "no answer in time";
  ASSERT_THAT(names_of(result), ElementsAre("not-measured")) << "and is not right";
  EXPECT_EQ(bench_verdicts(result).front().what, "missing: 1 of 13 numbers");
  for (auto& figure : result.figures) figure.failed = "no answer in time";
  EXPECT_EQ(bench_verdicts(result).front().what, "nothing was measured");
  EXPECT_FALSE(bench_verdicts(result).front().good);
  EXPECT_THAT(names_of({}), ElementsAre("not-measured"));
}

TEST(BenchVerdict, SaysOfTheOthersWhatIsWrongWithThem) {
  auto result = pair_result(13, 26, 50);
  result.figures.front().failed = "no answer in time";
  EXPECT_THAT(names_of(result), ElementsAre("thirteen-gigabit-trap", "not-measured"));
}

TEST(BenchVerdict, NeverJudgesTheMtu) {
  auto result = pair_result();
  for (auto& rail : result.rails) rail.path_mtu = 1024;
  EXPECT_THAT(names_of(result), ElementsAre("right"));
}

TEST(BenchVerdict, StandsInTheManual) {
  std::ifstream file(SPARK_SOURCE_DIR "/docs/howto/bench.md");
  const std::string manual(std::istreambuf_iterator<char>(file), {});
  for (const auto name : bench_verdict_names()) {
    EXPECT_THAT(manual, HasSubstr(fmt::format("\n| `{}` | ", name)));
  }
}

TEST(OwnersSee, SaysNothingThatNobodyReported) {
  EXPECT_EQ(owners_see(pair_result()),
            "106 to 112 Gb/s over one rail, 185 to 195 over both, about 340 in both directions at "
            "once");
  EXPECT_EQ(owners_see(of_speed(pair_result(), 100'000)),
            "92 to 98 Gb/s over both rails of a 100G cable");
  const auto one_pcie_link = result_of({rail_of(0, 0), rail_of(1, 0)}, 98, 110, 0);
  EXPECT_EQ(owners_see(one_pcie_link), "106 to 112 Gb/s over one rail");
  EXPECT_EQ(owners_see(of_speed(pair_result(), 40'000)), "");
  auto emulated = pair_result();
  emulated.rails[0].driver = "rdma_rxe";
  EXPECT_EQ(owners_see(emulated), "");
}

TEST(BenchCeiling, IsOfTheCableOrOfPcie) {
  const auto pair = pair_result();
  EXPECT_DOUBLE_EQ(*bench_ceiling(pair, kRail0), 126e9 * 0.93);
  EXPECT_DOUBLE_EQ(*bench_ceiling(pair, links_of(pair)), 200e9 * 0.93);
  const auto two = result_of({rail_of(0, 0), rail_of(0, 1), rail_of(1, 0), rail_of(1, 1)}, 1, 1, 1);
  EXPECT_DOUBLE_EQ(*bench_ceiling(two, links_of(two)), 252e9 * 0.93);
  EXPECT_DOUBLE_EQ(*bench_ceiling(two, {"enp1s0f0np0", "enp1s0f1np1"}), 126e9 * 0.93);
  EXPECT_DOUBLE_EQ(*bench_ceiling(of_speed(pair, 100'000), kRail1), 100e9 * 0.93);
  EXPECT_EQ(bench_ceiling(of_speed(pair, 0), kRail0), std::nullopt);
  EXPECT_EQ(bench_ceiling(pair, {"eth0"}), std::nullopt);
}

TEST(BenchTotal, IsTheWorstOfAllRailsTogether) {
  auto result = pair_result(50, 190);
  EXPECT_DOUBLE_EQ(*bench_total(result), 189.6e9);
  figure_of(result, links_of(result), "read", "from").failed = "no answer in time";
  EXPECT_DOUBLE_EQ(*bench_total(result), 189.8e9);
  EXPECT_DOUBLE_EQ(*bench_total(one_rail(98)), 97.6e9);
  for (auto& figure : result.figures) figure.failed = "no answer in time";
  EXPECT_EQ(bench_total(result), std::nullopt);
  EXPECT_EQ(bench_total({}), std::nullopt);
}

}  // namespace
}  // namespace spark::cli
