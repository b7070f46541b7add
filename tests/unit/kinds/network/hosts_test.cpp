#include "kinds/network/hosts.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::kinds {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kHosts = "/etc/hosts";
constexpr const char* kLocal = "127.0.0.1 localhost\n";
constexpr const char* kBlock =
    "# begin spark-reconcile: from cluster.yaml, edits here are overwritten\n"
    "192.0.2.12 spark2\n"
    "# end spark-reconcile\n";

class HostsTest : public testing::Test {
 protected:
  /// What is observed of a file with this text, for a node that wants a block.
  Observed<Hosts> observe(const std::string& text) {
    host_.files().put(kHosts, text);
    auto ports = host_.host();
    host::View view(ports);
    Desired<Hosts> wanted;
    wanted.want({kHosts}, {{.lines = "192.0.2.12 spark2\n"}}, {});
    return Hosts::observe(view, wanted, {config::Node{}, Ledger{}}).value();
  }

  /// The file after the block became `value`, or was removed.
  std::optional<std::string> after(const std::string& text,
                                   const std::optional<Stated<Hosts>>& value) {
    host_.files().put(kHosts, text);
    auto ports = host_.host();
    EXPECT_TRUE(Hosts::apply({{kHosts}, std::nullopt, value}, ports));
    return host_.files().read(kHosts).value();
  }

  test::FakeHost host_;
};

TEST_F(HostsTest, FindsTheBlockWhateverFollowsItsMarkers) {
  for (const auto* after : {"", ":", ": another text", " by hand", "\r"}) {
    const auto observed = observe(std::string(kLocal) + "# begin spark-reconcile" + after +
                                  "\n192.0.2.12 spark2\n# end spark-reconcile" + after + "\n");
    ASSERT_TRUE(observed.state.contains({kHosts})) << after;
    EXPECT_EQ(observed.state.at({kHosts}).lines, "192.0.2.12 spark2\n") << after;
  }
}

TEST_F(HostsTest, TakesALineThatOnlyBeginsLikeAMarkerForNone) {
  const std::string theirs =
      "# begin spark-reconcilex\n203.0.113.1 printer\n# end spark-reconciled\n";
  EXPECT_TRUE(observe(theirs).state.empty());
  EXPECT_TRUE(observe(theirs).skipped.empty());
  EXPECT_EQ(after(theirs, Stated<Hosts>{{.lines = "192.0.2.12 spark2\n"}}), theirs + kBlock);
}

TEST_F(HostsTest, CannotTellWhatIsOursWhenTheMarkersAreNotOnePair) {
  const std::string begin = "# begin spark-reconcile\n";
  const std::string end = "# end spark-reconcile\n";
  const std::string theirs = "203.0.113.1 printer\n";
  for (const auto& text :
       {begin + theirs, theirs + end, end + theirs + begin, begin + theirs + begin + theirs + end,
        begin + theirs + end + end, std::string(kBlock) + theirs + kBlock}) {
    const auto observed = observe(text);
    EXPECT_TRUE(observed.state.empty()) << text;
    ASSERT_EQ(observed.skipped.size(), 1U) << text;
    EXPECT_EQ(observed.skipped.begin()->second.id, "SR-HOSTS-001");
    EXPECT_THAT(observed.skipped.begin()->second.reason, HasSubstr("do not enclose one block"));
  }
}

TEST_F(HostsTest, NamesALineThatAnswersALookupBeforeItsOwn) {
  const auto why = [&](const std::string& text) {
    const auto observed = observe(text);
    const auto found = observed.shortfalls.find({kHosts});
    return found == observed.shortfalls.end() ? "" : found->second.id + found->second.reason;
  };
  const std::string older = "# by hand\n\t203.0.113.12\tnode2 SPARK2 # of a guide\n";
  for (const auto& text : {older, older + kBlock, kLocal + older + kBlock + older}) {
    EXPECT_THAT(why(text),
                AllOf(HasSubstr("SR-HOSTS-002"), HasSubstr(" gives spark2 as 203.0.113.12")))
        << text;
  }
  EXPECT_THAT(why(older), HasSubstr("line 2 gives"));
  for (const std::string text :
       {"203.0.113.12 spark22 spark2.lab\n", "192.0.2.12 spark2\n", "# 203.0.113.12 spark2\n",
        "2001:db8::12 spark2\n", "spark2 203.0.113.12\n"}) {
    EXPECT_EQ(why(text), "") << text;
  }
  EXPECT_EQ(why(kBlock + older), "") << "the first one answers";
}

TEST_F(HostsTest, ForeseesThatALinkIsNotReplaced) {
  host_.files().make_link(kHosts);
  const auto differs = observe(kLocal);
  ASSERT_EQ(differs.skipped.size(), 1U);
  EXPECT_EQ(differs.skipped.begin()->second.id, "SR-HOST-002");
  EXPECT_TRUE(observe(std::string(kLocal) + kBlock).skipped.empty()) << "nothing is to be written";
}

TEST_F(HostsTest, KeepsABlockThatItCannotRemove) {
  host_.files().make_link(kHosts);
  host_.files().put(kHosts, kBlock);
  auto ports = host_.host();
  host::View view(ports);
  const auto observed = Hosts::observe(view, {}, {config::Node{}, Ledger{}}).value();
  EXPECT_TRUE(observed.state.empty());
  ASSERT_EQ(observed.left_unchanged.size(), 1U);
  EXPECT_THAT(observed.left_unchanged[0].reason, HasSubstr("it is not replaced"));
}

TEST_F(HostsTest, RemovesAFileThatHeldTheBlockAlone) {
  EXPECT_EQ(after(kBlock, std::nullopt), std::nullopt);
  EXPECT_EQ(after(std::string(kLocal) + kBlock, std::nullopt), kLocal);
}

}  // namespace
}  // namespace spark::kinds
