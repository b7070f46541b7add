// What is followed as root, and who could have written it; and where a plan is written to.

#include <algorithm>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "process/spark.hpp"
#include "protocol/web.hpp"
#include "unit/node_here.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDefault = "/etc/spark-reconcile/cluster.yaml";
constexpr uid_t kSomebody = 4242;

class Input : public ::testing::Test {
 protected:
  Input() {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { addresses: [192.0.2.1/24] }");
    fs::create_directory(folder_);
    fs::copy_file(spark_.host_path(kDefault), named_);
    chmod(folder_.c_str(), 0755);
    chmod(named_.c_str(), 0644);
  }

  [[nodiscard]] bool is_applied() const { return !spark_.addresses("enp1s0f0np0").empty(); }
  /// What `apply -f` says of the file while it refuses it.
  [[nodiscard]] std::string refusal() const {
    const auto outcome = spark_.reconcile({"apply", "-f", named_});
    EXPECT_THAT(outcome, ExitsWith(1));
    EXPECT_FALSE(is_applied());
    return outcome.err;
  }

  Spark spark_;
  fs::path folder_ = spark_.host_path("/srv");
  std::string named_ = (folder_ / "cluster.yaml").string();
};

TEST_F(Input, AFileThatEverybodyCanWriteIsNotApplied) {
  chmod(named_.c_str(), 0666);
  EXPECT_THAT(refusal(), HasSubstr("`chmod o-w " + named_ + "`"));
  EXPECT_THAT(spark_.reconcile({"plan", "-f", named_}), ExitsWith(0)) << "a look does no harm";
  chmod(named_.c_str(), 0644);
  EXPECT_THAT(spark_.reconcile({"apply", "-f", named_}), ExitsWith(0));
}

TEST_F(Input, AFileOfSomebodyElseIsNotApplied) {
  ASSERT_EQ(chown(named_.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(refusal(), HasSubstr("`chown root " + named_ + "`"));
  auto command = spark_.command({"apply", "-f", named_});
  command.environment = {"SUDO_UID=" + std::to_string(kSomebody)};
  EXPECT_THAT(run(command), ExitsWith(0)) << "it is of the one who called sudo";
}

TEST_F(Input, AFileInADirectoryThatOthersCanWriteIsNotApplied) {
  chmod(folder_.c_str(), 0777);
  EXPECT_THAT(refusal(), HasSubstr("`chmod o-w " + folder_.string() + "`"));
  ASSERT_EQ(chown(folder_.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(refusal(), HasSubstr("`chown root " + folder_.string() + "`"));
  // As /tmp: nobody puts another file in the place of one that is not theirs.
  ASSERT_EQ(chown(folder_.c_str(), 0, 0), 0);
  chmod(folder_.c_str(), 01777);
  EXPECT_THAT(spark_.reconcile({"apply", "-f", named_}), ExitsWith(0));
}

TEST_F(Input, ALinkThatOthersCanBendIsNotFollowed) {
  const auto open = spark_.host_path("/open");
  fs::create_directory(open);
  chmod(open.c_str(), 0777);
  fs::create_symlink(named_, open / "link.yaml");
  const auto outcome = spark_.reconcile({"apply", "-f", (open / "link.yaml").string()});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("`chmod o-w " + open.string() + "`"));
}

TEST_F(Input, AFileThatTheGroupOfItsOwnerCanWriteIsApplied) {
  // Ubuntu's umask is 0002. Root's group is root alone.
  chmod(named_.c_str(), 0664);
  EXPECT_THAT(spark_.reconcile({"apply", "-f", named_}), ExitsWith(0));
  spark_.ip("address flush dev enp1s0f0np0");
  ASSERT_EQ(chown(named_.c_str(), 0, kSomebody), 0);
  EXPECT_THAT(refusal(), HasSubstr("`chmod g-w " + named_ + "`"));
}

TEST_F(Input, TheFileOfTheMachineIsRootsAlone) {
  const auto path = spark_.host_path(kDefault);
  chmod(path.c_str(), 0664);
  auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("'/etc/spark-reconcile/cluster.yaml' can be written by"));
  chmod(path.c_str(), 0644);
  ASSERT_EQ(chown(path.parent_path().c_str(), kSomebody, 0), 0);
  outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("chown root"));
  EXPECT_FALSE(is_applied());
}

TEST_F(Input, AFileThatSomebodyIsWritingIsNotApplied) {
  UniqueFd writer(open(spark_.host_path(kDefault).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("is being written: apply it when that has ended"));
  writer.reset();
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
}

TEST_F(Input, APlanOfSomebodyElseIsNotApplied) {
  const auto saved = (folder_ / "plan").string();
  ASSERT_THAT(spark_.reconcile({"plan", "--out", saved}), ExitsWith(0));
  ASSERT_EQ(chown(saved.c_str(), kSomebody, kSomebody), 0);
  const auto outcome = spark_.reconcile({"apply", saved});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("`chown root " + saved + "`"));
  EXPECT_FALSE(is_applied());
}

TEST_F(Input, APlanWrittenIntoADeviceLeavesTheDeviceThere) {
  const auto null = folder_ / "null";
  ASSERT_EQ(mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  const auto before = fs::status(null);
  EXPECT_THAT(spark_.reconcile({"plan", "--out", null.string()}), ExitsWith(0));
  EXPECT_TRUE(fs::is_character_file(null));
  EXPECT_EQ(fs::status(null).permissions(), before.permissions());
}

TEST_F(Input, APlanGoesThroughAPipe) {
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const UniqueFd reader(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_THAT(spark_.reconcile({"plan", "--out", pipe.string()}), ExitsWith(0));
  std::string text(4096, '\0');
  text.resize(
      static_cast<std::size_t>(std::max<ssize_t>(read(reader.get(), text.data(), text.size()), 0)));
  EXPECT_THAT(text, HasSubstr("spark-reconcile/plan-file/v1"));
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(Input, ALinkIsNotReplacedByAPlan) {
  const auto link = folder_ / "link";
  fs::create_symlink(named_, link);
  const auto outcome = spark_.reconcile({"plan", "--out", link.string()});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("is a symbolic link, which is not replaced"));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(Input, AFileBeyondTheLimitIsRefusedAndNotReadInPart) {
  // What stands within the limit is a good file, and what follows belongs to it.
  const auto text = spark_.read(kDefault) + "#" + std::string(256UL * 1024, ' ') + "\n";
  const auto is_refusal = HasSubstr("the file is larger than 256 KiB [SR-SPEC-002]");
  spark_.write("/srv/cluster.yaml", text);
  auto outcome = spark_.reconcile({"apply", "-f", named_});
  EXPECT_THAT(outcome, ExitsWith(5));
  EXPECT_THAT(outcome.err, AllOf(is_refusal, HasSubstr("see that it is the cluster's file")));
  auto command = spark_.command({"apply", "-f", "-"});
  command.input = text;
  outcome = run(command);
  EXPECT_THAT(outcome, ExitsWith(5));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("<stdin>:1:1"), is_refusal));
  EXPECT_FALSE(is_applied());
}

TEST_F(Input, FactsOrAPlanBeyondTheLimitAreSaidToBeTooLarge) {
  constexpr std::size_t kMebibyte = 1024UL * 1024;
  const auto put = [&](const std::string& name, std::size_t bytes) {
    spark_.write("/srv/" + name, "{}" + std::string(bytes, ' '));
    const auto path = (folder_ / name).string();
    chmod(path.c_str(), 0644);
    return path;
  };
  const auto facts = put("facts.json", 8 * kMebibyte);
  auto outcome = spark_.reconcile({"plan", "--facts", facts});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("'" + facts + "' is larger than 8 MiB, and nothing of it is"));
  const auto plan = put("saved.plan", 16 * kMebibyte);
  outcome = spark_.reconcile({"apply", plan});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("'" + plan + "' is larger than 16 MiB, and nothing of it is"));
  EXPECT_FALSE(is_applied());
}

TEST_F(Input, AFileThatTheUserMayNotReadIsReadByTheSameLineWithSudo) {
  chmod(named_.c_str(), 0600);
  auto command = spark_.command({"plan", "-f", named_});
  command.as_nobody = true;
  const auto outcome = run(command);
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("you may not read '" + named_ +
                                     "': `sudo spark-reconcile plan -f " + named_ + " "));
}

TEST_F(Input, DoctorLooksAtTheFileThatIsNamed) {
  spark_.write("/srv/cluster.yaml", "version: 2\n");
  EXPECT_THAT(spark_.reconcile({"doctor", "-f", named_}).out,
              HasSubstr("✗ file       '" + named_ + "' has errors"));
  const auto absent = (folder_ / "absent.yaml").string();
  EXPECT_THAT(spark_.reconcile({"doctor", "-f", absent}).out,
              HasSubstr("there is no file '" + absent + "'"));
}

TEST_F(Input, APlanHasNoNameOfATemporaryFile) {
  const auto path = (folder_ / "absent" / "p.json").string();
  const auto outcome = spark_.reconcile({"plan", "--out", path});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("there is no directory '"), Not(HasSubstr(".new-"))));
}

TEST_F(Input, AClusterFileInThePlaceOfASavedPlanHasNoWordsOfAParser) {
  const auto outcome = spark_.reconcile({"apply", named_});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("is no plan saved by `spark-reconcile plan --out`; a cluster file is "
                              "applied by `sudo spark-reconcile apply -f "),
                    Not(HasSubstr("parse error"))));
}

TEST_F(Input, StatusGivesTheTerminalNoOrdersOfOthers) {
  auto state = ready_node();
  state.drifts = {{.kind = "address",
                   .key = "192.0.2.1",
                   .state = node_state::Drift::State::kContested,
                   .why = "by \x1b]0;owned\x07 (process 7)"}};
  spark_.write(protocol::kNodeStateFile, node_state_text(state));
  const auto outcome = spark_.reconcile({"status"});
  EXPECT_THAT(outcome.out, HasSubstr("by \\x1b]0;owned\\x07 (process 7)"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace spark::test
