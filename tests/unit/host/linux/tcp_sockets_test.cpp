#include "host/linux/tcp_sockets.hpp"

#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kHeading =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n";

std::string table(std::string_view lines) { return std::string(kHeading).append(lines); }

class TcpTable : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (std::endian::native != std::endian::little) {
      GTEST_SKIP() << "the tables below are as a little-endian machine prints them";
    }
  }
};

TEST_F(TcpTable, AnEmptyTableHasNoSockets) { EXPECT_THAT(*parse_tcp_table(kHeading), IsEmpty()); }

TEST_F(TcpTable, ReadsListenersAndSessions) {
  const auto sockets = parse_tcp_table(table(
      "   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "1001 1 0000000000000000 100 0 0 10 0\n"
      "   1: 0B0200C0:0016 0C0200C0:D431 01 00000000:00000000 02:000A7B5C 00000000     0        0 "
      "1002 2 0000000000000000 20 4 31 10 -1\n"
      "   2: 0B0200C0:0016 0C0200C0:D432 06 00000000:00000000 03:00000F00 00000000     0        0 "
      "0 3 0000000000000000\n"));
  ASSERT_TRUE(sockets) << sockets.error().what;
  const auto any = *IpAddress::parse("0.0.0.0");
  const auto own = *IpAddress::parse("192.0.2.11");
  const auto peer = *IpAddress::parse("192.0.2.12");
  EXPECT_THAT(*sockets, ElementsAre(TcpSocket{any, 22, any, TcpState::kListen, 1001},
                                    TcpSocket{own, 22, peer, TcpState::kEstablished, 1002},
                                    TcpSocket{own, 22, peer, TcpState::kOther, 0}));
}

TEST_F(TcpTable, ReadsIpv6) {
  const auto sockets = parse_tcp_table(
      table("   0: B80D0120000000000000000011000000:0016 B80D0120000000000000000012000000:D431 01 "
            "00000000:00000000 00:00000000 00000000     0        0 1003 1 0000000000000000\n"));
  ASSERT_TRUE(sockets) << sockets.error().what;
  EXPECT_EQ(sockets->at(0).local_ip, IpAddress::parse("2001:db8::11"));
}

TEST_F(TcpTable, AMappedAddressIsIpv4) {
  const auto sockets = parse_tcp_table(
      table("   0: 0000000000000000FFFF00000B0200C0:0016 0000000000000000FFFF00000C0200C0:D431 01 "
            "00000000:00000000 00:00000000 00000000     0        0 1004 1 0000000000000000\n"));
  ASSERT_TRUE(sockets) << sockets.error().what;
  EXPECT_EQ(sockets->at(0).local_ip, IpAddress::parse("192.0.2.11"));
}

TEST_F(TcpTable, RefusesWhatItDoesNotUnderstand) {
  for (const auto* line :
       {"   0: 0B0200C0:0016\n", "   0: 0B0200:0016 0C0200C0:D431 01 0:0 00:0 0 0 0 1 1\n",
        "   0: 0B0200C0 0C0200C0:D431 01 0:0 00:0 0 0 0 1 1\n",
        "   0: 0B0200C0:0016 0C0200:D431 01 0:0 00:0 0 0 0 1 1\n",
        "   0: 0B0200C0:0016 0C0200C0:D431 xx 0:0 00:0 0 0 0 1 1\n"}) {
    const auto sockets = parse_tcp_table(table(line));
    ASSERT_FALSE(sockets) << line;
    EXPECT_EQ(sockets.error().code, ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace spark::host
