#include "jobs/rail_traffic.hpp"

#include <gtest/gtest.h>

#include "unit/jobs/looks.hpp"

namespace spark::jobs {
namespace {

using std::chrono::milliseconds;
using test::later_look;
using test::rail_look;

constexpr std::uint64_t kGiga = 1'000'000'000;

TEST(RailTraffic, OfAConnectXCountsWordsOfFourOctets) {
  Snapshot before{.at = milliseconds(1000), .rails = {rail_look({0, 0})}};
  before.rails[0].counters.rdma_words = {.received = 100, .sent = 200};
  before.rails[0].counters.link_octets = {.received = 0, .sent = 0};
  auto now = later_look(before, milliseconds(2000));
  now.rails[0].counters.rdma_words->received += 3 * kGiga;
  now.rails[0].counters.rdma_words->sent += kGiga;
  now.rails[0].counters.link_octets->sent += 250'000'000;
  const auto traffic = rates_between(before, now);
  ASSERT_EQ(traffic.size(), 1U);
  EXPECT_TRUE(traffic[0].counts_rdma);
  EXPECT_EQ(traffic[0].carried, (BitRate{.received = 48 * kGiga, .sent = 16 * kGiga}));
  EXPECT_EQ(traffic[0].beside_rdma, (BitRate{.received = 0, .sent = kGiga}));
  EXPECT_EQ(traffic[0].limit, 126 * kGiga)
      << "the PCIe link of the rail carries less than the cage";
}

TEST(RailTraffic, OfRxeIsAllThatTheLinkCarries) {
  Snapshot before{.at = milliseconds(0), .rails = {rail_look({0, 0})}};
  before.rails[0].counters = {.link_octets = host::BothWays{.received = 5, .sent = 5},
                              .speed = 10 * kGiga};
  auto now = later_look(before, milliseconds(1000));
  now.rails[0].counters.link_octets->received += 125'000'000;
  const auto traffic = rates_between(before, now);
  EXPECT_FALSE(traffic[0].counts_rdma);
  EXPECT_EQ(traffic[0].carried, (BitRate{.received = kGiga, .sent = 0}));
  EXPECT_FALSE(traffic[0].beside_rdma);
  EXPECT_EQ(traffic[0].limit, 10 * kGiga);
}

TEST(RailTraffic, GoesOverTheEndOf32Bits) {
  Snapshot before{.at = milliseconds(0), .rails = {rail_look({0, 0})}};
  before.rails[0].counters.rdma_words = {.received = 0xFFFF'FFFF - 249, .sent = 0};
  auto now = later_look(before, milliseconds(1000));
  now.rails[0].counters.rdma_words->received = 250;
  EXPECT_EQ(rates_between(before, now)[0].carried, (BitRate{.received = 500 * 4 * 8, .sent = 0}));
}

TEST(RailTraffic, OfADeviceThatCameBackIsNotKnown) {
  const Snapshot before{.at = milliseconds(0), .rails = {rail_look({0, 0})}};
  auto now = later_look(before, milliseconds(1000));
  now.rails[0].link_index += 10;
  EXPECT_FALSE(rates_between(before, now)[0].carried);
  now = later_look(before, milliseconds(1000));
  now.rails.push_back(rail_look({0, 1}));
  const auto traffic = rates_between(before, now);
  EXPECT_TRUE(traffic[0].carried);
  EXPECT_FALSE(traffic[1].carried) << "it was not there before";
}

TEST(RailTraffic, SumsTheEventsOfOneSort) {
  Snapshot before{.at = milliseconds(0), .rails = {rail_look({0, 0})}};
  before.rails[0].counters.events = {{"packet_seq_err", 10}, {"local_ack_timeout_err", 1}};
  auto now = later_look(before, milliseconds(2000));
  now.rails[0].counters.events = {{"packet_seq_err", 14}, {"local_ack_timeout_err", 3}};
  const auto traffic = rates_between(before, now);
  EXPECT_EQ(traffic[0].sent_again, 3.0);
  EXPECT_FALSE(traffic[0].congestion) << "this driver does not count it";
}

TEST(RailTraffic, GrowsByOctetsAndEventsWhateverTheTimeBetween) {
  Snapshot before{.at = milliseconds(0), .rails = {rail_look({0, 0})}};
  before.rails[0].counters.events = {{"packet_seq_err", 10}};
  before.rails[0].counters.lifespan = milliseconds(10);
  auto now = later_look(before, milliseconds(1));
  now.rails[0].counters.rdma_words->sent += 25;
  now.rails[0].counters.link_octets->received += 7;
  now.rails[0].counters.events["packet_seq_err"] = 14;
  const auto growth = growth_between(before, now.rails[0]);
  EXPECT_EQ(growth.carried, (host::BothWays{.received = 0, .sent = 100}));
  EXPECT_EQ(growth.beside_rdma, (host::BothWays{.received = 7, .sent = 0}));
  EXPECT_EQ(growth.sent_again, 4U);
  EXPECT_FALSE(growth_between({}, now.rails[0]).carried);
}

TEST(RailTraffic, SaysNothingOfEventsWithinTheLifespanOfTheDriversAnswer) {
  Snapshot before{.at = milliseconds(0), .rails = {rail_look({0, 0})}};
  before.rails[0].counters.events = {{"packet_seq_err", 10}};
  before.rails[0].counters.lifespan = milliseconds(10);
  EXPECT_FALSE(rates_between(before, later_look(before, milliseconds(10)))[0].sent_again);
  EXPECT_EQ(rates_between(before, later_look(before, milliseconds(11)))[0].sent_again, 0.0);
}

}  // namespace
}  // namespace spark::jobs
