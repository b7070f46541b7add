#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

NodeState following(std::optional<protocol::SourceFault> refused) {
  auto state = healthy();
  state.source = SourceState{.url = "https://git.example.org/lab.git", .branch = "main"};
  state.source->refused = std::move(refused);
  state.source->fault_since = at(1min);
  state.pass_at = at(2min);
  return state;
}

TEST(Conditions, TellWhatIsNotTakenFromGitWithItsWayOut) {
  EXPECT_EQ(names_of(following({})), "");
  const auto state = following(protocol::SourceFault{
      .id = "SR-GIT-022", .what = "the branch is at 1, which is older than 2"});
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkSourceRefused");
  EXPECT_EQ(alert.labels.at("fault"), "SR-GIT-022");
  EXPECT_THAT(alert.remedy, HasSubstr("follow --accept"));
  EXPECT_EQ(how_it_ended(alert, healthy()), "the repository is followed again");
}

TEST(Conditions, WaitForAServerThatIsAway) {
  auto state = following({});
  state.source->fetch = protocol::SourceFault{.id = "SR-GIT-001", .what = "could not fetch"};
  EXPECT_EQ(names_of(state), "");
  state.pass_at = at(12min);
  EXPECT_EQ(only_of(state).labels.at("fault"), "SR-GIT-001");
}

TEST(Conditions, DoNotCallTheFileRefusedBeforeTheFirstFetch) {
  auto state = following({});
  state.file.refused = state.file.refused_first = "nothing was fetched yet";
  state.file.refused_since = at(1min);
  EXPECT_EQ(names_of(state), "");
  state.source->waits =
      protocol::SourceFault{.id = "SR-GIT-001", .what = "nothing was fetched yet"};
  EXPECT_EQ(names_of(state), "");
  state.pass_at = at(12min);
  EXPECT_THAT(names_of(state), HasSubstr("SparkConfigRefused"));

  state = following(protocol::SourceFault{.id = "SR-GIT-024", .what = "commit 1 is not signed"});
  state.file.refused = state.file.refused_first = "nothing was accepted yet";
  state.file.refused_since = at(1min);
  EXPECT_THAT(names_of(state), HasSubstr("SparkConfigRefused"));

  state = following({});
  state.source->commit = "1a2b";
  state.file.refused = state.file.refused_first = "line 3: no such key";
  state.file.refused_since = at(1min);
  EXPECT_THAT(names_of(state), HasSubstr("SparkConfigRefused"));
}

}  // namespace
}  // namespace spark::daemon
