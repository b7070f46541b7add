#include "cli/text/other_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

protocol::RdmaProof proof_with(const protocol::ExpectedPeer& peer, bool holds) {
  protocol::PeerReport moved;
  if (!holds) moved.failed.emplace();
  return {.node = peer.node,
          .link = peer.link,
          .ip = peer.ip,
          .ours = moved,
          .theirs = moved,
          .boot_id = {},
          .why = {}};
}

/// spark1, and a cable of two rails to spark2. 100 s after the boot.
class OtherNodes : public ::testing::Test {
 protected:
  OtherNodes() {
    told_.own.node = "spark1";
    told_.own.file = std::string(64, 'a');
    for (int rail = 0; rail < 2; ++rail) {
      told_.expected.push_back(
          {.node = "spark2",
           .ip = IpAddress::parse(rail == 0 ? "192.0.2.12" : "198.51.100.12").value(),
           .link = rail == 0 ? "enp1s0f0np0" : "enP2p1s0f0np0",
           .local = {},
           .rail = rail});
    }
  }

  /// A hello of spark2 over rail 0, that long ago.
  protocol::HeardHello& heard(const std::string& verdict, std::chrono::milliseconds ago) {
    protocol::HeardHello heard;
    heard.link = "enp1s0f0np0";
    heard.hello.node = "spark2";
    heard.hello.verdict = verdict;
    heard.hello.file = protocol::short_digest(told_.own.file);
    heard.heard_ms = (100s - ago) / 1ms;
    return told_.heard.emplace_back(heard);
  }

  protocol::NodeDetails& details_of(const std::string& node) {
    auto& told = told_.peers.emplace_back();
    told.details.node = node;
    return told.details;
  }

  std::vector<OtherNode> nodes(const std::set<std::string>& names = {"spark1", "spark2"}) {
    return other_nodes(told_, names, 100s);
  }

  std::string text(const std::set<std::string>& names = {"spark1", "spark2"}) {
    const TextFile out;
    const Terminal terminal(out.stream(), out.stream(), Color::kNever, false);
    return other_nodes_text(nodes(names), terminal);
  }

  cluster::Told told_;
};

TEST_F(OtherNodes, SayHowTheyStandAndHowLongAgo) {
  heard("ready", 2s);
  told_.rdma = {proof_with(told_.expected[0], true), proof_with(told_.expected[1], false)};
  EXPECT_EQ(text(),
            "other nodes\n  ✓ spark2  ready, heard 2 s ago; RDMA proven over 1 of 2 rails\n\n");
}

TEST_F(OtherNodes, SayWhyOneIsNotReady) {
  heard("not ready", 2s);
  auto& details = details_of("spark2");
  details.verdict = "not ready";
  details.reasons = {"mtu of enp1s0f1np1 is 1500", "another"};
  EXPECT_THAT(text(),
              HasSubstr("✗ spark2  not ready, heard 2 s ago: mtu of enp1s0f1np1 is 1500; RDMA"));
  details.verdict = "ready";
  EXPECT_THAT(text(), HasSubstr("✗ spark2  not ready, heard 2 s ago; RDMA"))
      << "what it told is older than its hello";
}

TEST_F(OtherNodes, WhatASilentOneSaidIsNoNews) {
  heard("ready", 41s).is_silent = true;
  EXPECT_THAT(text(), HasSubstr("? spark2  silent for 41 s, before that ready; RDMA"));
  EXPECT_EQ(nodes().front().verdict, gate::Verdict::kUnknown);
  EXPECT_EQ(to_json(nodes().front())["verdict"], "unknown");
  heard("waiting", 50s).link = "enP2p1s0f0np0";
  EXPECT_THAT(text(), HasSubstr("waiting, heard 50 s ago")) << "over the other rail it is heard";
}

TEST_F(OtherNodes, ThatWereNotHeardAreUnknown) {
  EXPECT_THAT(text(), HasSubstr("? spark2  not heard since this node booted; RDMA"));
}

TEST_F(OtherNodes, NameAnotherFile) {
  heard("ready", 2s).hello.file = "bbbbbbbbbbbbbbbb";
  EXPECT_THAT(text(), HasSubstr("heard 2 s ago; another file, digest bbbbbbbbbbbbbbbb; RDMA"));
  told_.own.file = "";
  EXPECT_THAT(text(), Not(HasSubstr("another file")));
}

TEST_F(OtherNodes, AcrossARingAreKnownByANeighbour) {
  heard("ready", 2s);
  details_of("spark2").heard = {{.node = "spark3", .boot = {}, .file = {}, .verdict = "waiting"}};
  const std::set<std::string> names{"spark1", "spark2", "spark3"};
  EXPECT_THAT(text(names), HasSubstr("… spark3  waiting, as spark2 told 2 s ago\n"));
  details_of("spark4").heard = {
      {.node = "spark3", .boot = {}, .file = {}, .verdict = "ready", .is_silent = true}};
  EXPECT_THAT(text(names), HasSubstr("waiting, as spark2 told 2 s ago"))
      << "one of the two hears it";
  told_.peers.front().details.heard.front().is_silent = true;
  EXPECT_THAT(text(names), HasSubstr("? spark3  silent, as spark2 tells\n"));
}

TEST_F(OtherNodes, WordsOfAPeerDrawNothing) {
  heard("ready\x1b[2J", 2s).hello.file = "\x1b]0;x";
  EXPECT_THAT(text(), Not(HasSubstr("\x1b")));
  EXPECT_EQ(nodes().front().verdict, gate::Verdict::kUnknown);
}

}  // namespace
}  // namespace spark::cli
