#include "protocol/peer_probe.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::protocol {
namespace {

using testing::HasSubstr;
using testing::Not;

PeerOffer an_offer() {
  PeerOffer offer;
  offer.state = "active";
  offer.active_mtu = 4096;
  offer.gid = *IpAddress::parse("::ffff:192.0.2.1");
  offer.queue_pairs = {17, 18};
  offer.psn = 0xabcdef;
  offer.reads = 16;
  offer.address = 0x7f00'0000'1000;
  offer.rkey = 0xffff'ffff;
  offer.bytes = 1'048'576;
  offer.seed = std::numeric_limits<std::uint64_t>::max();
  return offer;
}

nlohmann::json document_of_offer() {
  auto document = TextJsonWriter::write(an_offer());
  document["step"] = PeerOffer::kStep;
  return document;
}

/// The line without its newline, as parse_peer_line takes it.
template <class Line>
std::string bare(const Line& line) {
  auto text = peer_line_text(line);
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
  text.pop_back();
  return text;
}

/// Why a line is refused; "good" when it is not.
std::string refusal(const std::string& line) {
  const auto parsed = parse_peer_line(line);
  return parsed ? "good" : parsed.error().what;
}

std::string refusal_of_offer(const std::string& key, const nlohmann::json& value) {
  auto document = document_of_offer();
  document[key] = value;
  return refusal(json_text(document));
}

TEST(PeerLine, OfferComesBackAsItWas) {
  const auto line = parse_peer_line(bare(an_offer()));
  ASSERT_TRUE(line) << line.error().what;
  ASSERT_TRUE(std::holds_alternative<PeerOffer>(*line));
  const auto& offer = std::get<PeerOffer>(*line);
  EXPECT_EQ(TextJsonWriter::write(offer), TextJsonWriter::write(an_offer()));
  EXPECT_EQ(offer.seed, std::numeric_limits<std::uint64_t>::max()) << "no number goes by a double";
}

TEST(PeerLine, ConnectedAndProgressComeBackAsTheyWere) {
  const auto connected = parse_peer_line(bare(PeerConnected{.path_mtu = 1024}));
  ASSERT_TRUE(connected) << connected.error().what;
  EXPECT_EQ(std::get<PeerConnected>(*connected).path_mtu, 1024U);
  const auto progress =
      parse_peer_line(bare(PeerProgress{.bits_per_second = 9.5e10, .bytes = 1'234'567'890'123}));
  ASSERT_TRUE(progress) << progress.error().what;
  EXPECT_EQ(std::get<PeerProgress>(*progress).bits_per_second, 9.5e10);
  EXPECT_EQ(std::get<PeerProgress>(*progress).bytes, 1'234'567'890'123U);
}

TEST(PeerLine, ReportComesBackAsItWas) {
  const PeerReport report{.operation = PeerOperation::kRead,
                          .state = "active",
                          .active_mtu = 4096,
                          .path_mtu = 1024,
                          .gid_index = 3,
                          .registered = true,
                          .verified = true,
                          .received = true,
                          .latency_p50_us = 2.5,
                          .latency_p99_us = 7.25,
                          .queue_pairs = 4,
                          .bytes = 1U << 30U,
                          .seconds = 2.125,
                          .bits_per_second = 1.5e11,
                          .failed = "READ",
                          .error_number = 110,
                          .why = "no completion before the deadline",
                          .other_why = "it was killed"};
  const auto line = parse_peer_line(bare(report));
  ASSERT_TRUE(line) << line.error().what;
  EXPECT_EQ(TextJsonWriter::write(std::get<PeerReport>(*line)), TextJsonWriter::write(report));
}

TEST(PeerLine, ReportOfAnEndThatDidWellNamesNoFailure) {
  const auto line = parse_peer_line(bare(PeerReport{.state = "active", .verified = true}));
  ASSERT_TRUE(line) << line.error().what;
  const auto& report = std::get<PeerReport>(*line);
  EXPECT_FALSE(report.failed);
  EXPECT_EQ(report.why, "");
  EXPECT_EQ(report.other_why, "");
}

TEST(PeerLine, KeysOfALaterVersionArePassedOver) {
  auto document = document_of_offer();
  document["colour"] = {{"deep", {1, 2, 3}}};
  EXPECT_EQ(refusal(json_text(document)), "good");
}

TEST(PeerLine, AnotherVersionIsNamedBeforeAllElse) {
  const auto line = parse_peer_line(R"({"step":"offer","version":2})");
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(line.error().what, HasSubstr("another version than 1"));
  EXPECT_EQ(parse_peer_line(R"({"step":"offer","version":"1"})").error().code,
            ErrorCode::kUnsupported);
}

TEST(PeerLine, EachNumberOfAnOfferHasItsRange) {
  struct Case {
    std::string key;
    nlohmann::json value;
  };
  const auto most = std::numeric_limits<std::uint64_t>::max();
  const std::array cases{
      Case{"active_mtu", 0},
      Case{"active_mtu", 255},
      Case{"active_mtu", 1500},
      Case{"active_mtu", 8192},
      Case{"gid", "192.0.2.1"},
      Case{"gid", "::"},
      Case{"gid", "ff02::1"},
      Case{"queue_pairs", nlohmann::json::array()},
      Case{"queue_pairs", {2, 3, 4, 5, 6, 7, 8, 9, 10}},
      Case{"queue_pairs", {17, 0}},
      Case{"queue_pairs", {17, 1}},
      Case{"queue_pairs", {17, 0x1000000}},
      Case{"psn", 0x1000000},
      Case{"reads", 0},
      Case{"bytes", 0},
      Case{"address", most},
      Case{"address", most - 1'048'575},
  };
  for (const auto& [key, value] : cases) {
    EXPECT_EQ(refusal_of_offer(key, value), "at '/" + key + "': out of range") << value;
  }
}

TEST(PeerLine, TheEdgesOfTheRangesAreTaken) {
  for (const int mtu : {256, 512, 1024, 2048, 4096}) {
    EXPECT_EQ(refusal_of_offer("active_mtu", mtu), "good") << mtu;
  }
  EXPECT_EQ(refusal_of_offer("gid", "fe80::1"), "good");
  EXPECT_EQ(refusal_of_offer("gid", "2001:db8::1"), "good");
  EXPECT_EQ(refusal_of_offer("queue_pairs", {2, 0xffffff}), "good");
  EXPECT_EQ(refusal_of_offer("queue_pairs", {2, 3, 4, 5, 6, 7, 8, 9}), "good");
  EXPECT_EQ(refusal_of_offer("psn", 0xffffff), "good");
  EXPECT_EQ(refusal_of_offer("psn", 0), "good");
  EXPECT_EQ(refusal_of_offer("reads", 1), "good");
  const auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(refusal_of_offer("address", most - 1'048'576), "good");
  EXPECT_EQ(refusal_of_offer("address", 0), "good");
}

TEST(PeerLine, NumbersThatDoNotFitTheirTypeAreRefused) {
  for (const auto* key : {"active_mtu", "psn", "reads", "rkey", "address", "bytes", "seed"}) {
    for (const auto& value : {nlohmann::json(-1), nlohmann::json(1.5), nlohmann::json("7"),
                              nlohmann::json(true), nlohmann::json(nullptr)}) {
      EXPECT_THAT(refusal_of_offer(key, value),
                  HasSubstr("at '/" + std::string(key) + "': expected a number from 0 to"))
          << value;
    }
  }
  for (const auto* key : {"active_mtu", "psn", "reads", "rkey"}) {
    EXPECT_THAT(refusal_of_offer(key, std::uint64_t{1} << 32U), HasSubstr("expected a number"))
        << key;
  }
}

TEST(PeerLine, AnOfferWithoutOneOfItsKeysIsRefused) {
  const auto whole = document_of_offer();
  for (const auto& [key, value] : whole.items()) {
    auto document = whole;
    document.erase(key);
    EXPECT_NE(refusal(json_text(document)), "good") << key;
  }
}

TEST(PeerLine, WhatIsNoLineOfAProbeIsRefused) {
  for (const auto* line : {"", " ", "[]", "1", "null", "\"offer\"", "{", "{}", R"({"step":1})",
                           R"({"step":"OFFER"})", R"({"step":"connected"})", R"({"step":"report"})",
                           R"({"step":"connected","path_mtu":4294967296})", "\xff\xfe"}) {
    const auto parsed = parse_peer_line(line);
    ASSERT_FALSE(parsed) << line;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalid) << line;
  }
  EXPECT_NE(refusal(std::string(kLongestPeerLine, '[')), "good") << "it is not read recursively";
}

TEST(PeerLine, ErrorsHoldNoneOfTheLinesBytes) {
  // Each stands for what would steer a terminal.
  const std::string evil = "EVIL";
  const auto offer = document_of_offer();
  auto report = TextJsonWriter::write(PeerReport{});
  report["step"] = PeerReport::kStep;
  std::vector<std::string> lines{evil, "{\"step\":\"" + evil + "\"}",
                                 "{\"step\":\"offer\",\"version\":\"" + evil + "\"}",
                                 "{\"" + evil + "\":", "{\"step\":\"" + evil};
  for (const auto& [key, value] : offer.items()) {
    for (const auto& wrong :
         {nlohmann::json(evil), nlohmann::json({{evil, evil}}), nlohmann::json::array({evil})}) {
      auto document = offer;
      document[key] = wrong;
      lines.push_back(json_text(document));
    }
  }
  for (const auto& [key, value] : report.items()) {
    auto document = report;
    document[key] = {{evil, evil}};
    lines.push_back(json_text(document));
  }
  for (const auto& line : lines) EXPECT_THAT(refusal(line), Not(HasSubstr(evil))) << line;
}

TEST(CheckOffers, TwoEndsOfOneTaskAreGood) {
  auto own = an_offer();
  auto other = an_offer();
  EXPECT_TRUE(check_offers(own, other));
  own.operation = PeerOperation::kNone;
  for (const auto operation : {PeerOperation::kWrite, PeerOperation::kRead}) {
    other.operation = operation;
    EXPECT_TRUE(check_offers(own, other));
    EXPECT_TRUE(check_offers(other, own));
    EXPECT_TRUE(check_offers(other, other)) << "both ways at once";
  }
}

TEST(CheckOffers, SaysWhatKeepsTwoFromBeingJoined) {
  const auto reason = [](const PeerOffer& own, const PeerOffer& other) {
    const auto good = check_offers(own, other);
    return good ? "good" : good.error().what;
  };
  const auto own = an_offer();
  auto other = own;
  other.operation = PeerOperation::kWrite;
  EXPECT_EQ(reason(own, other), "one end was started as 'peer', the other as 'bench'");
  EXPECT_EQ(reason(other, own), "one end was started as 'peer', the other as 'bench'");
  other.operation = PeerOperation::kNone;
  EXPECT_EQ(reason(other, other), "both ends only lend their memory");
  other = own;
  other.queue_pairs = {17};
  EXPECT_EQ(reason(own, other), "the ends have 2 and 1 queue pairs");
  other = own;
  other.bytes = 65'536;
  EXPECT_EQ(reason(own, other), "the ends lend 1048576 and 65536 bytes of memory");
  other = own;
  other.state = "\x1b[2J";
  EXPECT_EQ(reason(own, other), "good") << "the state is for people";
}

std::vector<std::string> lines_in(PeerLineBuffer& buffer) {
  std::vector<std::string> lines;
  while (true) {
    auto line = buffer.next();
    if (!line || !*line) return lines;
    lines.push_back(**line);
  }
}

TEST(PeerLineBuffer, LinesComeAsTheyAreWhole) {
  PeerLineBuffer buffer;
  EXPECT_THAT(lines_in(buffer), testing::IsEmpty());
  buffer.add("on");
  EXPECT_THAT(lines_in(buffer), testing::IsEmpty());
  buffer.add("e\ntwo\n\nthr");
  EXPECT_THAT(lines_in(buffer), testing::ElementsAre("one", "two", ""));
  buffer.add("ee\n");
  EXPECT_THAT(lines_in(buffer), testing::ElementsAre("three"));
}

TEST(PeerLineBuffer, TheLongestLineIsTakenAndNoLongerOne) {
  PeerLineBuffer buffer;
  const std::string longest(kLongestPeerLine - 1, 'x');
  buffer.add(longest + "\n" + longest + "\n");
  EXPECT_THAT(lines_in(buffer), testing::ElementsAre(longest, longest));
  buffer.add(longest + "x\n");
  const auto line = buffer.next();
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().what, "it is longer than 4096 bytes");
}

TEST(PeerLineBuffer, AnEndlessLineIsRefusedBeforeItsEnd) {
  PeerLineBuffer buffer;
  buffer.add(std::string(kLongestPeerLine - 1, 'x'));
  EXPECT_TRUE(buffer.next());
  buffer.add("x");
  EXPECT_FALSE(buffer.next());
}

}  // namespace
}  // namespace spark::protocol
