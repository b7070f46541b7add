#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "helpers/peers/frames.hpp"
#include "unit/helpers/peers/a_key.hpp"

namespace spark::helpers {
namespace {

using testing::HasSubstr;

protocol::Hello a_hello() {
  return {.cluster = "lab",
          .node = "spark2",
          .cage = 1,
          .rail = 1,
          .boot = "0123456789abcdef",
          .sequence = 4711,
          .file = "fedcba9876543210",
          .candidate = "00112233",
          .verdict = "not ready",
          .mtu = 9000,
          .details = "8899aabbccddeeff"};
}

/// A frame of a hello with another value of that key, as a node with other code might send it.
std::string frame_with(const std::string& key, const nlohmann::json& value) {
  auto document = TextJsonWriter::write(a_hello());
  document[key] = value;
  return "SPARKHI1" + json_text(document);
}

TEST(HelloFrame, ComesBackAsItWas) {
  const auto hello = decode_hello(encode_hello(a_hello()));
  ASSERT_TRUE(hello);
  EXPECT_EQ(*hello, a_hello());
}

TEST(HelloFrame, WhatEthernetPadsIsPassedOver) {
  const auto hello = decode_hello(encode_hello(a_hello()) + std::string(40, '\0'));
  ASSERT_TRUE(hello);
  EXPECT_EQ(*hello, a_hello());
}

TEST(HelloFrame, KeysOfALaterVersionArePassedOver) {
  EXPECT_TRUE(decode_hello(frame_with("new", {1, 2})));
}

TEST(HelloFrame, AnotherMagicIsNoHello) {
  auto frame = encode_hello(a_hello());
  frame[7] = '2';
  EXPECT_FALSE(decode_hello(frame));
  EXPECT_FALSE(decode_hello(""));
  EXPECT_FALSE(decode_hello("SPARKHI"));
  EXPECT_FALSE(decode_hello("SPARKHI1"));
  EXPECT_FALSE(decode_hello("SPARKHI1" + std::string(38, '\0')));
  EXPECT_FALSE(decode_hello("SPARKHI1{"));
}

TEST(HelloFrame, OneThatIsTooLongIsNeitherMadeNorTaken) {
  auto hello = a_hello();
  hello.verdict = std::string(400, 'x');
  EXPECT_EQ(encode_hello(hello), "");
  const auto frame = encode_hello(a_hello());
  const auto longest = frame + std::string(protocol::kMostHelloBytes - frame.size(), '\0');
  EXPECT_TRUE(decode_hello(longest));
  EXPECT_FALSE(decode_hello(longest + '\0'));
}

TEST(HelloFrame, TheLongestNamesFit) {
  auto hello = a_hello();
  hello.cluster = std::string(63, 'c');
  hello.node = std::string(63, 'n');
  hello.candidate = hello.file;
  hello.verdict = "action required";
  EXPECT_EQ(decode_hello(encode_hello(hello)), hello);
}

TEST(HelloFrame, WithAKeyItIsThatOfANodeWithTheSameOne) {
  using protocol::KeyFault;
  const auto key = test::a_key();
  const auto other = test::another_key();
  const auto frame = encode_hello(a_hello(), &key);
  EXPECT_EQ(decode_hello(frame), a_hello()) << "a version without keys reads it too";
  EXPECT_EQ(key_fault(frame, &key), KeyFault::kNone);
  EXPECT_EQ(key_fault(frame + std::string(40, '\0'), &key), KeyFault::kNone) << "padded";
  EXPECT_EQ(key_fault(frame, &other), KeyFault::kAnother);
  EXPECT_EQ(key_fault(frame, nullptr), KeyFault::kAsked);
  const auto plain = encode_hello(a_hello());
  EXPECT_EQ(key_fault(plain, &key), KeyFault::kMissing);
  EXPECT_EQ(key_fault(plain, nullptr), KeyFault::kNone);
}

TEST(HelloFrame, EachOfItsBytesIsBoundToTheKey) {
  const auto key = test::a_key();
  const auto frame = encode_hello(a_hello(), &key);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    auto changed = frame;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(key_fault(changed, &key), protocol::KeyFault::kNone) << i;
    EXPECT_NE(key_fault(frame.substr(0, i), &key), protocol::KeyFault::kNone) << i;
    auto shorter = frame;
    shorter.erase(i, 1);
    EXPECT_NE(key_fault(shorter, &key), protocol::KeyFault::kNone) << i;
  }
  EXPECT_NE(key_fault(frame + "}", &key), protocol::KeyFault::kNone);
  EXPECT_NE(key_fault("", &key), protocol::KeyFault::kNone);
}

TEST(HelloFrame, TheLongestNamesFitBesideAMac) {
  const auto key = test::a_key();
  auto hello = a_hello();
  hello.cluster = std::string(63, 'c');
  hello.node = std::string(63, 'n');
  hello.sequence = 9'999'999'999'999;
  hello.candidate = hello.file;
  hello.verdict = "action required";
  const auto frame = encode_hello(hello, &key);
  EXPECT_EQ(decode_hello(frame), hello);
  EXPECT_EQ(key_fault(frame, &key), protocol::KeyFault::kNone);
}

TEST(HelloFrame, NamesThatNoHostHasAreRefused) {
  for (const auto* key : {"node", "cluster"}) {
    for (const auto* name : {"", "a b", "\x1b[2J", "a\n", "\x7f", "sp\xc3\xa4rk", "a\tb"}) {
      EXPECT_FALSE(decode_hello(frame_with(key, name))) << key << " " << name;
    }
    EXPECT_FALSE(decode_hello(frame_with(key, std::string(64, 'x')))) << key;
    EXPECT_FALSE(decode_hello(frame_with(key, {{"hex", "1b5b324a"}}))) << key;
  }
}

TEST(HelloFrame, NumbersThatNoSparkHasAreRefused) {
  for (const auto* key : {"cage", "rail"}) {
    EXPECT_TRUE(decode_hello(frame_with(key, 7))) << key;
    for (const auto& value : {nlohmann::json(-1), nlohmann::json(8), nlohmann::json(1.5),
                              nlohmann::json(std::uint64_t{1} << 40U)}) {
      EXPECT_FALSE(decode_hello(frame_with(key, value))) << key << value;
    }
  }
  EXPECT_TRUE(decode_hello(frame_with("mtu", 65'536)));
  EXPECT_FALSE(decode_hello(frame_with("mtu", 65'537)));
  EXPECT_FALSE(decode_hello(frame_with("seq", -1)));
}

TEST(HelloFrame, OtherTextsAreShortAndTamed) {
  for (const auto* key : {"boot", "file", "candidate", "verdict", "details"}) {
    EXPECT_TRUE(decode_hello(frame_with(key, std::string(64, 'x')))) << key;
    EXPECT_FALSE(decode_hello(frame_with(key, std::string(65, 'x')))) << key;
  }
  const auto hello = decode_hello(frame_with("verdict", "\x1b[2J\xc3\xa4ready\u202e"));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->verdict, "\\x1b[2Jready\\u202e");
  const auto wild = decode_hello(frame_with("verdict", std::string(30, '\x1b')));
  ASSERT_TRUE(wild);
  EXPECT_EQ(wild->verdict.size(), 64U);
  EXPECT_EQ(decode_hello(encode_hello(*wild)), wild) << "what is tame stays as it is";
}

protocol::NodeDetails some_details() {
  protocol::NodeDetails details{.cluster = "lab", .node = "spark2", .version = "0.2.0"};
  details.reasons = {"rail 0 has no carrier"};
  details.rails = {{.link = "enp1s0f0np0",
                    .mac = "02:00:00:00:00:01",
                    .mtu = 9000,
                    .ip = IpAddress::parse("192.0.2.2"),
                    .device = "rocep1s0f0",
                    .port = 1,
                    .carrier = true}};
  details.peers_version = 1;
  details.heard = {{.node = "spark3", .boot = "0a", .file = "1b", .verdict = "ready"}};
  details.problems = {{.id = "SR-GATE-016",
                       .name = "cabling",
                       .detail = protocol::Detail::kWrongEnd,
                       .link = "enp1s0f0np0",
                       .peers = {"spark3"},
                       .plug = protocol::Plug{.node = "spark4", .cage = 1},
                       .macs = {"02:00:00:00:00:02"},
                       .measured = "it leads to spark4:1"}};
  return details;
}

std::string text_of(const protocol::NodeDetails& details) {
  return json_text(document_of(protocol::kDetailsSchema, details));
}

TEST(DetailsOfAPeer, ComeBackAsTheyWere) {
  const auto details = decode_details(text_of(some_details()));
  ASSERT_TRUE(details) << details.error().what;
  EXPECT_EQ(*details, some_details());
}

TEST(DetailsOfAPeer, OfAnOlderVersionMayLackAllButTheNames) {
  const auto details =
      decode_details(R"({"schema":"spark-reconcile/details/v1","cluster":"lab","node":"spark2"})");
  ASSERT_TRUE(details) << details.error().what;
  EXPECT_EQ(details->peers_version, 0U);
}

TEST(DetailsOfAPeer, TooManyRailsAndReasonsAreCut) {
  auto many = some_details();
  many.rails.resize(20, many.rails.front());
  many.reasons.assign(20, "a reason");
  many.heard.resize(20, many.heard.front());
  many.reach.assign(protocol::kMostReach + 1, {.node = "spark3"});
  many.verdicts.assign(protocol::kMostVerdictsTold + 1, {.verdict = "ready"});
  many.problems.resize(protocol::kMostProblems + 1, many.problems.front());
  const auto details = decode_details(text_of(many));
  ASSERT_TRUE(details) << details.error().what;
  EXPECT_EQ(details->rails.size(), 8U);
  EXPECT_EQ(details->reasons.size(), protocol::kMostReasons);
  EXPECT_EQ(details->heard.size(), protocol::kMostPassedOn);
  EXPECT_EQ(details->reach.size(), protocol::kMostReach);
  EXPECT_EQ(details->verdicts.size(), protocol::kMostVerdictsTold);
  EXPECT_EQ(details->problems.size(), protocol::kMostProblems);
}

TEST(DetailsOfAPeer, HaveRoomForEightProblemsWithEightPeersEach) {
  auto many = some_details();
  many.rails.resize(4, many.rails.front());
  for (auto& rail : many.rails) rail.fault = std::string(300, 'x');
  many.reach.assign(16, {.node = "spark3"});
  many.verdicts.assign(protocol::kMostVerdictsTold,
                       {.verdict = "not ready", .since = "2031-04-05T06:07:08Z"});
  auto& problem = many.problems.front();
  problem.measured = std::string(300, 'x');
  problem.peers.assign(8, "spark-of-the-second-rack-17");
  many.problems.resize(protocol::kMostProblems, problem);
  const auto text = text_of(many);
  EXPECT_LE(text.size(), protocol::kMostDetailsBytes);
  const auto details = decode_details(text);
  ASSERT_TRUE(details) << details.error().what;
  EXPECT_EQ(*details, many);
}

TEST(DetailsOfAPeer, NoControlCharacterOfItsTextsIsLeft) {
  const std::string evil = "\x1b[2J\a\u202e\xc3\xa4" + std::string(420, 'x');
  protocol::NodeDetails wild{
      .cluster = "lab",
      .node = "spark2",
      .version = evil,
      .boot_id = evil,
      .machine = evil,
      .kernel = evil,
      .file = evil,
      .candidate = evil,
      .verdict = evil,
      .reasons = {evil},
      .rails = {{.link = evil, .mac = evil, .device = evil, .fault = evil}},
      .heard = {{.node = evil}, {.node = "spark3", .file = evil, .verdict = evil}},
      .firmware = evil,
      .driver = evil,
      .dgx_os = evil,
      .gpu_driver = evil,
      .memlock = evil,
      .host_nqn = evil,
      .reach = {{.node = evil}},
      .verdicts = {{.verdict = evil, .since = evil}},
      .problems = {{.id = evil,
                    .name = evil,
                    .link = evil,
                    .subject = evil,
                    .peers = {evil, "spark3"},
                    .plug = protocol::Plug{.node = evil, .cage = 0},
                    .macs = {evil},
                    .measured = evil}}};
  const auto details = decode_details(text_of(wild));
  ASSERT_TRUE(details) << details.error().what;
  const auto& rail = details->rails.at(0);
  EXPECT_TRUE(details->reach.empty());
  ASSERT_EQ(details->heard.size(), 1U) << "what names no node is left out";
  const auto& passed = details->heard.at(0);
  const auto& stood = details->verdicts.at(0);
  const auto& problem = details->problems.at(0);
  EXPECT_EQ(problem.peers, std::vector<std::string>{"spark3"});
  EXPECT_FALSE(problem.plug);
  for (const auto* text : {&details->version,   &details->boot_id,
                           &details->machine,   &details->kernel,
                           &details->file,      &details->candidate,
                           &details->verdict,   &details->reasons.at(0),
                           &rail.link,          &rail.mac,
                           &rail.device,        &rail.fault,
                           &passed.file,        &passed.verdict,
                           &details->firmware,  &details->driver,
                           &details->dgx_os,    &details->gpu_driver,
                           &details->memlock,   &details->host_nqn,
                           &stood.verdict,      &stood.since,
                           &problem.id,         &problem.name,
                           &problem.link,       &problem.subject,
                           &problem.macs.at(0), &problem.measured}) {
    EXPECT_TRUE(std::ranges::all_of(*text, [](char c) { return c >= ' ' && c <= '~'; })) << *text;
    EXPECT_LE(text->size(), 300U);
    EXPECT_THAT(*text, HasSubstr("\\x1b[2J"));
  }
  EXPECT_EQ(details->version.size(), 64U);
}

TEST(DetailsOfAPeer, WhatNamesNoNodeIsRefused) {
  auto nameless = some_details();
  nameless.node = "\x1b[2J";
  EXPECT_EQ(decode_details(text_of(nameless)).error().what, "it names no node");
  nameless.node = "";
  EXPECT_FALSE(decode_details(text_of(nameless)));
}

TEST(DetailsOfAPeer, AnotherSchemaAndTooMuchAreRefused) {
  EXPECT_FALSE(
      decode_details(R"({"schema":"spark-reconcile/details/v2","cluster":"a","node":"b"})"));
  EXPECT_FALSE(decode_details("[]"));
  EXPECT_FALSE(decode_details(""));
  const auto text = text_of(some_details());
  const auto most = text + std::string(protocol::kMostDetailsBytes - text.size(), ' ');
  EXPECT_TRUE(decode_details(most));
  const auto refused = decode_details(most + ' ');
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace spark::helpers
