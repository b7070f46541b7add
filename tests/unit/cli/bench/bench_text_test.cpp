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
  result.jobs = {"a job uses rocep1s0f0"};
  return result;
}

state::BenchResult two_cables() {
  return result_of({rail_of(0, 0), rail_of(0, 1), rail_of(1, 0), rail_of(1, 1)}, 98, 205, 0);
}

TEST(BenchText, OfAPairOn120Columns) {
  EXPECT_EQ(
      shown(pair_result(), 120),
      R"(spark1 with spark2                                                                                  2026-01-31T09:30:00Z

                              WRITE, Gb/s     READ, Gb/s      latency, µs
                                 to    from      to    from     p50     p99
  rail 0      enp1s0f0np0     110.0   109.8   109.9   109.6     2.1     3.4
  rail 1      enP2p1s0f0np0   110.0   109.8   109.9   109.6     2.1     3.4
  both rails                  190.0   189.8   189.9   189.6

  both directions   341.0 Gb/s in sum, WRITE both ways at once
  hardware carries  about 117 Gb/s over one rail, 186 over both rails
  owners see        106 to 112 Gb/s over one rail, 185 to 195 over both, about 340 in both directions at once
  measured with     path MTU 4096, 4 queue pairs on each rail, 2 seconds for each number

  ✓ right: 190 Gb/s over both rails, as it should be
)");
}

TEST(BenchText, OfAPairOn80Columns) {
  EXPECT_EQ(shown(pair_result(), 80),
            R"(spark1 with spark2                                          2026-01-31T09:30:00Z

                              WRITE, Gb/s     READ, Gb/s      latency, µs
                                 to    from      to    from     p50     p99
  rail 0      enp1s0f0np0     110.0   109.8   109.9   109.6     2.1     3.4
  rail 1      enP2p1s0f0np0   110.0   109.8   109.9   109.6     2.1     3.4
  both rails                  190.0   189.8   189.9   189.6

  both directions   341.0 Gb/s in sum, WRITE both ways at once
  hardware carries  about 117 Gb/s over one rail, 186 over both rails
  owners see        106 to 112 Gb/s over one rail, 185 to 195 over both, about
                    340 in both directions at once
  measured with     path MTU 4096, 4 queue pairs on each rail, 2 seconds for
                    each number

  ✓ right: 190 Gb/s over both rails, as it should be
)");
}

TEST(BenchText, OfTheTrapOn60Columns) {
  EXPECT_EQ(shown(pair_result(13, 26, 50), 60),
            R"(spark1 with spark2                      2026-01-31T09:30:00Z

              WRITE, Gb/s   READ, Gb/s    latency, µs
                 to   from     to   from    p50    p99
  rail 0       13.0   12.8   12.9   12.6    2.1    3.4
  rail 1       13.0   12.8   12.9   12.6    2.1    3.4
  both rails   26.0   25.8   25.9   25.6

  rail 0            enp1s0f0np0
  rail 1            enP2p1s0f0np0
  both directions   50.0 Gb/s in sum, WRITE both ways at
                    once
  hardware carries  about 117 Gb/s over one rail, 186 over
                    both rails
  owners see        106 to 112 Gb/s over one rail, 185 to
                    195 over both, about 340 in both
                    directions at once
  measured with     path MTU 4096, 4 queue pairs on each
                    rail, 2 seconds for each number

  ! thirteen-gigabit-trap: rail 0 and rail 1 carry 13 Gb/s
    for WRITE and READ, at a negotiated 200 Gb/s
    → it was cabled since the boot: reboot this node, then
      spark2, and run bench again
)");
}

TEST(BenchText, OfAPairOn40Columns) {
  EXPECT_EQ(shown(pair_result(), 40), R"(spark1 with spark2  2026-01-31T09:30:00Z

             WRITE, Gb/s READ, Gb/s
                to  from    to  from
  rail 0     110.0 109.8 109.9 109.6
  rail 1     110.0 109.8 109.9 109.6
  both rails 190.0 189.8 189.9 189.6

  rail 0            enp1s0f0np0
  rail 1            enP2p1s0f0np0
  latency           rail 0: p50 2.1 µs,
                    p99 3.4 µs
  latency           rail 1: p50 2.1 µs,
                    p99 3.4 µs
  both directions   341.0 Gb/s in sum,
                    WRITE both ways at
                    once
  hardware carries  about 117 Gb/s over
                    one rail, 186 over
                    both rails
  owners see        106 to 112 Gb/s over
                    one rail, 185 to 195
                    over both, about 340
                    in both directions
                    at once
  measured with     path MTU 4096, 4
                    queue pairs on each
                    rail, 2 seconds for
                    each number

  ✓ right: 190 Gb/s over both rails, as
    it should be
)");
}

TEST(BenchText, OfTwoCablesOn80Columns) {
  EXPECT_EQ(shown(two_cables(), 80),
            R"(spark1 with spark2                                          2026-01-31T09:30:00Z

                                 WRITE, Gb/s     READ, Gb/s      latency, µs
                                    to    from      to    from     p50     p99
  cage 0 rail 0  enp1s0f0np0      98.0    97.8    97.9    97.6     2.1     3.4
  cage 0 rail 1  enP2p1s0f0np0    98.0    97.8    97.9    97.6     2.1     3.4
  cage 1 rail 0  enp1s0f1np1      98.0    97.8    97.9    97.6     2.1     3.4
  cage 1 rail 1  enP2p1s0f1np1    98.0    97.8    97.9    97.6     2.1     3.4
  all 4 rails                    205.0   204.8   204.9   204.6

  hardware carries  about 117 Gb/s over one rail, 234 over all 4 rails
  owners see        106 to 112 Gb/s over one rail, 190 to 215 over two cables
  measured with     path MTU 4096, 4 queue pairs on each rail, 2 seconds for
                    each number

  ✓ two-cables-share: 205 Gb/s over all 4 rails, as it should be: two cables
    share the PCIe links
)");
}

TEST(BenchText, SaysOnceWhyNumbersAreMissing) {
  EXPECT_EQ(shown(marred(), 80),
            R"(spark1 with spark2                                          2026-01-31T09:30:00Z

                              WRITE, Gb/s     READ, Gb/s      latency, µs
                                 to    from      to    from     p50     p99
  rail 0      enp1s0f0np0     110.0   109.8       –   109.6     2.1     3.4
  rail 1      enP2p1s0f0np0   110.0   109.8   109.9       –       –       –
  both rails                  190.0   189.8   189.9   189.6

  both directions   341.0 Gb/s in sum, WRITE both ways at once
  hardware carries  about 117 Gb/s over one rail, 186 over both rails
  owners see        106 to 112 Gb/s over one rail, 185 to 195 over both, about
                    340 in both directions at once
  measured with     path MTU 4096, 4 queue pairs on each rail, 2 seconds for
                    each number
  beside it         a job uses rocep1s0f0
  – no number       rail 0 READ to and rail 1 READ from: no answer in time

  ! not-measured: missing: 2 of 13 numbers
    → look whether `spark-reconcile gate` is ready here and on spark2, where the
      daemon has to run, and run bench again
)");
}

TEST(BenchText, NamesARailOfWhichAllNumbersFailed) {
  auto result = pair_result();
  for (auto& figure : result.figures) {
    if (figure.links.back() == "enP2p1s0f0np0") figure.failed = "enP2p1s0f0np0: no answer";
  }
  EXPECT_THAT(shown(result, std::nullopt),
              HasSubstr("– no number       rail 1 and both rails: enP2p1s0f0np0: no answer\n"));
}

TEST(BenchText, InAFileHasOneLineForEachThing) {
  EXPECT_EQ(shown(marred(), std::nullopt), R"(spark1 with spark2  2026-01-31T09:30:00Z

                              WRITE, Gb/s     READ, Gb/s      latency, µs
                                 to    from      to    from     p50     p99
  rail 0      enp1s0f0np0     110.0   109.8       –   109.6     2.1     3.4
  rail 1      enP2p1s0f0np0   110.0   109.8   109.9       –       –       –
  both rails                  190.0   189.8   189.9   189.6

  both directions   341.0 Gb/s in sum, WRITE both ways at once
  hardware carries  about 117 Gb/s over one rail, 186 over both rails
  owners see        106 to 112 Gb/s over one rail, 185 to 195 over both, about 340 in both directions at once
  measured with     path MTU 4096, 4 queue pairs on each rail, 2 seconds for each number
  beside it         a job uses rocep1s0f0
  – no number       rail 0 READ to and rail 1 READ from: no answer in time

  ! not-measured: missing: 2 of 13 numbers
    → look whether `spark-reconcile gate` is ready here and on spark2, where the daemon has to run, and run bench again
)");
}

TEST(BenchText, OfOneEmulatedRail) {
  auto result = result_of({rail_of(0, 0)}, 3, 0, 0);
  result.rails[0].driver = "rdma_rxe";
  EXPECT_EQ(shown(result, 80),
            R"(spark1 with spark2                                          2026-01-31T09:30:00Z

                        WRITE, Gb/s     READ, Gb/s      latency, µs
                           to    from      to    from     p50     p99
  rail 0  enp1s0f0np0     3.0     2.8     2.9     2.6     2.1     3.4

  measured with     path MTU 4096, 4 queue pairs on each rail, 2 seconds for
                    each number

  ✓ emulated: a link is no ConnectX: these numbers say something about the
    software and nothing about a ConnectX
)");
}

TEST(BenchText, NoLineIsWiderThanTheTerminal) {
  auto slow = pair_result(14, 28, 50);
  slow.rails[1].pcie_lanes = 2;
  for (const std::size_t width : {40U, 60U, 80U, 120U}) {
    for (const auto& result : {pair_result(), marred(), two_cables(), slow}) {
      const auto text = shown(result, width);
      for (const auto line : lines_of(text)) {
        // A command stays in one piece, to be copied.
        if (line.find('`') == std::string_view::npos &&
            line.find("/sys/") == std::string_view::npos) {
          EXPECT_LE(columns(line), width) << line;
        }
      }
    }
  }
}

TEST(BenchText, OfNothingSaysSo) {
  EXPECT_THAT(shown({}, 80), HasSubstr("! not-measured: nothing was measured"));
}

TEST(BenchText, GivesATerminalNoOrders) {
  auto result = pair_result();
  result.peer = "spark2\x1b[2J";
  result.jobs = {"\x1b]0;title\x07"};
  EXPECT_THAT(shown(result, 80), AllOf(HasSubstr("spark2\\x1b[2J"), Not(HasSubstr("\x1b"))));
}

TEST(BenchChange, SaysSinceWhenItIsSlower) {
  const auto before = pair_result(98, 190);
  auto now = pair_result(13, 26);
  now.at = "2026-02-01T08:00:00Z";
  EXPECT_EQ(bench_change(before, now), "190 → 26 Gb/s since 2026-01-31T09:30:00Z");
  EXPECT_EQ(bench_change(now, before), "26 → 190 Gb/s since 2026-02-01T08:00:00Z");
}

TEST(BenchChange, IsNoneWithinATenth) {
  EXPECT_EQ(bench_change(pair_result(98, 200.4), pair_result(98, 181.4)), "");
  EXPECT_NE(bench_change(pair_result(98, 200.4), pair_result(98, 179)), "");
}

TEST(BenchChange, ComparesOnlyWhatIsComparable) {
  const auto before = pair_result(98, 190);
  const auto slow = pair_result(13, 26);
  for (const auto change :
       std::vector<void (*)(state::BenchResult&)>{[](auto& result) { result.peer = "spark3"; },
                                                  [](auto& result) { result.rails.pop_back(); },
                                                  [](auto& result) { result.queue_pairs = 1; },
                                                  [](auto& result) { result.jobs = {"python3"}; },
                                                  [](auto& result) { result.figures.clear(); }}) {
    auto now = slow;
    change(now);
    EXPECT_EQ(bench_change(before, now), "");
  }
}

}  // namespace
}  // namespace spark::cli
