#include "daemon/agent_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <syslog.h>

#include "fake/fake_host.hpp"
#include "fake/temporary_folder.hpp"

namespace spark::daemon {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class AgentFile : public testing::Test {
 protected:
  config::Agent read(const std::string& text) {
    host_.files().put("/etc/spark-reconcile/agent.yaml", text);
    return read_agent_file(host_.files(), folder_.path(), [this](int priority, auto line) {
      EXPECT_EQ(priority, LOG_WARNING);
      lines_.emplace_back(line);
    });
  }

  test::FakeHost host_;
  test::TemporaryFolder folder_;  ///< in which nobody else may write
  std::vector<std::string> lines_;
};

TEST_F(AgentFile, IsTakenWithoutAWord) {
  const auto agent = read("listen: 127.0.0.1:1234\n");
  EXPECT_EQ(agent.listen.value.port, 1234);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(AgentFile, WithAnErrorIsShownLineByLineAndLeftOut) {
  const auto agent = read("listen: 127.0.0.1:1234\nlisten_at: x\n");
  EXPECT_NE(agent.listen.value.port, 1234);
  EXPECT_THAT(lines_, AllOf(Contains(HasSubstr("agent.yaml:2:1: error:")),
                            Contains(HasSubstr("is left out")), Each(Not(IsEmpty()))));
}

TEST_F(AgentFile, WithAPageForOthersAndNoTokenIsShownAndHoldsOtherwise) {
  const auto agent =
      read("listen: 192.0.2.11:9842\nalerts: { alertmanager: [\"http://127.0.0.1:9093\"] }\n");
  EXPECT_EQ(agent.alerts.alertmanagers.size(), 1U) << "nobody loses alerts by it";
  EXPECT_FALSE(agent.token_file);
  EXPECT_THAT(lines_, AllOf(Contains(HasSubstr("agent.yaml:1:9: error:")),
                            Contains(HasSubstr("install -o root -g spark-web -m 640")),
                            Not(Contains(HasSubstr("is left out")))));
}

}  // namespace
}  // namespace spark::daemon
