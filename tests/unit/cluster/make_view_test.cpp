#include "cluster/make_view.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "cluster/view_words.hpp"
#include "unit/cluster/clusters.hpp"

namespace spark::cluster {
namespace {

using protocol::Detail;
using protocol::Reach;
using protocol::Verdict;
using test::known_pair;
using test::known_ring;
using test::known_ring_at;
using test::known_ring_of_four;
using test::known_switch;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const NodeView& node_of(const ClusterView& view, const std::string& name) {
  return *std::ranges::find(view.nodes, name, &NodeView::name);
}

TEST(ClusterShape, IsNamed) {
  EXPECT_EQ(known_pair().known.shape.words, "pair");
  EXPECT_EQ(known_ring().known.shape.words, "ring of 3");
  EXPECT_EQ(known_switch().known.shape.words, "switch of 8");
  const auto chain = test::known_cluster(
      "version: 1\ncluster: lab\nnodes: { spark1: { number: 11 }, spark2: { number: 12 }, spark3: "
      "{ number: 13 } }\nfabric:\n  cables:\n"
      "    - { ends: [spark1:0, spark2:1], subnets: [192.168.177.0/24, 192.168.178.0/24] }\n"
      "    - { ends: [spark2:0, spark3:1], subnets: [192.168.197.0/24, 192.168.198.0/24] }\n");
  EXPECT_EQ(chain.known.shape.words, "3 nodes");
}

TEST(ClusterView, OfAHealthyClusterHasNoCause) {
  for (const auto& cluster : {known_pair(), known_ring(), known_ring_of_four(), known_switch()}) {
    const auto view = cluster.view();
    EXPECT_THAT(view.roots, IsEmpty()) << view.shape;
    EXPECT_EQ(static_cast<std::size_t>(view.ready), view.nodes.size()) << view.shape;
    EXPECT_TRUE(view.nodes.front().is_own);
    for (const auto& node : view.nodes) {
      EXPECT_EQ(node.proven, node.rails) << node.name;
      EXPECT_GT(node.rails, 0) << node.name;
      EXPECT_EQ(written(node.what), "") << node.name;
      EXPECT_EQ(node.has_our_file, true) << node.name;
    }
  }
}

TEST(ClusterView, WhoIsAcrossARingIsHeardThroughANeighbour) {
  auto ring = known_ring_of_four();
  const auto view = ring.view();
  EXPECT_EQ(view.ready, 4);
  EXPECT_THAT(view.roots, IsEmpty());
  const auto& across = node_of(view, "spark3");
  EXPECT_EQ(across.told_by, "spark2");
  EXPECT_EQ(across.heard_ago, std::chrono::milliseconds(2400)) << "of the hello of spark2";
  EXPECT_EQ(across.has_our_file, true);
  EXPECT_EQ(across.proven, 4) << "as its neighbours tell";
  EXPECT_EQ(heard_text(across), "2 s by spark2");
  EXPECT_EQ(node_of(view, "spark4").told_by, "");

  ring.details_of("spark2").heard.clear();
  EXPECT_EQ(node_of(ring.view(), "spark3").told_by, "spark4");
}

TEST(ClusterView, WhatASilentNeighbourToldOfWhoIsAcrossIsNoNews) {
  auto ring = known_ring_of_four();
  ring.goes_silent("spark2");
  for (auto& passed : ring.details_of("spark4").heard) passed.verdict = "not ready";
  const auto view = ring.view();
  const auto& across = node_of(view, "spark3");
  EXPECT_EQ(across.told_by, "spark4");
  EXPECT_EQ(across.verdict, Verdict::kNotReady);

  auto alone = known_ring_of_four();
  alone.goes_silent("spark2");
  alone.goes_silent("spark4");
  const auto cut_off = alone.view();
  const auto& lost = node_of(cut_off, "spark3");
  EXPECT_EQ(lost.verdict, Verdict::kUnknown);
  EXPECT_EQ(lost.told_by, "");
  EXPECT_EQ(written(lost.what), "not heard: spark2 and spark4, which told of it, are silent");
  EXPECT_EQ(lost.follows_from, "spark2");
  EXPECT_EQ(heard_text(lost), "–") << "it was told of before";
  EXPECT_EQ(cut_off.ready, 1);
}

TEST(ClusterView, WhoIsAcrossAndSilentIsACauseOfItsOwn) {
  auto ring = known_ring_of_four();
  ring.goes_silent("spark3");
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark3");
  EXPECT_EQ(written(sentence_of(view.roots.front().problem)), "silent, as spark2 tells");
  EXPECT_EQ(heard_text(node_of(view, "spark3")), "–") << "since when it is silent nobody tells";
  EXPECT_EQ(view.ready, 3);
}

TEST(ClusterView, ASilentNodeIsUnknownAndExplainsWhatItsPeersFind) {
  auto ring = known_ring();
  ring.goes_silent("spark3");
  const auto view = ring.view();
  const auto& silent = node_of(view, "spark3");
  EXPECT_EQ(silent.verdict, Verdict::kUnknown);
  EXPECT_EQ(silent.since, std::chrono::milliseconds(43'400));
  EXPECT_EQ(silent.file, "") << "what it had is no news";
  EXPECT_EQ(silent.version, "");
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark3");
  EXPECT_EQ(written(sentence_of(view.roots.front().problem)), "silent; last heard ready");
  EXPECT_THAT(view.roots.front().effects, SizeIs(2)) << "both rails of spark1 miss it";
  EXPECT_EQ(view.roots.front().problem.remedy.command, "spark-reconcile doctor -n spark3");
  EXPECT_EQ(node_of(view, "spark1").follows_from, "spark3");
  for (const auto& way : view.pair("spark2", "spark3")->ways) {
    EXPECT_EQ(way.reach, Reach::kNone) << "as spark2 tells, and never what spark3 told before";
  }
  EXPECT_EQ(view.ready, 2);
}

TEST(ClusterView, WhatASilentNodeToldOfItsPeersIsForgotten) {
  auto ring = known_ring();
  ring.goes_silent("spark3");
  ring.details_of("spark2").reach.clear();
  const auto view = ring.view();
  for (const auto& way : view.pair("spark2", "spark3")->ways) {
    EXPECT_EQ(way.reach, Reach::kNotAsked);
  }
}

TEST(ClusterView, ANodeThatWasNeverHeardIsUnknown) {
  auto pair = known_pair();
  pair.known.told.heard.clear();
  pair.known.told.peers.clear();
  const auto view = pair.view();
  EXPECT_EQ(node_of(view, "spark2").verdict, Verdict::kUnknown);
  EXPECT_EQ(written(sentence_of(view.roots.at(0).problem)), "not heard since this node booted");
}

TEST(ClusterView, ANodeWithAnotherKeyIsNotMerelySilent) {
  auto pair = known_pair();
  pair.known.told.heard.clear();
  pair.known.told.refused = {
      {.link = "enp1s0f0np0", .node = "spark2", .mac = {}, .fault = protocol::KeyFault::kAnother}};
  EXPECT_EQ(written(sentence_of(pair.view().roots.at(0).problem)), "spark2 has another key");
}

TEST(ClusterView, WhoHearsNobodyIsTheCause) {
  auto pair = known_pair();
  pair.known.told.heard.clear();
  pair.known.told.failed = "open a socket: Operation not permitted";
  const auto view = pair.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_EQ(node_of(view, "spark2").follows_from, "spark1");
}

TEST(ClusterView, AnotherFileIsNamedAndNeverMakesANodeUnready) {
  auto ring = known_ring();
  ring.has_another_file("spark3");
  const auto view = ring.view();
  EXPECT_EQ(view.ready, 3);
  EXPECT_EQ(node_of(view, "spark3").has_our_file, false);
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_THAT(written(sentence_of(view.roots.front().problem)),
              HasSubstr("another file: digest 2b77d10, here "));
}

TEST(ClusterView, AnotherVersionIsNamed) {
  auto pair = known_pair();
  pair.details_of("spark2").version = "0.1.9";
  const auto view = pair.view();
  EXPECT_EQ(written(sentence_of(view.roots.at(0).problem)), "runs 0.1.9, this node 0.2.0");
  EXPECT_EQ(view.ready, 2);
}

TEST(ClusterView, TheMtuOfAPeerExplainsWhatThisNodeFinds) {
  auto ring = known_ring();
  ring.has_a_small_mtu("spark2");
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  const auto& cause = view.roots.front().problem;
  EXPECT_EQ(cause.node, "spark2");
  EXPECT_EQ(cause.found.id, "SR-GATE-002");
  EXPECT_EQ(written(sentence_of(cause)), "mtu of enP2p1s0f1np1: 1500, the file says 9000");
  EXPECT_THAT(view.roots.front().effects, SizeIs(2));
  const auto& ways = view.pair("spark1", "spark2")->ways;
  EXPECT_EQ(ways.at(0).reach, Reach::kRdma);
  EXPECT_EQ(ways.at(1).reach, Reach::kNone);
  EXPECT_EQ(ways.at(1).fault, WayFault::kMtu);
  EXPECT_EQ(node_of(view, "spark2").proven, 3);
  EXPECT_EQ(node_of(view, "spark2").verdict, Verdict::kNotReady);
  EXPECT_EQ(node_of(view, "spark2").since, std::chrono::minutes(4));
}

TEST(ClusterView, ASentenceOfAnOlderVersionIsShownWholeAndNeverRead) {
  std::ifstream file(SPARK_SOURCE_DIR "/tests/recorded/peers/0.2.0/details.json");
  const std::string recorded(std::istreambuf_iterator<char>(file), {});
  const auto told = document_from_text<protocol::NodeDetails>(protocol::kDetailsSchema, recorded);
  ASSERT_TRUE(told) << told.error().what;
  auto pair = known_pair();
  pair.says_not_ready("spark2", {});
  auto& details = pair.details_of("spark2");
  details.reasons = told->reasons;
  details.rails = told->rails;
  const auto view = pair.view();
  ASSERT_THAT(view.roots, SizeIs(1)) << "its sentence is about the rail too";
  const auto& cause = view.roots.front().problem;
  EXPECT_EQ(cause.node, "spark2");
  EXPECT_EQ(cause.found.id, "");
  EXPECT_EQ(cause.found.link, "");
  EXPECT_EQ(written(sentence_of(cause)), told->reasons.front());
  EXPECT_EQ(written(text_of(cause)),
            "gid of enP2p1s0f1np1: no RoCE v2 GID of 198.51.100.12 on this link "
            "[SR-GATE-005]");
  EXPECT_EQ(written(node_of(view, "spark2").what), written(text_of(cause)));
}

TEST(ClusterView, AnOlderVersionsSentenceAboutACableIsAboutNobody) {
  auto ring = known_ring();
  ring.says_not_ready("spark2", {});
  ring.details_of("spark2").reasons = {
      "cabling of enp1s0f1np1: the cable in spark2:1 leads to spark3:0, the file says to spark1:0 "
      "[SR-GATE-016]"};
  ring.says_not_ready("spark3", {});
  const auto view = ring.view();
  EXPECT_THAT(view.roots, SizeIs(2));
  EXPECT_EQ(written(node_of(view, "spark3").what), "not ready, and has not told why");
}

TEST(ClusterView, AProblemOfANewerVersionIsShown) {
  auto pair = known_pair();
  pair.says_not_ready("spark2", {{.id = "SR-GATE-999",
                                  .name = "fluxes",
                                  .link = "enp1s0f0np0",
                                  .peers = {"spark1", "mallory"},
                                  .measured = "upside down"}});
  const auto view = pair.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-999");
  EXPECT_EQ(written(sentence_of(view.roots.front().problem)), "fluxes of enp1s0f0np0: upside down");
  EXPECT_THAT(view.roots.front().problem.found.peers, IsEmpty());
}

TEST(ClusterView, EachProblemThatANodeToldIsACauseOrFollowsFromOne) {
  auto ring = known_ring();
  const auto& link = ring.details_of("spark2").rails.front().link;
  ring.says_not_ready(
      "spark2",
      {{.id = "SR-GATE-002",
        .name = "mtu",
        .detail = Detail::kDiffers,
        .link = link,
        .measured = "1500, the file says 9000"},
       {.id = "SR-GATE-006",
        .name = "path mtu",
        .detail = Detail::kDiffers,
        .link = link,
        .measured = "1024, though an MTU of 9000 yields 4096"},
       {.id = "SR-GATE-011",
        .name = "peers",
        .detail = Detail::kSmallPackets,
        .link = link,
        .peers = {"spark3"},
        .measured = "84 bytes alone pass"},
       {.id = "SR-GATE-010", .name = "service", .detail = Detail::kTryFailed, .measured = "no"}});
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(2));
  EXPECT_EQ(view.roots.at(0).problem.found.id, "SR-GATE-002");
  EXPECT_THAT(view.roots.at(0).effects, SizeIs(2));
  EXPECT_EQ(view.roots.at(1).problem.found.id, "SR-GATE-010");
}

TEST(ClusterView, WithoutRdmaAWayHasAnEchoOnly) {
  auto cluster = known_switch();
  cluster.has_no_rdma("spark5");
  const auto view = cluster.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark5");
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-004");
  EXPECT_EQ(node_of(view, "spark5").verdict, Verdict::kNotReady);
  EXPECT_THAT(written(node_of(view, "spark5").what),
              HasSubstr("port of enp1s0f0np0 and enP2p1s0f0np0: "));
  EXPECT_EQ(view.pair("spark5", "spark1")->ways.at(0).reach, Reach::kEcho);
  EXPECT_EQ(view.pair("spark5", "spark1")->ways.at(0).fault, WayFault::kRdma);
  EXPECT_EQ(view.pair("spark2", "spark1")->ways.at(0).reach, Reach::kRdma);
}

TEST(ClusterView, WhatOneEndTriedLastWithoutSuccessIsNotProvenByTheOther) {
  auto ring = known_ring();
  for (auto& way : ring.details_of("spark2").reach) {
    if (way.node != "spark1" || way.rail != 1) continue;
    way.reach = Reach::kEcho;
    way.rdma_fails = true;
  }
  const auto view = ring.view();
  const auto& ways = view.pair("spark1", "spark2")->ways;
  EXPECT_EQ(ways.at(0).reach, Reach::kRdma);
  EXPECT_EQ(ways.at(1).reach, Reach::kEcho);
  EXPECT_EQ(node_of(view, "spark1").proven, 3);

  ring = known_ring();
  ring.set_reach("spark2", "spark1", Reach::kEcho, 1);
  EXPECT_EQ(ring.view().pair("spark1", "spark2")->ways.at(1).reach, Reach::kRdma)
      << "spark2 has not tried yet";
}

TEST(ClusterView, ANodeThatIsAwayByTheFileIsNoFault) {
  auto ring = known_ring();
  ring.known.shape.away = {"spark3"};
  EXPECT_THAT(ring.view().roots, IsEmpty());
  EXPECT_EQ(ready_text(ring.view()), "3 of 3 ready") << "it is on all the same";

  ring.goes_silent("spark3");
  const auto view = ring.view();
  EXPECT_THAT(view.roots, IsEmpty());
  EXPECT_TRUE(node_of(view, "spark3").is_away);
  EXPECT_EQ(written(node_of(view, "spark3").what), "away, as the file says");
  EXPECT_EQ(written(node_of(view, "spark1").what), "");
  EXPECT_EQ(ready_text(view), "2 of 2 ready, 1 away");
  EXPECT_TRUE(are_all_ready(view));
  EXPECT_EQ(worst_of(view), Verdict::kReady);
  for (const auto& way : view.pair("spark1", "spark3")->ways) EXPECT_EQ(way.fault, WayFault::kAway);

  ring.known.own.verdict = Verdict::kNotReady;
  EXPECT_THAT(ring.view().roots, SizeIs(1)) << "the gate of this node misses it";

  ring = known_ring();
  ring.known.shape.away = {"spark3"};
  ring.was_never_heard("spark3");
  EXPECT_THAT(ring.view().roots, IsEmpty());
}

TEST(ClusterView, SwappedPlugsAreOneCause) {
  auto ring = known_ring();
  ring.has_swapped_plugs();
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-016");
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_EQ(view.roots.front().problem.remedy.text, "swap the plugs in spark1:0 and spark1:1");
  EXPECT_EQ(view.roots.front().problem.remedy.command, "spark-reconcile gate");
  EXPECT_THAT(view.roots.front().effects, SizeIs(6))
      << "four rails without an answer, and two neighbours";
  EXPECT_EQ(node_of(view, "spark2").follows_from, "spark1");
  EXPECT_EQ(node_of(view, "spark3").follows_from, "spark1");
  EXPECT_EQ(view.pair("spark1", "spark2")->ways.at(0).fault, WayFault::kCable);
}

TEST(ClusterView, SwappedPlugsAreNamedAtTheirNodeByTheOthersToo) {
  auto ring = known_ring_at("spark2");
  ring.known.own.verdict = Verdict::kNotReady;
  ring.says_not_ready("spark1", {});
  ring.details_of("spark1").verdict = "ready";  // told before
  ring.says_not_ready(
      "spark3",
      {{.id = "SR-GATE-016",
        .name = "cabling",
        .detail = Detail::kWrongEnd,
        .link = "enp1s0f0np0",
        .peers = {"spark1"},
        .measured = "the cable in spark3:0 leads to spark1:0, the file says to spark1:1"}});
  for (const auto* link : {"enp1s0f1np1", "enP2p1s0f1np1"}) {
    ring.fails("SR-GATE-016", "cabling", link, Detail::kWrongEnd,
               "the cable in spark2:1 leads to spark1:1, the file says to spark1:0", {"spark1"},
               "swap the plugs in spark1:1 and spark1:0");
  }
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-016");
  EXPECT_THAT(written(sentence_of(view.roots.front().problem)),
              AllOf(HasSubstr("a plug of it is in the wrong cage"), HasSubstr("spark1:1")));
  EXPECT_EQ(view.roots.front().problem.remedy.text, "swap the plugs in spark1:1 and spark1:0");
  EXPECT_THAT(view.roots.front().effects, SizeIs(3)) << "two rails of spark2, and spark3";
  EXPECT_EQ(node_of(view, "spark2").follows_from, "spark1");
  EXPECT_EQ(node_of(view, "spark3").follows_from, "spark1");
}

TEST(ClusterView, ALoopCableExplainsTheSilence) {
  auto ring = known_ring();
  ring.has_a_loop_cable();
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-016");
  EXPECT_EQ(node_of(view, "spark2").follows_from, "spark1");
  EXPECT_EQ(node_of(view, "spark3").follows_from, "spark1");
}

TEST(ClusterView, OneWrongCableExplainsNoOtherSilence) {
  auto ring = known_ring();
  ring.has_a_loop_cable();
  std::erase_if(ring.known.own.problems, [&](const auto& problem) {
    const auto& found = problem.found;
    return found.id == "SR-GATE-016" && found.link == ring.links_to("spark3").front();
  });
  EXPECT_EQ(node_of(ring.view(), "spark3").follows_from, "");
}

TEST(ClusterView, WhoHasAnotherFileThanMostIsNamedHereToo) {
  auto ring = known_ring();
  ring.known.own.file.digest = "2b77d10aaaaaaaaaaaaa";
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_THAT(written(sentence_of(view.roots.front().problem)),
              HasSubstr("another file: digest 2b77d10, most have "));
  EXPECT_EQ(node_of(view, "spark2").has_our_file, false);
  EXPECT_EQ(written(node_of(view, "spark2").what), "");
}

TEST(ClusterView, WhoRunsAnotherVersionThanMostIsNamedHereToo) {
  auto ring = known_ring();
  ring.known.own.version = "0.1.9";
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_EQ(written(sentence_of(view.roots.front().problem)), "runs 0.1.9, most run 0.2.0");
}

TEST(ClusterView, ADuplicatedNumberComesFirst) {
  auto pair = known_pair();
  pair.known.own.verdict = Verdict::kNotReady;
  pair.fails("SR-GATE-011", "peers", "enp1s0f0np0", Detail::kNoAnswer,
             "spark2 (203.0.113.12) does not answer", {"spark2"});
  pair.fails("SR-GATE-017", "one host", "enp1s0f0np0", Detail::kDuplicate,
             "another host has 203.0.113.11 too");
  const auto view = pair.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-017");
  EXPECT_THAT(view.roots.front().effects, SizeIs(1));
}

/// spark2 has an address of spark1, which finds its MAC.
test::KnownCluster ring_with_one_address_twice() {
  auto ring = known_ring();
  ring.details_of("spark2").rails.front().mac = "02:00:00:00:02:10";
  ring.known.own.verdict = Verdict::kNotReady;
  ring.fails("SR-GATE-017", "one host", "enp1s0f0np0", Detail::kDuplicate,
             "another host has 203.0.113.11 too: 02:00:00:00:02:10")
      .macs = {"02:00:00:00:02:10"};
  return ring;
}

TEST(ClusterView, AnAddressThatANodeHasTwiceIsTheFaultOfWhoHasItBesidesTheFile) {
  const auto view = ring_with_one_address_twice().view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark2");
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-017");
  EXPECT_THAT(written(sentence_of(view.roots.front().problem)),
              HasSubstr("has an address of spark1: one host of enp1s0f0np0"));
  EXPECT_EQ(view.roots.front().problem.remedy.command, "spark-reconcile doctor -n spark2");
  EXPECT_EQ(node_of(view, "spark1").follows_from, "spark2");
}

TEST(ClusterView, AMacDecidesByTheFieldAndNotByTheSentence) {
  auto ring = ring_with_one_address_twice();
  ring.known.own.problems.back().found.measured = "another host has 203.0.113.11 too: somebody";
  EXPECT_EQ(ring.view().roots.at(0).problem.node, "spark2");
  ring.known.own.problems.back().found.macs = {"02:00:00:00:09:99"};
  EXPECT_EQ(ring.view().roots.at(0).problem.node, "spark1");
}

TEST(ClusterView, OfTwoThatHaveOneAddressItIsTheFaultOfWhoHasAnotherFile) {
  auto ring = ring_with_one_address_twice();
  ring.details_of("spark1").rails.front().mac = "02:00:00:00:01:00";
  ring.says_not_ready("spark2",
                      {{.id = "SR-GATE-017",
                        .name = "one host",
                        .detail = Detail::kDuplicate,
                        .link = "enp1s0f1np1",
                        .macs = {"02:00:00:00:01:00"},
                        .measured = "another host has 203.0.113.11 too: 02:00:00:00:01:00"}});
  auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark2") << "the second by name";
  ring.known.own.file.digest = std::string(64, 'e');
  for (auto& heard : ring.known.told.heard) EXPECT_NE(heard.hello.file, ring.known.own.file.digest);
  view = ring.view();
  ASSERT_FALSE(view.roots.empty());
  EXPECT_EQ(view.roots.front().problem.node, "spark1") << "most have the file of spark2";
  EXPECT_EQ(node_of(view, "spark2").follows_from, "spark1");
}

TEST(ClusterView, ASwitchIsOfTheFirstOfThoseThatItConnectsOnEachOfThem) {
  auto ring = known_ring();
  for (const auto* link : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
    ring.fails("SR-GATE-016", "cabling", link, Detail::kSwitchBetween,
               "a switch is between spark1, spark2, spark3; the file says a cable",
               {"spark2", "spark3"});
  }
  auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-016");
  EXPECT_EQ(written(sentence_of(view.roots.front().problem)),
            "a switch is between spark1, spark2, spark3; the file says a cable");
}

TEST(ClusterView, ThePathMtuFollowsFromTheMtuOfItsRail) {
  auto ring = known_ring();
  ring.known.own.verdict = Verdict::kNotReady;
  ring.fails("SR-GATE-002", "mtu", "enp1s0f0np0", Detail::kDiffers, "1500, the file says 9000");
  ring.fails("SR-GATE-006", "path mtu", "enp1s0f0np0", Detail::kDiffers,
             "1024, though an MTU of 9000 yields 4096");
  auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-002");
  EXPECT_THAT(view.roots.front().effects, SizeIs(1));
  ring.fails("SR-GATE-003", "address", "enp1s0f0np0", Detail::kAbsent, "198.51.100.1 is not there");
  EXPECT_THAT(ring.view().roots, SizeIs(2)) << "an address needs no MTU";
}

TEST(ClusterView, WhoseMachineThisIsComesFromTheReport) {
  protocol::PeersReport report;
  report.machine = "89abcdef01234567";
  EXPECT_EQ(told_of({}, report).own.machine, report.machine);
}

// A spark-peers that was taken over wrote of thousands of nodes, and `doctor` compared all of them.
TEST(ClusterView, WhatIsToldOfNodesThatNobodyAsksIsNoPartOfIt) {
  protocol::PeersOrder order;
  order.peers = {{.node = "spark2", .ip = {}, .link = {}, .local = {}}};
  protocol::PeersReport report;
  for (const auto* name : {"mallory", "spark2", "spark2", "mallet"}) {
    report.told.push_back({.details = {.node = name}, .failed = ""});
  }
  report.told.at(1).told_ms = 7;
  const auto told = told_of(order, report);
  ASSERT_THAT(told.peers, SizeIs(1));
  EXPECT_EQ(told.peers.front(), report.told.at(1));
}

// Each problem is compared with each other.
TEST(ClusterView, OfAPeerNoMoreProblemsCountThanItMayTell) {
  protocol::PeersOrder order;
  order.peers = {{.node = "spark2", .ip = {}, .link = {}, .local = {}}};
  protocol::PeersReport report;
  report.told.push_back({.details = {.node = "spark2"}, .failed = ""});
  report.told.front().details.problems.resize(10'000);
  EXPECT_THAT(told_of(order, report).peers.front().details.problems,
              SizeIs(protocol::kMostProblems));
}

TEST(ClusterView, CopiesOfOneDiskAreNamed) {
  auto ring = known_ring();
  ring.details_of("spark3").host_nqn = ring.details_of("spark1").host_nqn;
  auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark3");
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-NVME-016");
  EXPECT_EQ(written(sentence_of(view.roots.front().problem)),
            "a copy of spark1: one NVMe host NQN");
  ring.details_of("spark1").host_nqn = "its own";
  ring.details_of("spark2").host_nqn = ring.details_of("spark3").host_nqn;
  EXPECT_EQ(ring.view().roots.at(0).problem.node, "spark3");
  ring.details_of("spark3").host_nqn = "its own too";
  ring.details_of("spark3").machine = ring.details_of("spark2").machine;
  view = ring.view();
  EXPECT_EQ(written(sentence_of(view.roots.at(0).problem)), "a copy of spark2: one machine id");
  EXPECT_EQ(view.roots.at(0).problem.remedy.command, "spark-reconcile doctor -n spark3");

  auto copy = test::known_ring_at("spark2");
  copy.details_of("spark2").machine = copy.details_of("spark1").machine;
  EXPECT_EQ(copy.view().roots.at(0).problem.remedy.command, "spark-reconcile doctor")
      << "on the copy itself";
}

TEST(ClusterView, AWayOfWhichNoNodeSpeaksIsACauseOfItsOwn) {
  auto ring = known_ring();
  ring.set_reach("spark2", "spark3", Reach::kNone, 1);
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark2");
  EXPECT_EQ(written(sentence_of(view.roots.front().problem)),
            "neither echo nor RDMA to spark3 over rail 1");
}

TEST(ClusterView, WithoutACarrierASilentNodeIsTheCause) {
  auto pair = known_pair();
  pair.goes_silent("spark2");
  pair.known.own.problems.clear();
  pair.known.own.verdict = Verdict::kWaiting;
  for (const auto& link : pair.links_to("spark2")) {
    pair.fails("SR-GATE-001", "link", link, Detail::kNoCarrier, "no carrier");
  }
  const auto view = pair.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark2");
  EXPECT_THAT(view.roots.front().effects, SizeIs(2));
}

/// By hand, or with the card that a Spark powers off without a cable.
TEST(ClusterView, ALinkThatIsDownOrAbsentIsNoFaultOfTheOtherEnd) {
  for (const auto detail : {Detail::kDown, Detail::kAbsent}) {
    auto pair = known_pair();
    pair.goes_silent("spark2");
    pair.known.own.problems.clear();
    pair.known.own.verdict = Verdict::kNotReady;
    for (const auto& link : pair.links_to("spark2")) {
      pair.fails("SR-GATE-001", "link", link, detail, "not as it was");
    }
    const auto view = pair.view();
    ASSERT_THAT(view.roots, SizeIs(1));
    EXPECT_EQ(view.roots.front().problem.node, "spark1");
    EXPECT_EQ(node_of(view, "spark2").follows_from, "spark1");
  }
}

TEST(ClusterView, ALinkWithACarrierExplainsNoSilence) {
  auto pair = known_pair();
  pair.goes_silent("spark2");
  pair.known.own.problems.clear();
  for (const auto& link : pair.links_to("spark2")) {
    pair.fails("SR-GATE-001", "link", link, Detail::kPort, "up, carrier; a port of br0");
  }
  EXPECT_THAT(pair.view().roots, SizeIs(2));
}

TEST(ClusterView, ThePortWithoutACarrierAndWhatTheOtherNeighbourTellsFollowFromTheSilence) {
  auto ring = test::known_ring_at("spark2");
  ring.goes_silent("spark1");
  ring.known.own.problems.clear();
  ring.known.own.verdict = Verdict::kNotReady;
  for (const auto& link : ring.links_to("spark1")) {
    ring.lacks_a_carrier(link);
    for (auto& rail : ring.known.told.own.rails) rail.carrier &= rail.link != link;
  }
  // spark3:0 leads to spark1:1.
  ring.says_not_ready("spark3", {{.id = "SR-GATE-001",
                                  .name = "link",
                                  .detail = Detail::kNoCarrier,
                                  .link = "enp1s0f0np0",
                                  .measured = "up, no carrier"}});
  const auto view = ring.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_THAT(view.roots.front().effects, SizeIs(5));
  EXPECT_EQ(node_of(view, "spark3").follows_from, "spark1");
}

TEST(ClusterView, APlugInACageThatTheFileDoesNotNameIsTheCauseAndNotWhoIsSilentForIt) {
  auto pair = known_pair();
  pair.has_its_plug_in_the_other_cage("spark2");
  const auto view = pair.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  const auto& cause = view.roots.front().problem;
  EXPECT_EQ(cause.node, "spark1");
  EXPECT_EQ(cause.found.id, "SR-GATE-001");
  EXPECT_EQ(written(sentence_of(cause)), "link of enp1s0f0np0: up, no carrier");
  EXPECT_EQ(node_of(view, "spark2").follows_from, "spark1");
  EXPECT_EQ(view.pair("spark1", "spark2")->ways.at(0).fault, WayFault::kCable);
}

TEST(ClusterView, TheCarrierOfASwitchGoesWithItsCableAndNotWithWhoIsSilent) {
  auto all = known_switch();
  all.loses_its_switch();
  const auto view = all.view();
  ASSERT_THAT(view.roots, SizeIs(1));
  EXPECT_EQ(view.roots.front().problem.node, "spark1");
  EXPECT_EQ(view.roots.front().problem.found.id, "SR-GATE-001");
  EXPECT_EQ(node_of(view, "spark8").follows_from, "spark1");
  EXPECT_EQ(view.pair("spark1", "spark8")->ways.at(0).fault, WayFault::kCarrier);
  EXPECT_EQ(view.pair("spark2", "spark8")->ways.at(0).fault, WayFault::kSilent);
}

TEST(ClusterView, WhatDiffersHereIsSaidThoughTheDaemonHasNotLooked) {
  auto pair = known_pair();
  pair.known.own.differs = "differs: 1 change";
  const auto view = pair.view();
  EXPECT_EQ(written(sentence_of(view.roots.at(0).problem)), "differs: 1 change");
  EXPECT_EQ(view.roots.at(0).problem.remedy.command, "spark-reconcile plan");
}

TEST(ClusterView, NamesThatBeginAlikeAreNotMixedUp) {
  auto cluster = known_switch(12);
  cluster.goes_silent("spark12");
  const auto view = cluster.view();
  ASSERT_THAT(view.roots, SizeIs(1)) << "spark12 is not spark1";
  EXPECT_EQ(view.roots.front().problem.node, "spark12");
}

TEST(ClusterView, WordsOfAPeerDrawNothing) {
  auto pair = known_pair();
  pair.says_not_ready("spark2", {{.id = "SR-GATE-002", .name = "mtu\x1b[2J", .measured = "x"}});
  pair.details_of("spark2").version = "\x1b]0;x";
  const auto view = pair.view();
  for (const auto& root : view.roots)
    EXPECT_EQ(written(sentence_of(root.problem)).find('\x1b'), std::string::npos);
  EXPECT_EQ(node_of(view, "spark2").version.find('\x1b'), std::string::npos);
}

TEST(ClusterView, IsJson) {
  auto ring = known_ring();
  ring.has_a_small_mtu("spark2");
  ring.known.measured = {{.peer = "spark2", .bits = 186e9}};
  const auto json = TextJsonWriter::write(ring.view());
  EXPECT_EQ(json["ready"], 2);
  EXPECT_EQ(json["nodes"][1]["verdict"], "not ready");
  EXPECT_EQ(json["nodes"][1]["bits_per_second"], 186e9);
  EXPECT_EQ(json["pairs"][0]["ways"][0]["why"], "");
  EXPECT_EQ(json["pairs"][0]["ways"][1]["reach"], "none");
  EXPECT_EQ(json["pairs"][0]["ways"][1]["why"], "mtu");
  const auto& cause = json["causes"][0];
  EXPECT_EQ(cause["name"], "mtu");
  EXPECT_EQ(cause["detail"], "differs");
  EXPECT_EQ(cause["link"], "enP2p1s0f1np1");
  EXPECT_EQ(cause["what"], "mtu of enP2p1s0f1np1: 1500, the file says 9000");
  EXPECT_EQ(cause["follows"], 2);
  EXPECT_EQ(cause["remedy"], "`spark-reconcile doctor -n spark2`");
  EXPECT_EQ(cause["command"], "spark-reconcile doctor -n spark2");
}

}  // namespace
}  // namespace spark::cluster
