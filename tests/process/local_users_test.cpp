// What a user of this machine who is neither root nor one of ours can do to the daemon.

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "fake/temporary_folder.hpp"
#include "process/daemon_world.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPeers = "64123";  // the user spark-peers of this test
constexpr const char* kOther = "64124";

class LocalUsers : public Daemon {
 protected:
  LocalUsers() {
    const auto passwd = etc_.path() / "passwd";
    std::ofstream(passwd) << "root:x:0:0::/root:/bin/sh\nspark-peers:x:64123:64123::/:/bin/false\n";
    auto command = spark_.command({"daemon"});
    command.argv.insert(command.argv.begin(),
                        {"unshare", "--mount", "sh", "-c",
                         "mount --bind \"$0\" /etc/passwd && exec \"$@\"", passwd});
    command.environment = {"NOTIFY_SOCKET=" + notify_.path()};
    daemon_ = std::make_unique<Running>(command);
    EXPECT_TRUE(notify_.hears("READY=1"));
  }

  static Outcome run_as(const std::string& user, const std::string& group,
                        std::vector<std::string> argv) {
    argv.insert(argv.begin(), {"setpriv", "--reuid=" + user, "--regid=" + group, "--clear-groups"});
    return run({.argv = std::move(argv)});
  }
  /// How many descriptors that user is handed.
  [[nodiscard]] Outcome fetch_socket(const std::string& user, const std::string& group) const {
    constexpr const char* kFetch = R"(
import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.settimeout(20)
print(len(connection.recvmsg(1, socket.CMSG_SPACE(4))[1]))
)";
    return run_as(
        user, group,
        {"/usr/bin/python3", "-c", kFetch, spark_.host_path(protocol::kHelloDoor).string()});
  }

  TemporaryFolder etc_;
};

TEST_F(LocalUsers, CannotConnectToTheDaemonUnlessTheyAreSparkPeers) {
  for (const auto* user : {kPeers, "0"}) {
    const auto outcome = fetch_socket(user, user);
    EXPECT_EQ(outcome.out, "1\n") << user << outcome;
  }
  for (const auto* group : {kOther, kPeers, "0"}) {
    const auto outcome = fetch_socket(kOther, group);
    EXPECT_THAT(outcome.err, HasSubstr("Permission denied")) << group << outcome;
  }
  EXPECT_EQ(run_as("0", "0", {"stat", "-c%a", spark_.host_path(protocol::kHelloDoor)}).out,
            "660\n");
}

// The kernel takes milliseconds to close such a socket, and nothing is corrected meanwhile.
TEST_F(LocalUsers, WhoKnocksAllTheTimeIsHandedOneSocketASecond) {
  constexpr const char* kKnock = R"(
import socket, sys, time
def knock():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    connection.connect(sys.argv[1])
    return connection
began = time.monotonic()
for _ in range(3):
    print(len(knock().recvmsg(1, socket.CMSG_SPACE(4))[1]))
    for gone in range(5):
        knock().close()
print(1.9 < time.monotonic() - began < 6)
)";
  const auto outcome =
      run_as(kPeers, kPeers,
             {"/usr/bin/python3", "-c", kKnock, spark_.host_path(protocol::kHelloDoor).string()});
  EXPECT_EQ(outcome.out, "1\n1\n1\nTrue\n") << outcome;
}

TEST_F(LocalUsers, CanWriteToNothingOfTheDaemonAndHoldNoneOfItsLocks) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  ASSERT_THAT(spark_.reconcile({"mute", "SparkDrift", "--for", "1h", "--why", "test"}),
              ExitsWith(0));
  ASSERT_THAT(spark_.reconcile({"pause", "--for", "1h"}), ExitsWith(0));
  const auto find = [&](std::vector<std::string> tests) {
    std::vector<std::string> argv{"find"};
    for (const auto* path : {"/etc", "/run", "/var"}) argv.push_back(spark_.host_path(path));
    argv.insert(argv.end(), tests.begin(), tests.end());
    return run_as(kOther, kOther, argv).out;
  };
  EXPECT_THAT(find({"-type", "f"}), HasSubstr("status.json"));
  EXPECT_EQ(find({"!", "-type", "l", "-writable"}), "");
  // flock(2) wants no more than to read it.
  EXPECT_THAT(find({"-name", "*lock*"}), HasSubstr("daemon.lock"));
  EXPECT_EQ(find({"-name", "*lock*", "-readable"}), "");
}

}  // namespace
}  // namespace spark::test
