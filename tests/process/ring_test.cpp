// The main job on three machines that are wired as a ring.

#include <array>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "process/monitor.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::array kRails = {"enp1s0f0np0", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"};

class Ring : public ::testing::Test {
 protected:
  Ring() {
    for (const auto* prefix : {"enp1s0", "enP2p1s0"}) {
      const auto cage_0 = fmt::format("{}f0np0", prefix);
      const auto cage_1 = fmt::format("{}f1np1", prefix);
      wire(spark1_, cage_0, spark2_, cage_1);
      wire(spark3_, cage_0, spark1_, cage_1);
      wire(spark2_, cage_0, spark3_, cage_1);
    }
    for (const auto* spark : all_) {
      spark->add_link("enP7s7");
      spark->file(source_file("tests/specs/ring.yaml"));
    }
  }

  Spark spark1_{"spark1"};
  Spark spark2_{"spark2"};
  Spark spark3_{"spark3"};
  std::array<const Spark*, 3> all_{&spark1_, &spark2_, &spark3_};
};

/// Addresses of the rails in the order of kRails.
std::vector<std::string> rail_addresses(const Spark& spark) {
  std::vector<std::string> addresses;
  for (const auto* rail : kRails) {
    for (const auto& address : spark.addresses(rail)) {
      addresses.push_back(address);
    }
  }
  return addresses;
}

std::vector<std::string> skipped(const nlohmann::json& plan) {
  std::vector<std::string> names;
  for (const auto& item : plan["skipped"]) {
    names.push_back(item["kind"].get<std::string>() + " " + item["key"].get<std::string>());
  }
  return names;
}

TEST_F(Ring, GetsExactlyItsAddresses) {
  for (const auto* spark : all_) {
    // 4: net.core.* is the whole machine's, veth has no RDMA device, and no systemd runs.
    EXPECT_THAT(spark->reconcile({"apply"}), ExitsWith(4));
    EXPECT_THAT(skipped(spark->json({"plan"})),
                ElementsAre("sysctl net.core.rmem_max", "sysctl net.core.wmem_max",
                            "memlock containers", "memlock logins", "memlock services",
                            StartsWith("roce enP2p1s0f0np0"), StartsWith("roce enP2p1s0f1np1"),
                            StartsWith("roce enp1s0f0np0"), StartsWith("roce enp1s0f1np1")));
    for (const auto* rail : kRails) {
      EXPECT_EQ(spark->link(rail)["mtu"], 9000) << rail;
    }
  }
  EXPECT_THAT(rail_addresses(spark1_), ElementsAre("192.168.177.11/24", "192.168.178.11/24",
                                                   "192.168.187.11/24", "192.168.188.11/24"));
  EXPECT_THAT(rail_addresses(spark2_), ElementsAre("192.168.197.12/24", "192.168.198.12/24",
                                                   "192.168.177.12/24", "192.168.178.12/24"));
  EXPECT_THAT(rail_addresses(spark3_), ElementsAre("192.168.187.13/24", "192.168.188.13/24",
                                                   "192.168.197.13/24", "192.168.198.13/24"));
  for (const auto* peer :
       {"192.168.177.12", "192.168.178.12", "192.168.187.13", "192.168.188.13"}) {
    EXPECT_THAT(
        run({.argv = {"ping", "-c1", "-W2", "-Mdo", "-s8972", peer}, .network = spark1_.network()}),
        ExitsWith(0));
  }
}

/// What strace saw of changes: files opened for writing, made, moved or removed, and requests that
/// change what the kernel holds.
std::vector<std::string> changes_in(const std::string& trace) {
  static const std::regex kChange(
      R"(O_WRONLY|O_RDWR|O_CREAT|^\d+ +(rename|unlink|mkdir|link|symlink|chmod|chown|truncate)\w*\()"
      R"(|^\d+ +send.*RTM_(NEW|DEL|SET))");
  std::vector<std::string> changes;
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, kChange) && line.find("lock\"") == std::string::npos) {
      changes.push_back(line);
    }
  }
  return changes;
}

std::vector<std::string> changes_of_an_apply(const Spark& spark) {
  auto command = spark.command({"apply"});
  const std::vector<std::string> strace{
      "strace", "-f", "-qq", "-e", "%file,%network", "-o", spark.host_path("/trace").string()};
  command.argv.insert(command.argv.begin(), strace.begin(), strace.end());
  // The leak checker is a tracer itself, and there can be only one.
  command.environment = {"ASAN_OPTIONS=detect_leaks=0"};
  EXPECT_THAT(run(command), ExitsWith(4));
  return changes_in(spark.read("/trace"));
}

TEST_F(Ring, IsSilentOnceItIsConverged) {
  const auto first = changes_of_an_apply(spark1_);
  EXPECT_THAT(first, Contains(HasSubstr("RTM_SETLINK")));
  EXPECT_THAT(first, Contains(HasSubstr("RTM_NEWADDR")));
  EXPECT_THAT(first, Contains(HasSubstr("rename")));
  spark1_.settle();
  Monitor monitor(spark1_.network());
  monitor.wait_for_silence();
  EXPECT_THAT(changes_of_an_apply(spark1_), IsEmpty());
  EXPECT_THAT(monitor.take(), IsEmpty());
}

}  // namespace
}  // namespace spark::test
