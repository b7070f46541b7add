// Single ways through the protocol, to read; tests/all_nodes walks all of them.

#include "all_nodes/machine.hpp"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::all_nodes {
namespace {

using testing::Contains;
using testing::Field;
using testing::IsEmpty;

/// Nodes that hear each other when the test says so.
class AllNodesMachine : public testing::Test {
 protected:
  AllNodesMachine() {
    for (const auto* node : {"spark1", "spark2", "spark3"}) nodes_[node].node = node;
  }

  static Terms terms(const std::string& id, const std::string& origin) {
    return {.id = id,
            .origin = origin,
            .by = "alice",
            .digest = "text of " + id,
            .nodes = {"spark1", "spark2", "spark3"}};
  }

  void tell(const std::string& node, const Event& event, bool may_decide = true) {
    nodes_[node] = step(nodes_[node], event, may_decide);
  }
  /// What each says reaches each of `those`, until nobody hears anything new.
  void hear(const std::vector<std::string>& those, bool may_decide = true) {
    for (std::map<std::string, State> before; before != nodes_;) {
      before = nodes_;
      for (const auto& from : those) {
        for (const auto& to : those) {
          const auto words = words_of(nodes_[from]);
          for (const auto& status : words.statuses)
            tell(to, events::HeardStatus{status}, may_decide);
          for (const auto& ordered : words.orders)
            tell(to, events::HeardOrder{from, ordered}, may_decide);
        }
      }
    }
  }
  void hear() { hear(kAll); }

  /// Up to the approval.
  void ask(const Terms& offer = terms("a", "spark1")) {
    tell(offer.origin, events::Asked{offer});
    for (const auto& node : kAll) tell(node, events::HeardOffer{offer});
    for (const auto& node : kAll) tell(node, events::Planned{offer.id, {}, {}});
    hear();
  }
  void go() {
    tell("spark1", events::Approved{"a"});
    hear();
  }
  void apply() {
    for (const auto& node : kAll) tell(node, events::Applied{"a"});
    hear();
  }
  void open(const std::string& node, bool may_decide = true) {
    tell(node, events::Judged{"a", true, {}, false}, may_decide);
  }
  [[nodiscard]] const Part& part(const std::string& node) const { return *nodes_.at(node).part; }
  [[nodiscard]] const Led& led(const std::string& node = "spark1") const {
    return *nodes_.at(node).led;
  }
  [[nodiscard]] Work work(const std::string& node) const { return work_of(nodes_.at(node)); }

  const std::vector<std::string> kAll{"spark1", "spark2", "spark3"};
  std::map<std::string, State> nodes_;
};

TEST_F(AllNodesMachine, AllKeepWhatIsOpenOnAll) {
  ask();
  EXPECT_EQ(work("spark2"), Work::kNone);
  go();
  EXPECT_EQ(work("spark2"), Work::kApply);
  tell("spark2", events::Applied{"a"});
  EXPECT_EQ(work("spark2"), Work::kNone);  // others have not applied it yet
  apply();
  EXPECT_EQ(work("spark2"), Work::kJudge);
  for (const auto& node : kAll) open(node);
  hear();
  EXPECT_EQ(led().order, Order::kKeep);
  EXPECT_EQ(work("spark1"), Work::kJudge);  // it is the last to be sure
  EXPECT_EQ(work("spark2"), Work::kKeep);
  tell("spark2", events::Kept{"a"});
  hear();
  EXPECT_EQ(work("spark1"), Work::kKeep);
  tell("spark1", events::Kept{"a"});
  EXPECT_TRUE(is_under_way(nodes_["spark1"]));  // spark3 may still have to hear of it
  EXPECT_FALSE(is_under_way(step(nodes_["spark1"], events::Expired{"a"}, true)));  // or never does
  tell("spark3", events::Kept{"a"});
  hear();
  for (const auto& node : kAll) EXPECT_FALSE(is_under_way(nodes_[node])) << node;
}

TEST_F(AllNodesMachine, AnOriginWhoseFileWasReplacedWaitsForNobody) {
  ask();
  go();
  apply();
  for (const auto& node : kAll) open(node);
  hear();
  tell("spark2", events::Kept{"a"});
  hear();
  ASSERT_EQ(work("spark1"), Work::kKeep);
  tell("spark1", events::WentBack{"a"});
  EXPECT_FALSE(is_under_way(nodes_["spark1"]));  // spark3 hears of it from spark2
}

TEST_F(AllNodesMachine, ARefusalIsTheEndForAll) {
  const auto offer = terms("a", "spark1");
  tell("spark1", events::Asked{offer});
  for (const auto& node : kAll) tell(node, events::HeardOffer{offer});
  tell("spark1", events::Planned{"a", {}, {}});
  tell("spark2", events::Planned{"a", "a trial is under way", {}});
  tell("spark3", events::Planned{"a", {}, {}});
  hear();
  EXPECT_EQ(led().order, Order::kBack);
  EXPECT_EQ(led().why, "spark2: a trial is under way");
  EXPECT_EQ(part("spark3").stage, Stage::kBack);
  tell("spark1", events::Approved{"a"});
  EXPECT_EQ(led().order, Order::kBack);
}

TEST_F(AllNodesMachine, NothingBeginsBeforeAllSaidYes) {
  const auto offer = terms("a", "spark1");
  tell("spark1", events::Asked{offer});
  tell("spark1", events::Planned{"a", {}, {}});
  tell("spark1", events::Approved{"a"});
  EXPECT_EQ(led().order, Order::kNone);
}

TEST_F(AllNodesMachine, AGateThatGetsWorseRollsAllBack) {
  ask();
  go();
  apply();
  open("spark1");
  tell("spark2", events::Judged{"a", false, "rail 1 has no carrier", true});
  hear();
  EXPECT_EQ(led().why, "spark2: rail 1 has no carrier");
  for (const auto& node : kAll) EXPECT_EQ(work(node), Work::kGoBack) << node;
}

TEST_F(AllNodesMachine, WhatIsNotYetOpenSaysWhy) {
  ask();
  go();
  apply();
  tell("spark2", events::Judged{"a", false, "rail 1 is in training", false});
  EXPECT_EQ(part("spark2").stage, Stage::kApplied);
  EXPECT_EQ(part("spark2").why, "rail 1 is in training");
}

TEST_F(AllNodesMachine, NothingIsDecidedTooLate) {
  ask();
  go();
  apply();
  for (const auto& node : kAll) open(node, false);
  hear(kAll, false);
  EXPECT_EQ(led().order, Order::kGo);
  tell("spark1", events::Cancelled{"a", "too late"}, false);
  EXPECT_EQ(led().order, Order::kBack);
  EXPECT_EQ(work("spark1"), Work::kGoBack);
  tell("spark2", events::Expired{"a"}, false);
  EXPECT_EQ(work("spark2"), Work::kGoBack);
}

TEST_F(AllNodesMachine, TheLowerOneOfTwoOffersYields) {
  const auto lower = terms("a", "spark1");
  const auto higher = terms("b", "spark2");
  tell("spark1", events::Asked{lower});
  tell("spark2", events::Asked{higher});
  tell("spark3", events::HeardOffer{lower});
  tell("spark3", events::HeardOffer{higher});
  EXPECT_EQ(part("spark3").terms.id, "a");
  tell("spark1", events::HeardOffer{higher});
  tell("spark2", events::HeardOffer{lower});
  hear();
  EXPECT_EQ(led("spark1").why,
            "alice on spark2 asks for another file at the same time, and this one yields");
  EXPECT_THAT(
      nodes_["spark2"].refused,
      Contains(Field(&Status::why, "spark2 offers another file at the same time (by alice)")));
  for (const auto& node : kAll) EXPECT_EQ(part(node).terms.id, "b") << node;
}

TEST_F(AllNodesMachine, WhoHasBegunRefusesAnother) {
  ask();
  go();
  tell("spark3", events::HeardOffer{terms("b", "spark2")});
  EXPECT_THAT(nodes_["spark3"].refused,
              Contains(Field(&Status::why, "the file of alice on spark1 is under way")));
  tell("spark1", events::Asked{terms("c", "spark1")});
  EXPECT_EQ(led().terms.id, "a");
}

TEST_F(AllNodesMachine, WhatWaitsEndsByTheWordOfItsOriginAlone) {
  tell("spark3", events::HeardOffer{terms("a", "spark1")});
  tell("spark3", events::HeardOffer{terms("b", "spark2")});
  const Ordered back{"b", "text of b", Order::kBack, {}};
  tell("spark3", events::HeardOrder{"spark1", back});
  EXPECT_TRUE(nodes_["spark3"].waits);
  tell("spark3", events::HeardOrder{"spark2", back});
  EXPECT_FALSE(nodes_["spark3"].waits);
}

TEST_F(AllNodesMachine, WhoAsksAgainGivesUpWhatWasBefore) {
  ask();
  tell("spark1", events::Cancelled{"a", "alice said no"});
  tell("spark1", events::Asked{terms("0", "spark1")});
  tell("spark2", events::HeardOffer{terms("0", "spark1")});
  EXPECT_EQ(part("spark2").terms.id, "0");
}

TEST_F(AllNodesMachine, AnotherTextUnderTheSameIdIsRefused) {
  ask();
  tell("spark2", events::HeardOrder{"spark1", {"a", "another text", Order::kGo, {}}});
  EXPECT_EQ(part("spark2").stage, Stage::kRefused);
  tell("spark3", events::HeardOrder{"spark2", {"a", "text of a", Order::kGo, {}}});
  EXPECT_EQ(part("spark3").stage, Stage::kYes);  // not its origin's word
}

TEST_F(AllNodesMachine, ARebootOfTheOriginForcesNothing) {
  ask();
  go();
  apply();
  for (const auto& node : kAll) open(node);
  hear({"spark1"});
  for (const auto* node : {"spark2", "spark3"}) {
    tell("spark1", events::HeardStatus{words_of(nodes_[node]).statuses.back()});
  }
  ASSERT_EQ(led().order, Order::kKeep);
  tell("spark1", events::Restarted{true});
  EXPECT_THAT(words_of(nodes_["spark1"]).orders, IsEmpty());
  tell("spark1", events::Expired{"a"});
  EXPECT_EQ(work("spark1"), Work::kGoBack);
}

/// As where its daemon was stopped between the decision and the first word of it.
TEST_F(AllNodesMachine, AnOriginThatIsLateKeepsNothingThatAllOthersWentBackFrom) {
  ask();
  go();
  apply();
  for (const auto& node : kAll) open(node);
  const std::vector<std::string> others{"spark2", "spark3"};
  for (const auto& node : others)
    tell("spark1", events::HeardStatus{words_of(nodes_[node]).statuses.back()});
  ASSERT_EQ(led().order, Order::kKeep);
  for (const auto& node : others) {
    tell(node, events::Expired{"a"});
    tell(node, events::WentBack{"a"});
  }
  tell("spark1", events::Restarted{false});
  tell("spark1", events::HeardStatus{words_of(nodes_["spark2"]).statuses.back()});
  auto one_unheard = nodes_["spark1"];
  tell("spark1", events::HeardStatus{words_of(nodes_["spark3"]).statuses.back()});
  tell("spark1", events::Expired{"a"});
  EXPECT_EQ(work("spark1"), Work::kGoBack);
  one_unheard = step(one_unheard, events::Expired{"a"}, false);
  EXPECT_EQ(work_of(one_unheard), Work::kKeep) << "it may be kept there";
}

TEST_F(AllNodesMachine, ARebootedOriginKeepsWhatAnotherKept) {
  ask();
  go();
  apply();
  for (const auto& node : kAll) open(node);
  hear();
  tell("spark1", events::Restarted{true});
  tell("spark2", events::Kept{"a"});
  hear();
  EXPECT_EQ(work("spark1"), Work::kKeep);
  EXPECT_THAT(words_of(nodes_["spark1"]).orders, Contains(Field(&Ordered::order, Order::kKeep)));
}

TEST_F(AllNodesMachine, ARestartEndsWhatIsNotApplied) {
  ask();
  tell("spark2", events::Restarted{false});
  EXPECT_EQ(part("spark2").stage, Stage::kBack);
  hear();
  EXPECT_EQ(led().why, "spark2: the daemon was restarted");
}

TEST_F(AllNodesMachine, ARestartGoesBackFromWhatHadBegunAndLeavesWhatIsApplied) {
  ask();
  go();
  tell("spark2", events::Applied{"a"});
  for (const auto* node : {"spark2", "spark3"}) tell(node, events::Restarted{true});
  EXPECT_EQ(part("spark2").stage, Stage::kApplied);
  EXPECT_EQ(work("spark2"), Work::kNone);
  EXPECT_EQ(work("spark3"), Work::kGoBack);
  tell("spark1", events::Restarted{false});
  EXPECT_EQ(led().why, "the daemon of spark1 was restarted before the decision");
}

}  // namespace
}  // namespace spark::all_nodes
