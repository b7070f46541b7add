#include <string>

#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "helpers/peers/frames.hpp"

namespace spark::helpers {
namespace {

using protocol::CageState;
using protocol::DiscoverFrame;

constexpr const char* kRun = "0123456789abcdef";

std::string long_name(char first) { return std::string(1, first) + std::string(62, 'x'); }

/// The most that a node can have to say.
DiscoverFrame largest_record() {
  protocol::NodeRecord record{.node = long_name('a'),
                              .run = kRun,
                              .commitment = std::string(64, 'c'),
                              .sequence = ~std::uint64_t{0},
                              .is_founder = false,
                              .own_file = "0123abcd",
                              .lan = "enp123456789s12",
                              .cages = {{.cage = 0, .state = CageState::kNoCarrier, .hears = {}},
                                        {.cage = 1, .state = CageState::kNoCarrier, .hears = {}}},
                              .subnets = {},
                              .file = std::string(64, 'f'),
                              .refuses = false,
                              .is_gone = false};
  for (std::size_t i = 0; i < protocol::kMostEndsHeard; ++i) {
    record.cages[0].hears.push_back({.node = long_name(static_cast<char>('b' + i)), .cage = 1});
  }
  for (std::size_t i = 0; i < protocol::kMostSubnetsTold; ++i) {
    record.subnets.push_back(*IpPrefix::parse("192.168.177.128/32"));
  }
  return {.run = kRun, .cage = 1, .record = record};
}

DiscoverFrame small_record() {
  return {.run = kRun,
          .cage = 0,
          .record = protocol::NodeRecord{
              .node = "spark1", .run = kRun, .commitment = std::string(64, 'c')}};
}

/// What comes of the frame at the other end.
bool is_taken(const DiscoverFrame& frame) {
  return decode_discover(encode_discover(frame)).has_value();
}

TEST(DiscoverFrame, TheLargestRecordFitsAndComesBack) {
  const auto frame = largest_record();
  const auto bytes = encode_discover(frame);
  ASSERT_FALSE(bytes.empty());
  EXPECT_LE(bytes.size(), protocol::kMostDiscoverBytes);
  EXPECT_EQ(decode_discover(bytes), frame);
}

TEST(DiscoverFrame, TheLargestPieceFitsAndComesBack) {
  const DiscoverFrame frame{
      .run = kRun,
      .cage = 1,
      .chunk = protocol::FileChunk{
          .file = std::string(64, 'f'), .index = 45, .count = 46, .data = std::string(960, 'A')}};
  const auto bytes = encode_discover(frame);
  ASSERT_FALSE(bytes.empty());
  EXPECT_EQ(decode_discover(bytes), frame);
}

TEST(DiscoverFrame, OpeningsAndConsentsComeBackWhole) {
  const protocol::Opening opening{
      .run = kRun, .nonce = std::string(64, 'd'), .key = to_base64(std::string(32, 'k'))};
  const protocol::Consent consent{.run = kRun, .signature = to_base64(std::string(64, 's'))};
  DiscoverFrame frame{.run = kRun, .cage = 1, .opening = opening};
  EXPECT_EQ(decode_discover(encode_discover(frame)), frame);
  frame.consent = consent;
  EXPECT_FALSE(is_taken(frame)) << "one of them";
  frame.opening.reset();
  EXPECT_EQ(decode_discover(encode_discover(frame)), frame);
  for (const auto* signature : {"", "AAAA", "\n"}) {
    frame.consent->signature = signature;
    EXPECT_FALSE(is_taken(frame));
  }
  frame.consent.reset();
  frame.opening = opening;
  frame.opening->nonce.pop_back();
  EXPECT_FALSE(is_taken(frame));
  frame.opening = opening;
  frame.opening->key = std::string(43, 'A') + "\n";
  EXPECT_FALSE(is_taken(frame));
  frame.opening->key = std::string(42, 'A') + "B=";
  EXPECT_FALSE(is_taken(frame)) << "bits that no byte has";
}

TEST(DiscoverFrame, ZerosAtTheEndArePassedOver) {
  const auto frame = small_record();
  EXPECT_EQ(decode_discover(encode_discover(frame) + std::string(20, '\0')), frame);
}

TEST(DiscoverFrame, OtherBytesAreNone) {
  EXPECT_FALSE(decode_discover(""));
  EXPECT_FALSE(decode_discover("SPARKHI1{}"));
  EXPECT_FALSE(decode_discover("SPARKDS2"));
  EXPECT_FALSE(decode_discover(std::string("SPARKDS2\0\0", 10)));
  EXPECT_FALSE(decode_discover("SPARKDS2{}"));
  EXPECT_FALSE(decode_discover("SPARKDS2" + std::string(600, '[')));
  EXPECT_FALSE(decode_discover(encode_discover(small_record()) +
                               std::string(protocol::kMostDiscoverBytes, '\0')))
      << "longer than any frame";
}

TEST(DiscoverFrame, NamesThatNoHostHasAreNotTaken) {
  for (const auto* name : {"", "a b", "-x", "a\x1b[2J", "a'b", "a/b", "a\nb", "\xC3\xA4"}) {
    auto frame = small_record();
    frame.record->node = name;
    EXPECT_FALSE(is_taken(frame)) << name;
    frame = small_record();
    frame.record->cages = {{.cage = 0, .state = CageState::kCarrier, .hears = {{name, 0}}}};
    EXPECT_FALSE(is_taken(frame)) << name;
  }
  auto frame = small_record();
  frame.record->node = std::string(64, 'a');
  EXPECT_FALSE(is_taken(frame));
}

TEST(DiscoverFrame, OtherMembersAreBoundedToo) {
  const auto with = [](auto change) {
    auto frame = small_record();
    change(frame, *frame.record);
    return is_taken(frame);
  };
  EXPECT_TRUE(with([](auto&, auto&) {}));
  EXPECT_FALSE(with([](auto& frame, auto&) { frame.run = "short"; }));
  EXPECT_FALSE(with([](auto& frame, auto&) { frame.run = "0123456789ABCDEF"; }));
  EXPECT_FALSE(with([](auto& frame, auto&) { frame.cage = -1; }));
  EXPECT_FALSE(with([](auto& frame, auto&) { frame.cage = 2; }));
  EXPECT_FALSE(with([](auto& frame, auto&) { frame.chunk = protocol::FileChunk{}; }))
      << "a record or a piece";
  EXPECT_FALSE(with([](auto& frame, auto&) { frame.record.reset(); }));
  EXPECT_FALSE(with([](auto&, auto& record) { record.run = ""; }));
  EXPECT_FALSE(with([](auto&, auto& record) { record.commitment = "abc"; }));
  EXPECT_FALSE(with([](auto&, auto& record) { record.lan = "eth0; reboot"; }));
  EXPECT_FALSE(with([](auto&, auto& record) { record.file = "abc"; }));
  EXPECT_FALSE(with([](auto&, auto& record) { record.cages.resize(3); }));
  EXPECT_FALSE(with([](auto&, auto& record) { record.cages = {{.cage = 7}}; }));
  EXPECT_FALSE(with([](auto&, auto& record) { record.subnets.resize(13); }));
}

}  // namespace
}  // namespace spark::helpers
