#include "helpers/peers/record_told.hpp"

#include <chrono>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "fake/temporary_folder.hpp"
#include "helpers/peers/frames.hpp"
#include "protocol/peer_ask.hpp"

namespace spark::helpers {
namespace {

using protocol::NodeSigns;
using protocol::Recorded;
using protocol::RecordTold;
using protocol::Sign;
using protocol::Span;
using protocol::WallTime;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Le;

WallTime at(int second) { return WallTime(seconds(second)); }

constexpr Span kWindow{WallTime(seconds(100)), WallTime(seconds(200))};

NodeSigns some_record() {
  return {.node = "spark2",
          .covered = {{at(0), at(50)}, {at(60), at(120)}, {at(130), at(400)}, {at(401), at(500)}},
          .signs = {{.at = at(10), .sign = Sign::kCarrierLost, .link = "enp1s0f0np0"},
                    {.at = at(20), .sign = Sign::kEcho},
                    {.at = at(30), .sign = Sign::kMtuChanged, .lasted = seconds(5)},
                    {.at = at(40), .sign = Sign::kPeerSilent, .lasted = seconds(60)},
                    {.at = at(150), .sign = Sign::kXid, .text = "79"},
                    {.at = at(201), .sign = Sign::kCarrierLost}}};
}

RecordTold some_told() {
  return {.now = at(1000),
          .record = some_record(),
          .rails = protocol::RailsTold{
              .looked = at(990),
              .running = 1,
              .rails = {{.link = "enp1s0f0np0", .cage = 0, .rail = 1, .received = 5}}}};
}

std::string text_of(const RecordTold& told) {
  return json_text(document_of(protocol::kRecordToldSchema, told));
}

std::string why_not(const std::string& text) {
  const auto told = decode_record(text, "spark2");
  return told ? "" : told.error().what;
}

TEST(RecordTold, HasWhatSaysSomethingOfTheWindow) {
  const auto record = within(some_record(), kWindow);
  EXPECT_THAT(record.signs, ElementsAre(Field(&Recorded::at, at(10)),  // it has not ended
                                        Field(&Recorded::at, at(40)),  // until then
                                        Field(&Recorded::at, at(150))));
  EXPECT_THAT(record.covered, ElementsAre(Span{at(60), at(120)}, Span{at(130), at(400)}));
  EXPECT_EQ(record.node, "spark2");
}

TEST(RecordTold, IsOfTheFilesOfTheDaemonAsOfNow) {
  const test::TemporaryFolder folder;
  const auto nothing = record_told(folder.path(), kWindow);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().what, "no daemon has recorded anything there");
  const auto no_window = record_told(folder.path(), {});
  ASSERT_TRUE(no_window);
  EXPECT_EQ(no_window->rails, std::nullopt);

  std::ofstream(folder.path() / "record.json")
      << json_text(document_of(protocol::kRecordSchema, some_record()));
  std::ofstream(folder.path() / "rails.json")
      << json_text(document_of(protocol::kRailsSchema, *some_told().rails));
  const auto before = now().wall;
  const auto told = record_told(folder.path(), kWindow);
  ASSERT_TRUE(told) << told.error().what;
  EXPECT_THAT(told->record.signs, testing::SizeIs(3));
  EXPECT_EQ(told->rails, some_told().rails);
  EXPECT_THAT(before, Le(told->now));
  EXPECT_THAT(record_told(folder.path(), {})->record.signs, testing::IsEmpty());
  EXPECT_THAT(record_told(folder.path(), {})->rails->rails, testing::SizeIs(1));

  std::ofstream(folder.path() / "record.json") << "{}";
  EXPECT_FALSE(record_told(folder.path(), kWindow));
  std::ofstream(folder.path() / "record.json")
      << std::string(protocol::kMostRecordedBytes + 1, ' ');
  EXPECT_FALSE(record_told(folder.path(), kWindow));
}

TEST(RecordTold, ComesBackFromItsText) {
  const auto told = decode_record(text_of(some_told()), "spark2");
  ASSERT_TRUE(told) << told.error().what;
  EXPECT_EQ(*told, some_told());

  protocol::PeerAsk ask{.what = "record"};
  EXPECT_THAT(json_text(TextJsonWriter::write(ask)), testing::Not(HasSubstr("window")));
  ask.window = kWindow;
  const auto again = value_from_text<protocol::PeerAsk>(json_text(TextJsonWriter::write(ask)));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->window, kWindow);
}

TEST(RecordTold, OfAPeerThatSendsAnythingIsReadOrRefusedInWords) {
  EXPECT_THAT(why_not(""), HasSubstr("parse error"));
  EXPECT_THAT(why_not("{\"now_ms\":1}"), HasSubstr("/schema"));
  EXPECT_THAT(why_not(std::string(protocol::kMostRecordToldBytes + 1, '[')),
              HasSubstr("more than a node sends"));
  EXPECT_THAT(why_not(std::string(1000, '[')), HasSubstr("levels"));
  auto document = document_of(protocol::kRecordToldSchema, some_told());
  document["record"]["node"] = "spark9";
  EXPECT_THAT(why_not(json_text(document)), HasSubstr("of another node"));
  // What a later version calls a fault must not be passed over.
  document["record"]["node"] = "spark2";
  document["record"]["signs"][0]["sign"] = "moon_in_the_way";
  EXPECT_THAT(why_not(json_text(document)), HasSubstr("/record/signs/0/sign"));

  auto told = some_told();
  told.record.ahead = milliseconds(7);
  told.record.signs[0].text = std::string(5000, 'x') + "\x1b[2J";
  told.record.signs[0].peer = "spark\xff\n";
  told.rails->rails.resize(100);
  told.now = WallTime(milliseconds::max());
  auto too_many = told;
  too_many.record.signs.resize(protocol::kMostSigns + 1);
  EXPECT_THAT(why_not(text_of(too_many)), HasSubstr("more than a node sends"));
  const auto tamed = decode_record(text_of(told), "spark2");
  ASSERT_TRUE(tamed) << tamed.error().what;
  EXPECT_EQ(tamed->record.ahead, std::nullopt) << "that is measured";
  EXPECT_LE(tamed->record.signs[0].text.size(), 300U);
  EXPECT_EQ(tamed->record.signs[0].peer.find_first_of("\xff\n"), std::string::npos);
  EXPECT_EQ(tamed->rails->rails.size(), protocol::kMostRailsTold);
  EXPECT_LT(tamed->now, told.now) << "one can reckon with it";
  // No UTF-8 at all.
  EXPECT_NE(why_not("{\"schema\":\"\xff\"}"), "");
}

}  // namespace
}  // namespace spark::helpers
