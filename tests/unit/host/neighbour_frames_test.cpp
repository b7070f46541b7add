#include "host/neighbour_frames.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

using Frame = std::vector<std::uint8_t>;

constexpr MacAddress kOurMac{0x02, 0, 0x5e, 0x10, 0, 1};
constexpr MacAddress kTheirMac{0x02, 0, 0x5e, 0x10, 0, 2};

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

const Frame kArpQuestion{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0x5e, 0x10, 0,
                         1,    0x08, 0x06, 0,    1,    0x08, 0,    6, 4,    0,    1,
                         0x02, 0,    0x5e, 0x10, 0,    1,    192,  0, 2,    11,   0,
                         0,    0,    0,    0,    0,    192,  0,    2, 12};

Frame arp_reply() {
  return {0x02, 0, 0x5e, 0x10, 0,    1, 0x02, 0,    0x5e, 0x10, 0,    2,    0x08, 0x06,
          0,    1, 0x08, 0,    6,    4, 0,    2,    0x02, 0,    0x5e, 0x10, 0,    2,
          192,  0, 2,    12,   0x02, 0, 0x5e, 0x10, 0,    1,    192,  0,    2,    11};
}

/// From 2001:db8::12 to 2001:db8::11, with its option.
Frame advertisement() {
  Frame frame{0x02, 0,    0x5e, 0x10, 0, 1, 0x02, 0, 0x5e, 0x10, 0,
              2,    0x86, 0xdd, 0x60, 0, 0, 0,    0, 32,   58,   255};
  for (const auto* address : {"2001:db8::12", "2001:db8::11"}) {
    const auto there = ip(address);
    frame.insert(frame.end(), there.bytes().begin(), there.bytes().end());
  }
  frame.insert(frame.end(), {136, 0, 0, 0, 0x60, 0, 0, 0});
  const auto target = ip("2001:db8::12");
  frame.insert(frame.end(), target.bytes().begin(), target.bytes().end());
  frame.insert(frame.end(), {2, 1, 0x02, 0, 0x5e, 0x10, 0, 2});
  return frame;
}

TEST(NeighbourFrames, AsksEverybodyByArp) {
  EXPECT_EQ(question_frame(
                {.own = kOurMac, .sender = ip("192.0.2.11"), .target = ip("192.0.2.12"), .to = {}}),
            kArpQuestion);
}

TEST(NeighbourFrames, AsksOneHostFromNoAddress) {
  auto expected = kArpQuestion;
  std::ranges::copy(kTheirMac, expected.begin());
  std::fill_n(expected.begin() + 28, 4, 0);
  EXPECT_EQ(
      question_frame({.own = kOurMac, .sender = {}, .target = ip("192.0.2.12"), .to = kTheirMac}),
      expected);
}

TEST(NeighbourFrames, SolicitsTheGroupOfTheAddress) {
  const auto frame = question_frame({.own = kOurMac,
                                     .sender = ip("2001:db8::11"),
                                     .target = ip("2001:db8::aa:12:3456"),
                                     .to = {}});
  ASSERT_EQ(frame.size(), 86U);
  EXPECT_EQ(Frame(frame.begin(), frame.begin() + 6), (Frame{0x33, 0x33, 0xff, 0x12, 0x34, 0x56}));
  EXPECT_EQ(frame[21], 255) << "hop limit: else nobody answers";
  EXPECT_EQ(*IpAddress::from_bytes(std::span(frame).subspan(38, 16)), ip("ff02::1:ff12:3456"));
  EXPECT_EQ(frame[54], 135);
  EXPECT_EQ(Frame(frame.end() - 8, frame.end()), (Frame{1, 1, 0x02, 0, 0x5e, 0x10, 0, 1}));
  const auto direct = question_frame({.own = kOurMac,
                                      .sender = ip("2001:db8::11"),
                                      .target = ip("2001:db8::12"),
                                      .to = kTheirMac});
  EXPECT_EQ(Frame(direct.begin(), direct.begin() + 6), Frame(kTheirMac.begin(), kTheirMac.end()));
  EXPECT_EQ(*IpAddress::from_bytes(std::span(direct).subspan(38, 16)), ip("2001:db8::12"));
}

TEST(NeighbourFrames, ReadsWhoAnswers) {
  EXPECT_EQ(read_answer(arp_reply()), (NeighbourAnswer{.ip = ip("192.0.2.12"), .mac = kTheirMac}));
  EXPECT_EQ(read_answer(advertisement()),
            (NeighbourAnswer{.ip = ip("2001:db8::12"), .mac = kTheirMac}));
}

TEST(NeighbourFrames, TakesNoPartOfAnAnswerForOne) {
  for (const auto& whole : {arp_reply(), advertisement()}) {
    // An advertisement needs no option.
    const auto needed = whole.size() == 86 ? whole.size() - 8 : whole.size();
    for (std::size_t size = 0; size < needed; ++size) {
      EXPECT_EQ(read_answer(std::span(whole).first(size)), std::nullopt) << size;
    }
    EXPECT_TRUE(read_answer(std::span(whole).first(needed)));
  }
}

TEST(NeighbourFrames, TakesNothingElseForAnAnswer) {
  EXPECT_EQ(read_answer(kArpQuestion), std::nullopt);
  // Ethernet type; hardware, protocol, lengths, operation of ARP.
  for (const std::size_t at : {12, 13, 14, 15, 16, 17, 18, 19, 20, 21}) {
    auto frame = arp_reply();
    frame[at] ^= 0x40U;
    EXPECT_EQ(read_answer(frame), std::nullopt) << at;
  }
  // Next header, hop limit, type and code.
  for (const std::size_t at : {20, 21, 54, 55}) {
    auto frame = advertisement();
    frame[at] ^= 0x40U;
    EXPECT_EQ(read_answer(frame), std::nullopt) << at;
  }
}

TEST(NeighbourFrames, ReadsAndWritesEthernetAddresses) {
  EXPECT_EQ(text_of(kTheirMac), "02:00:5e:10:00:02");
  EXPECT_EQ(parse_mac("02:00:5e:10:00:02"), kTheirMac);
  for (const auto* text : {"", "02:00:5e:10:00", "02:00:5e:10:00:0g", "02-00-5e-10-00-02",
                           "02:00:5e:10:00:021", "0x:00:5e:10:00:02"}) {
    EXPECT_EQ(parse_mac(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace spark::host
