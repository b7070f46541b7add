#include "cli/verbs/confirm.hpp"

#include <gmock/gmock.h>

#include "fake/fake_pass.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

using ::testing::EndsWith;

constexpr const char* kSmallFile = R"(version: 1
cluster: lab
nodes: { spark1: { links: { enp1s0f0np0: { mtu: 9000 } } } }
)";

/// An apply waits for its confirmation.
class ConfirmTest : public test::PassTest {
 protected:
  ConfirmTest() {
    host_.files().put(protocol::kDefaultFile, kSmallFile);
    const auto printed = run_typed(host_, {"apply", "--confirm", "1m"}, 80);
    EXPECT_THAT(printed.out, EndsWith("Keep it:  spark-reconcile confirm\n")) << printed.err;
  }
};

TEST_F(ConfirmTest, EndsWithTheNextCommand) {
  const auto printed = run_typed(host_, {"confirm"}, 80);
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_THAT(printed.out, EndsWith("Is it ready?  spark-reconcile gate\n"));
}

TEST_F(ConfirmTest, ItsRollbackEndsWithTheNextCommandToo) {
  const auto printed = run_typed(host_, {"rollback"}, 80);
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_THAT(printed.out, EndsWith("What differs:  spark-reconcile plan\n"));
}

}  // namespace
}  // namespace spark::cli
