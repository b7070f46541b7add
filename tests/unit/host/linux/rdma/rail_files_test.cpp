#include "host/linux/rdma/rail_files.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/temporary_folder.hpp"

namespace spark::host {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// A machine's /sys in a directory of its own, with what two drivers lay there.
class RailFilesTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const auto file = temporary_.path() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  void add_link(const std::string& link, const std::string& received, const std::string& sent) {
    put("sys/class/net/" + link + "/statistics/rx_bytes", received);
    put("sys/class/net/" + link + "/statistics/tx_bytes", sent);
  }

  /// As mlx5_ib, with what is not read beside what is.
  void add_connectx() {
    add_link("enp1s0f0np0", "1200", "3400");
    put("sys/class/net/enp1s0f0np0/speed", "200000");
    const std::string port = "sys/class/infiniband/rocep1s0f0/ports/1/";
    put(port + "counters/port_rcv_data", "25000000000");
    put(port + "counters/port_xmit_data", "50000000000");
    put(port + "counters/port_xmit_wait", "17");
    put(port + "hw_counters/lifespan", "10");
    put(port + "hw_counters/packet_seq_err", "3");
    put(port + "hw_counters/out_of_sequence", "4");
    put(port + "hw_counters/np_cnp_sent", "5");
    put(port + "hw_counters/rx_write_requests", "6");
  }

  [[nodiscard]] RailCounters read(const std::string& device, const std::string& link) const {
    return read_rail_counters(temporary_.path().string(), device, 1, link);
  }

  test::TemporaryFolder temporary_;
};

TEST_F(RailFilesTest, OfAConnectXRdmaIsThePortsAndTheRestTheLinks) {
  add_connectx();
  const auto counters = read("rocep1s0f0", "enp1s0f0np0");
  EXPECT_EQ(counters.rdma_words, (BothWays{.received = 25'000'000'000, .sent = 50'000'000'000}));
  EXPECT_EQ(counters.link_octets, (BothWays{.received = 1200, .sent = 3400}));
  EXPECT_EQ(counters.speed, 200'000'000'000U);
  EXPECT_EQ(counters.lifespan, std::chrono::milliseconds(10));
  EXPECT_THAT(counters.events, ElementsAre(Pair("np_cnp_sent", 5), Pair("out_of_sequence", 4),
                                           Pair("packet_seq_err", 3)));
}

TEST_F(RailFilesTest, OfRxeTheLinkAloneCountsOctets) {
  add_link("eth1", "1000", "2000");
  put("sys/class/net/eth1/speed", "-1");
  const std::string port = "sys/class/infiniband/rxe0/ports/1/";
  put(port + "hw_counters/lifespan", "10");
  put(port + "hw_counters/completer_retry_err", "2");
  put(port + "hw_counters/sent_pkts", "900");
  const auto counters = read("rxe0", "eth1");
  EXPECT_FALSE(counters.rdma_words);
  EXPECT_EQ(counters.link_octets, (BothWays{.received = 1000, .sent = 2000}));
  EXPECT_FALSE(counters.speed);
  EXPECT_THAT(counters.events, ElementsAre(Pair("completer_retry_err", 2)));
}

TEST_F(RailFilesTest, ADeviceThatIsGoneHasNothingAndComesBackWithNewCounters) {
  EXPECT_EQ(read("rocep1s0f0", "enp1s0f0np0"), RailCounters{});
  add_connectx();
  const auto before = read("rocep1s0f0", "enp1s0f0np0");
  fs::remove_all(temporary_.path() / "sys");
  EXPECT_EQ(read("rocep1s0f0", "enp1s0f0np0"), RailCounters{});
  add_connectx();
  put("sys/class/infiniband/rocep1s0f0/ports/1/counters/port_rcv_data", "1000");
  const auto after = read("rocep1s0f0", "enp1s0f0np0");
  EXPECT_FALSE(grown(before.rdma_words->received, after.rdma_words->received));
}

TEST_F(RailFilesTest, ACounterThatIsNoNumberIsAbsent) {
  add_connectx();
  put("sys/class/infiniband/rocep1s0f0/ports/1/counters/port_rcv_data", "N/A (no PMA)");
  put("sys/class/infiniband/rocep1s0f0/ports/1/hw_counters/packet_seq_err", "");
  const auto counters = read("rocep1s0f0", "enp1s0f0np0");
  EXPECT_FALSE(counters.rdma_words);
  EXPECT_FALSE(counters.events.contains("packet_seq_err"));
}

TEST_F(RailFilesTest, ALinkWithoutAnRdmaDeviceHasItsOwnAlone) {
  add_link("enp1s0f0np0", "7", "8");
  const auto counters = read("", "enp1s0f0np0");
  EXPECT_EQ(counters.link_octets, (BothWays{.received = 7, .sent = 8}));
  EXPECT_FALSE(counters.rdma_words);
  EXPECT_THAT(counters.events, IsEmpty());
}

}  // namespace
}  // namespace spark::host
