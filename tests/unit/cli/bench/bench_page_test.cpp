#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/bench_text.hpp"
#include "unit/cli/bench/results.hpp"

namespace spark::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(BenchPage, HasNumbersBarsAndVerdicts) {
  EXPECT_THAT(
      bench_page({pair_result()}),
      AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("<title>spark1: RDMA bandwidth</title>"),
            HasSubstr("<h2>spark1 with spark2</h2>"), HasSubstr("2026-01-31T09:30:00Z"),
            HasSubstr("spark-reconcile 0.2.0"), HasSubstr("<code>enP2p1s0f0np0</code>"),
            HasSubstr("<td>rail 0</td><td>110.0</td><td>109.8</td><td>109.9</td><td>109.6</td>"
                      "<td>2.1</td><td>3.4</td>"),
            HasSubstr("<rect class=\"write\" width=\"93.9%\""),
            HasSubstr("which can carry about 186 Gb/s each way"),
            HasSubstr("✓ <strong>right</strong>")));
}

TEST(BenchPage, IsReadableInTheDarkAndOnAPhone) {
  EXPECT_THAT(bench_page({pair_result()}),
              AllOf(HasSubstr("prefers-color-scheme: dark"), HasSubstr("width=device-width")));
}

TEST(BenchPage, HoldsNoScriptAndLoadsNothing) {
  const auto page = bench_page({pair_result(13, 26, 50)});
  for (const auto* part : {"<script", "http", "src=", "href=", "url(", "@import", "javascript"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

TEST(BenchPage, EscapesWhatComesFromOutside) {
  auto result = pair_result(13, 26, 50);
  result.node = "<script>alert(1)</script>";
  result.peer = "\"><script src=x>`<b>`\n";
  result.at = "<i>now</i>";
  result.version = "<i>1</i>";
  result.rails[0].link = "<img>";
  for (auto& figure : result.figures) {
    for (auto& link : figure.links) link = link == "enp1s0f0np0" ? "<img>" : link;
  }
  const auto page = bench_page({result});
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  for (const auto* part : {"<script", "<i>", "<b>", "<img", "\n`"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

TEST(BenchPage, NamesNoUserAndNoAddress) {
  auto result = pair_result();
  result.jobs = {"python3 (pid 4711) of alice uses rocep1s0f0"};  // of an earlier version
  result.figures.front().failed = "connect to 198.51.100.12: no route to host";
  EXPECT_THAT(bench_page({result}),
              AllOf(HasSubstr("1 job ran beside it"), HasSubstr("<td>–</td>"),
                    Not(HasSubstr("alice")), Not(HasSubstr("198.51.100.12"))));
}

TEST(BenchPage, HasASectionForEachPeer) {
  auto other = pair_result();
  other.peer = "spark3";
  EXPECT_THAT(bench_page({pair_result(), other}),
              AllOf(HasSubstr("spark1 with spark2"), HasSubstr("spark1 with spark3")));
}

TEST(BenchPage, DrawsNoBarBeyondItsEnd) {
  EXPECT_THAT(bench_page({pair_result(140, 300, 900)}),
              AllOf(HasSubstr("width=\"100.0%\""), Not(HasSubstr("width=\"1"
                                                                 "1"))));
}

TEST(BenchPage, OfNothingIsAPageToo) {
  EXPECT_THAT(bench_page({}), HasSubstr("<title>spark-reconcile: RDMA bandwidth</title>"));
  EXPECT_THAT(bench_page({state::BenchResult{}}), HasSubstr("nothing was measured"));
}

}  // namespace
}  // namespace spark::cli
