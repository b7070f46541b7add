#include "state/journal.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::state {
namespace {

using testing::HasSubstr;

constexpr const char* kPath = "/var/lib/spark-reconcile/spark1/journal.json";
/// As every build since 0.2 writes and reads it.
constexpr const char* kText =
    R"({"applied":true,"before":{},"began_boot_ms":81000,"began_ms":1769851800000,"boot_id":"b1",)"
    R"("by":"alice","confirm_within_ms":60000,"digest":"3b55","file":"cluster.yaml",)"
    R"("id":"1769851800000-4711","ledger":{"mtu":{"enp1s0f0np0":{"original":"1500","ours":"9000"}}},)"
    R"("node":"spark1","over":null,"released":false,"schema":"spark-reconcile/journal/v1",)"
    R"("tables":{"enp1s0f0np0":{"index":2,"lines":["link enp1s0f0np0 up"]}},"text":"version: 1\n",)"
    R"("steps":[{"after":{"bytes":9000,"ends_ipv6":false,"ipv6_addresses":[],"layer":0,)"
    R"("link_local_mode":null,"lowered_with":[]},"before":{"bytes":1500,"ends_ipv6":false,)"
    R"("ipv6_addresses":[],"layer":0,"link_local_mode":null,"lowered_with":[]},)"
    R"("key":{"link":"enp1s0f0np0"},"kind":"mtu"}]})"
    "\n";

std::string text_with(const std::string& piece, const std::string& other) {
  std::string text = kText;
  return text.replace(text.find(piece), piece.size(), other);
}

std::string what_is_wrong_with(const std::string& text) {
  const auto journal = parse_journal(kPath, text);
  return journal ? "" : journal.error().what;
}

std::string written(const Journal& journal) {
  test::FakeHost host;
  EXPECT_TRUE(write_journal(host.files(), journal));
  return host.files().read(path_of(journal)).value().value();
}

TEST(JournalText, IsTheSameAfterItWasRead) {
  const auto journal = parse_journal(kPath, kText);
  ASSERT_TRUE(journal) << journal.error().what;
  EXPECT_EQ(journal->request.confirm_within, std::chrono::minutes(1));
  EXPECT_EQ(journal->after.at("mtu").at("enp1s0f0np0").original, "1500");
  ASSERT_EQ(journal->steps.size(), 1U);
  EXPECT_EQ(journal->steps[0].before, "1500");
  EXPECT_EQ(written(*journal), kText);
}

TEST(JournalText, HasTheInterruptedOneAsAText) {
  auto journal = parse_journal(kPath, kText);
  ASSERT_TRUE(journal);
  const auto over = beginning_after(*journal, *journal);
  ASSERT_TRUE(over);
  const auto again = parse_journal(kPath, written(*over));
  ASSERT_TRUE(again) << again.error().what;
  ASSERT_EQ(again->over.size(), 1U);
  EXPECT_EQ(written(again->over.front()), kText);
}

TEST(JournalText, OfAnEarlierBuildLacksWhatWasAddedSince) {
  const auto journal = parse_journal(
      kPath,
      R"({"applied":false,"before":{},"began_boot_ms":1,"began_ms":2,"boot_id":"","by":"",)"
      R"("confirm_within_ms":null,"digest":"","file":"","id":"1","ledger":{"fence":{"eth0":)"
      R"({"ours":"left alone"}}},"node":"spark1","schema":"spark-reconcile/journal/v1","steps":[],)"
      R"("text":""})");
  ASSERT_TRUE(journal) << journal.error().what;
  EXPECT_FALSE(journal->released);
  EXPECT_TRUE(journal->tables.empty());
  EXPECT_TRUE(journal->over.empty());
  EXPECT_TRUE(journal->after.contains("other_managers"));
}

TEST(JournalText, SaysWhereItIsDamaged) {
  EXPECT_THAT(what_is_wrong_with(R"({"schema":)"), HasSubstr("(parse error at line 1, column 11"));
  EXPECT_THAT(what_is_wrong_with(text_with("journal/v1", "journal/v2")),
              HasSubstr("newer version (at '/schema': expected 'spark-reconcile/journal/v1'): "));
  EXPECT_THAT(what_is_wrong_with(text_with("\"1500\"", "1500")),
              HasSubstr("(at '/ledger/mtu/enp1s0f0np0/original': expected a text)"));
  EXPECT_THAT(what_is_wrong_with(text_with("\"index\":2", "\"index\":\"x\"")),
              HasSubstr("(at '/tables/enp1s0f0np0/index': expected a number from"));
  EXPECT_THAT(what_is_wrong_with(text_with("{\"bytes\":9000", "{\"bytes\":-1")),
              HasSubstr("(step 0: mtu: at '/bytes': expected a number from 0"));
  EXPECT_THAT(what_is_wrong_with(text_with("\"over\":null", "\"over\":{}")),
              HasSubstr("(at '/over': expected a text)"));
  EXPECT_THAT(what_is_wrong_with(text_with("\"steps\"", "\"stops\"")),
              HasSubstr("(at '/steps': expected a list)"));
}

}  // namespace
}  // namespace spark::state
