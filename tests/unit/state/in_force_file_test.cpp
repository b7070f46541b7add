// The record of what is in force on disk: what 0.2.0 left is taken over, once and each time that
// somebody went back to it, and it finds its own good file.

#include "state/in_force_file.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"

namespace spark::state {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kDigests = "/var/lib/spark-reconcile/last-good.sha256";
constexpr const char* kTrial = "/var/lib/spark-reconcile/trial.json";
constexpr const char* kBad = "/var/lib/spark-reconcile/bad-files.json";

class InForceFileTest : public testing::Test {
 protected:
  host::Files& files() { return host_.files(); }
  InForceFile read() { return read_in_force(files()).value(); }
  void tell(const InForceEvent& event, const std::string& text = {}) {
    ASSERT_TRUE(tell_in_force(files(), event, text));
  }
  void applied(const std::string& text) {
    tell(events::Applied{.digest = sha256_of(text), .settle = {}, .rejects = {}}, text);
  }

  static Generation generation_of(const std::string& text) {
    Generation generation;
    generation.digest = sha256_of(text);
    generation.at = "2026-01-31T09:30:00Z";
    return generation;
  }

  // What 0.2.0 writes.
  void earlier_is_good(const std::string& text) {
    const auto former = files().read(protocol::kLastGoodFile).value();
    host_.files().put(kDigests, sha256_of(text) + "\n" + (former ? sha256_of(*former) + "\n" : ""));
    host_.files().put(protocol::kLastGoodFile, text);
  }
  void earlier_tries(const std::string& text) {
    ASSERT_TRUE(add_to_history(files(), "spark1", generation_of(text), text));
    host_.files().put(
        kTrial,
        fmt::format(
            R"({{"digest": "{}", "held": ["SR-GATE-002 enp1s0f0np0 192.0.2.11"], "settle_ms": 5}})",
            sha256_of(text)));
  }
  void earlier_found_bad(const std::string& text) {
    host_.files().put(
        kBad, fmt::format(R"({{"files": [{{"digest": "{}", "why": "mtu", "at": "2026-01-31"}}]}})",
                          sha256_of(text)));
  }
  /// As it judges a file by its digests.
  [[nodiscard]] bool earlier_uses_it() {
    const auto text = files().read(protocol::kLastGoodFile).value();
    const auto digests = files().read(kDigests).value();
    return text && digests && digests->contains(sha256_of(*text) + "\n");
  }
  std::vector<std::string> bad() {
    std::vector<std::string> texts;
    for (const auto& one : read().state.bad) {
      for (const auto* text : {"a", "b", "c"}) {
        if (sha256_of(text) == one.digest) texts.emplace_back(text);
      }
    }
    return texts;
  }

  test::FakeHost host_;
};

TEST_F(InForceFileTest, WritesNothingWhereNothingChanges) {
  tell(events::Withdrawn{});
  EXPECT_THAT(host_.files().all(), IsEmpty());
  applied("a");
  const auto before = host_.files().all();
  applied("a");
  EXPECT_EQ(host_.files().all(), before);
}

TEST_F(InForceFileTest, WhatAllNodesHaveOnTrialEndsAsTheyDecide) {
  const auto is_offered = [&](const std::string& text) {
    tell(
        events::Applied{
            .digest = sha256_of(text), .settle = milliseconds(0), .rejects = {}, .offer = "1f"},
        text);
  };
  applied("a");
  is_offered("b");
  const FactsSeen seen{.held = {{.id = "SR-GATE-002", .link = "enp1s0f0np0", .subject = {}}},
                       .failed = {}};
  tell(events::Looked{seen, Trend::kSame});
  tell(events::Settled{.why = {}, .at = {}, .seen = seen});
  tell(events::SourceStopped{});
  tell(events::Decided{.offer = "another", .bad = {}, .seen = {}});
  ASSERT_TRUE(read().state.trial);
  EXPECT_EQ(read().state.trial->offer, "1f");

  const BadFile went_back{
      .digest = sha256_of("b"), .why = "spark2: mtu", .at = "now", .by = "alice"};
  tell(events::Decided{.offer = "1f", .bad = went_back, .seen = {}});
  EXPECT_EQ(read().state.digest(), sha256_of("a"));
  EXPECT_TRUE(read().state.returns);
  EXPECT_THAT(bad(), ElementsAre("b"));

  // The same text, offered again, is another try.
  auto file = read();
  ASSERT_TRUE(
      tell_in_force(files(), file, events::Offered{{sha256_of("b"), milliseconds(0), "2e"}}));
  EXPECT_TRUE(file.state.candidate);
  is_offered("b");
  tell(events::Decided{.offer = "1f", .bad = {}, .seen = seen});
  EXPECT_EQ(read().state.good, sha256_of("b"));
  EXPECT_EQ(read().state.seen, seen);
  EXPECT_FALSE(read().state.trial);
  EXPECT_THAT(bad(), IsEmpty());
}

TEST_F(InForceFileTest, TakesOverTheGoodFileTheTrialAndTheBadOnesOnce) {
  earlier_is_good("a");
  earlier_tries("b");
  earlier_found_bad("c");
  const auto taken = read();
  EXPECT_EQ(taken.state.good, sha256_of("a"));
  ASSERT_TRUE(taken.state.trial);
  EXPECT_EQ(*taken.text(), "b");
  EXPECT_EQ(taken.state.trial->settle, milliseconds(5));
  EXPECT_THAT(taken.state.seen->held,
              ElementsAre(FactKey{"SR-GATE-002", "enp1s0f0np0", "192.0.2.11"}));
  EXPECT_THAT(bad(), ElementsAre("c"));
  tell(events::Withdrawn{});
  EXPECT_FALSE(files().read(kTrial).value());
  EXPECT_FALSE(files().read(kBad).value());
  EXPECT_EQ(read().state, taken.state);
  EXPECT_TRUE(earlier_uses_it());
}

// As 0.2.0 and all since have them.
TEST_F(InForceFileTest, FactsHaveTheirKeysAsTexts) {
  applied("a");
  const FactsSeen seen{
      .held = {{"SR-GATE-002", "enp1s0f0np0", "192.0.2.11"}, {"SR-GATE-013", "", "/mnt/two words"}},
      .failed = {{"SR-GATE-015", "", ""}}};
  tell(events::Looked{.seen = seen, .trend = Trend::kSame});
  EXPECT_THAT(
      *files().read(protocol::kInForceRecord).value(),
      AllOf(HasSubstr(R"("SR-GATE-002 enp1s0f0np0 192.0.2.11")"),
            HasSubstr(R"("SR-GATE-013  /mnt/two words")"), HasSubstr(R"("SR-GATE-015  ")")));
  EXPECT_EQ(read().state.seen, seen);
}

TEST_F(InForceFileTest, WhatSomebodyRolledBackWithTheEarlierVersionStaysAside) {
  earlier_is_good("a");
  auto generation = generation_of("b");
  generation.outcome = Generation::Outcome::kRolledBackByHand;
  ASSERT_TRUE(add_to_history(files(), "spark1", generation, "b"));
  EXPECT_THAT(bad(), ElementsAre("b"));
}

TEST_F(InForceFileTest, GoesOnWithWhatTheEarlierVersionDidWhereSomebodyWentBackToIt) {
  applied("a");
  tell(events::NotApplied{BadFile{.digest = sha256_of("c"), .why = "mtu", .at = "2026-01-30"}});
  ASSERT_TRUE(earlier_uses_it());
  earlier_is_good("b");
  EXPECT_EQ(read().state.good, sha256_of("b"));
  EXPECT_THAT(bad(), ElementsAre("c")) << "that is not forgotten";
  tell(events::Withdrawn{});
  EXPECT_EQ(*read().text(), "b");
  EXPECT_FALSE(read().is_of_earlier_version);

  earlier_tries("a");
  EXPECT_EQ(read().state.digest(), sha256_of("a"));
  tell(events::Rejected{
      BadFile{.digest = sha256_of("a"), .why = kWhyRolledBack, .at = "2026-01-31"}});
  EXPECT_EQ(*read().text(), "b");
  EXPECT_THAT(bad(), ElementsAre("c", "a"));

  earlier_found_bad("c");
  tell(events::Withdrawn{});
  EXPECT_EQ(*read().text(), "b");
  EXPECT_THAT(bad(), ElementsAre("a", "c"));
}

// The record is on disk, and what it was taken over from is still there.
TEST_F(InForceFileTest, ACutAfterTheRecordTakesOverNothingThatIsOver) {
  for (const auto trend : {Trend::kSame, Trend::kWorse}) {
    host_.files().erase(protocol::kInForceRecord);
    earlier_is_good("a");
    earlier_tries("b");
    const auto trial = *files().read(kTrial).value();
    auto file = read();
    ASSERT_TRUE(tell_in_force(files(), file, events::Looked{.seen = {}, .trend = trend}));
    ASSERT_TRUE(tell_in_force(files(), file, events::Settled{.why = "mtu", .at = "2026-01-31"}));
    host_.files().put(kTrial, trial);
    EXPECT_EQ(*read().text(), trend == Trend::kSame ? "b" : "a");
    EXPECT_FALSE(read().state.trial);
  }
}

TEST_F(InForceFileTest, OneThatWasChangedOnDiskIsKeptBesideTheNextAndNotUsed) {
  tell(events::Rejected{rolled_back(sha256_of("c"), "me", {})});
  applied("a");
  auto text = *files().read(protocol::kInForceRecord).value();
  host_.files().put(protocol::kInForceRecord, text.replace(text.find("\"a\""), 3, "\"z\""));
  EXPECT_EQ(*read().text(), "a") << "of the last good file beside it";
  EXPECT_TRUE(read().state.find_bad(sha256_of("c")));
  EXPECT_THAT(read().damage, Not(IsEmpty()));
  applied("b");
  EXPECT_EQ(*read().text(), "b");
  EXPECT_THAT(read().damage, IsEmpty());
  EXPECT_EQ(files().read(std::string(protocol::kInForceRecord) + ".damaged").value(), text);
}

TEST_F(InForceFileTest, WhereNothingOfItCanBeReadTheLastGoodFileIsInForce) {
  applied("a");
  host_.files().put(protocol::kInForceRecord, "{");
  EXPECT_EQ(*read().text(), "a");
  host_.files().put(protocol::kLastGoodFile, "b");
  EXPECT_EQ(read().text(), nullptr) << "nor is that one as it was kept";
  EXPECT_THAT(read().damage, Not(IsEmpty()));
}

}  // namespace
}  // namespace spark::state
