#include "daemon/reconcile/active_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"
#include "protocol/paths.hpp"

namespace spark::daemon {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;

class ActiveConfigTest : public testing::Test {
 protected:
  ActiveConfigTest() { host_.files().put(protocol::kDefaultFile, test::pair_text()); }

  static Moment at(seconds boot) { return {.wall = {}, .boot = boot}; }
  void look(seconds boot) { file_.look(host_.files(), at(boot)); }
  /// As a transaction does it.
  void apply(ActiveConfig& file, seconds boot) {
    const auto text = file.candidate()->text;
    ASSERT_TRUE(state::tell_in_force(
        host_.files(),
        state::events::Applied{
            .digest = file.candidate()->cluster.digest, .settle = {}, .rejects = {}},
        text));
    ASSERT_TRUE(file.adopt(host_.files(), at(boot)));
  }

  test::FakeHost host_;
  ActiveConfig file_{protocol::kDefaultFile};
};

TEST_F(ActiveConfigTest, ComesIntoForceOnceItWasApplied) {
  look(seconds(1));
  EXPECT_EQ(file_.in_force(), nullptr);
  ASSERT_NE(file_.candidate(), nullptr);
  apply(file_, seconds(2));
  ASSERT_NE(file_.in_force(), nullptr);
  EXPECT_EQ(file_.candidate(), nullptr);
  look(seconds(3));
  EXPECT_EQ(file_.candidate(), nullptr);
}

TEST_F(ActiveConfigTest, OneThatFailsIsTriedFourTimes) {
  look(seconds(1));
  file_.fail("EBUSY", at(seconds(1)));
  EXPECT_EQ(file_.state().refused, "EBUSY");
  EXPECT_EQ(file_.next_try(), seconds(1 + 5));
  file_.fail("EBUSY", at(seconds(6)));
  EXPECT_EQ(file_.next_try(), seconds(6 + 10));
  file_.fail("EBUSY", at(seconds(16)));
  EXPECT_EQ(file_.next_try(), seconds(16 + 20));
  file_.fail("EBUSY", at(seconds(36)));
  EXPECT_FALSE(file_.next_try());
  EXPECT_EQ(file_.candidate(), nullptr);
  look(seconds(99));
  EXPECT_EQ(file_.candidate(), nullptr);
  host_.files().put(protocol::kDefaultFile, test::pair_text() + "# another\n");
  look(seconds(100));
  EXPECT_NE(file_.candidate(), nullptr);
  EXPECT_EQ(file_.next_try(), seconds(100)) << "at once";
}

TEST_F(ActiveConfigTest, OneThatFailsAndThenHoldsIsRefusedNoMore) {
  look(seconds(1));
  file_.fail("EBUSY", at(seconds(1)));
  look(seconds(6));
  apply(file_, seconds(6));
  EXPECT_THAT(file_.state().refused, IsEmpty());
}

TEST_F(ActiveConfigTest, OneThatChangesIsTriedOnceItStandsStill) {
  ActiveConfig file(protocol::kDefaultFile, {.settles_in = seconds(2)});
  file.look(host_.files(), at(seconds(1)));
  EXPECT_EQ(file.next_try(), seconds(0)) << "a boot does not wait";
  apply(file, seconds(1));
  host_.files().put(protocol::kDefaultFile, test::pair_text() + "# half");
  file.look(host_.files(), at(seconds(10)));
  EXPECT_EQ(file.next_try(), seconds(12));
  host_.files().put(protocol::kDefaultFile, test::pair_text() + "# half and half\n");
  file.look(host_.files(), at(seconds(11)));
  EXPECT_EQ(file.next_try(), seconds(13));
  file.look(host_.files(), at(seconds(13)));
  EXPECT_EQ(file.next_try(), seconds(13));
}

TEST_F(ActiveConfigTest, OneThatIsBeingWrittenIsNeitherTakenNorRefused) {
  Result<> may;
  ActiveConfig file(protocol::kDefaultFile,
                    {.check = [&](const std::string& /*path*/) { return may; }});
  file.look(host_.files(), at(seconds(1)));
  apply(file, seconds(1));
  host_.files().put(protocol::kDefaultFile, test::pair_text() + "# half");
  may = fail(ErrorCode::kBusy, "is being written");
  file.look(host_.files(), at(seconds(2)));
  EXPECT_EQ(file.candidate(), nullptr);
  EXPECT_THAT(file.state().refused, IsEmpty());
  may = {};
  file.look(host_.files(), at(seconds(3)));
  EXPECT_NE(file.candidate(), nullptr);
}

TEST_F(ActiveConfigTest, OneThatOthersCanWriteIsRefused) {
  Result<> may = fail(ErrorCode::kInvalid, "can be written by everybody");
  ActiveConfig file(protocol::kDefaultFile,
                    {.check = [&](const std::string& /*path*/) { return may; }});
  file.look(host_.files(), at(seconds(1)));
  EXPECT_EQ(file.candidate(), nullptr);
  EXPECT_EQ(file.state().refused, "can be written by everybody");
  may = {};
  file.look(host_.files(), at(seconds(2)));
  EXPECT_NE(file.candidate(), nullptr);
}

TEST_F(ActiveConfigTest, AnAbsentOneLeavesTheLastGoodOneInForce) {
  look(seconds(1));
  apply(file_, seconds(1));
  ASSERT_TRUE(host_.files().remove(protocol::kDefaultFile));
  look(seconds(2));
  EXPECT_NE(file_.in_force(), nullptr);
  EXPECT_EQ(file_.state().refused_first,
            std::string("'") + protocol::kDefaultFile + "' is not there");
}

TEST_F(ActiveConfigTest, OneThatWasChangedOnDiskIsNotUsed) {
  look(seconds(1));
  apply(file_, seconds(2));
  auto text = *host_.files().read(protocol::kInForceRecord).value();
  host_.files().put(protocol::kInForceRecord, text.replace(text.find("9000"), 4, "9001"));
  ActiveConfig later(protocol::kDefaultFile);
  later.look(host_.files(), at(seconds(3)));
  ASSERT_NE(later.in_force(), nullptr);
  EXPECT_EQ(later.in_force()->text, test::pair_text()) << "of the last good file";
  EXPECT_FALSE(later.damage().empty());
}

TEST_F(ActiveConfigTest, OneOfAnOlderVersionHasNoDigestAndIsUsed) {
  host_.files().put(protocol::kLastGoodFile, test::pair_text());
  look(seconds(1));
  EXPECT_NE(file_.in_force(), nullptr);
}

}  // namespace
}  // namespace spark::daemon
