// The verb `validate` with another file beside, as the check of a pull request runs it.

#include <string>
#include <vector>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kMain = R"(version: 1
cluster: lab
nodes:
  spark1: { links: { enp1s0f0np0: { mtu: 1500 } } }
)";
constexpr const char* kBranch = R"(version: 1
cluster: lab
nodes:
  spark1: { links: { enp1s0f0np0: { mtu: 9000 } } }
)";
constexpr const char* kInvalid = R"(version: 1
cluster: lab
nodes:
  spark1: { links: { enp1s0f0np0: { mtu: 90000 } } }
)";

class Validate : public ::testing::Test {
 protected:
  Validate() {
    spark_.write("/main.yaml", kMain);
    spark_.write("/branch.yaml", kBranch);
    spark_.write("/invalid.yaml", kInvalid);
  }

  Outcome validate(const std::string& file, const std::string& against,
                   std::vector<std::string> more = {}) {
    std::vector<std::string> words{"validate", "-f", spark_.host_path(file), "--against",
                                   spark_.host_path(against)};
    words.insert(words.end(), more.begin(), more.end());
    return spark_.reconcile(words);
  }

  Spark spark_;
};

TEST_F(Validate, ShowsWhatChangesAndExitsWith0) {
  const auto outcome = validate("/branch.yaml", "/main.yaml");
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1500 → 9000"), HasSubstr("branch.yaml:4"),
                                 HasSubstr("pauses traffic on enp1s0f0np0")));
}

TEST_F(Validate, SaysByItsCodeWhetherSomethingChanges) {
  EXPECT_THAT(validate("/branch.yaml", "/main.yaml", {"--detailed-exitcode"}), ExitsWith(2));
  EXPECT_THAT(validate("/main.yaml", "/main.yaml", {"--detailed-exitcode"}), ExitsWith(0));
}

TEST_F(Validate, ComparesNothingWithAnInvalidFile) {
  const auto outcome = validate("/branch.yaml", "/invalid.yaml");
  EXPECT_THAT(outcome, ExitsWith(0)) << "the branch may be what repairs it";
  EXPECT_THAT(outcome.out, HasSubstr("invalid.yaml is invalid, at line 4"));
  EXPECT_THAT(validate("/branch.yaml", "/invalid.yaml", {"--detailed-exitcode"}), ExitsWith(4));
}

TEST_F(Validate, RefusesAnInvalidFileWhateverItIsComparedWith) {
  EXPECT_THAT(validate("/invalid.yaml", "/main.yaml"), ExitsWith(5));
  EXPECT_THAT(validate("/branch.yaml", "/absent.yaml"), ExitsWith(1));
}

TEST_F(Validate, AnnotatesTheLine) {
  const auto outcome = validate("/invalid.yaml", "/main.yaml", {"--format", "github"});
  EXPECT_THAT(outcome, ExitsWith(5));
  EXPECT_THAT(outcome.out, AllOf(StartsWith("::error file="), HasSubstr("line=4,col=")));
  EXPECT_THAT(validate("/branch.yaml", "/main.yaml", {"--format", "github"}).out,
              StartsWith("::notice title=compared with "));
}

TEST_F(Validate, TakesTheOtherFileFromStdin) {
  auto command =
      spark_.command({"validate", "-f", spark_.host_path("/branch.yaml"), "--against", "-"});
  command.input = kMain;
  EXPECT_THAT(run(command).out, HasSubstr("compared with <stdin>: 1 node changes"));
}

TEST_F(Validate, ShowsTheOneNodeThatIsAskedFor) {
  EXPECT_THAT(validate("/branch.yaml", "/main.yaml", {"-n", "spark1"}), ExitsWith(0));
  EXPECT_THAT(validate("/branch.yaml", "/main.yaml", {"-n", "spark9"}), ExitsWith(1));
}

}  // namespace
}  // namespace spark::test
