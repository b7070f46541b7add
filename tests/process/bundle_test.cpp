// `doctor --bundle`: one file for others, with nothing in it that tells whose machine it is.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMachineId = "3d1219c7c4c5404aaa1f6d2a48adfda4";
constexpr const char* kAddress = "192.0.2.113/24";
constexpr const char* kMac = "a0:88:c2:3b:5d:71";

class BundleFile : public ::testing::Test {
 protected:
  BundleFile() {
    spark_.add_link("enp1s0f0np0");
    spark_.ip(std::string("link set enp1s0f0np0 down\nlink set enp1s0f0np0 address ") + kMac +
              "\nlink set enp1s0f0np0 up\naddress add " + kAddress + " dev enp1s0f0np0");
    spark_.write("/etc/machine-id", std::string(kMachineId) + "\n");
    spark_.write("/etc/passwd",
                 "root:x:0:0:root:/root:/bin/sh\nquentin:x:1000:1000:Q:/home/quentin:/bin/sh\n");
    spark_.write("/etc/spark-reconcile/peers.key", "K3yOfTheNodes0123456789\n");
    spark_.write("/etc/spark-reconcile/page.token", "T0k3nOfThePage0123456789\n");
    spark_.write("/etc/environment", "NCCL_IB_HCA=zorro\nHF_TOKEN=hf_S3cretOfTheHub\n");
    spark_.write(
        "/etc/spark-reconcile/agent.yaml",
        "listen: 192.0.2.11:9842\ntoken_file: /etc/spark-reconcile/page.token\n"
        "alerts:\n  webhook:\n    - { url: \"https://hooks.acmecorp.example/T0k3nOfTheHook\" }\n");
    spark_.write("/home/quentin/tulip.yaml",
                 "version: 1\ncluster: acmecluster\nnodes: { gx10-zebra: { number: 11, links: { "
                 "enp1s0f0np0: { mtu: 4000 } } } }\n");
    auto apply = spark_.command({"apply", "-f", spark_.host_path("/home/quentin/tulip.yaml")});
    apply.environment = {"SUDO_USER=quentin"};
    EXPECT_THAT(run(apply), ExitsWith(0));
    spark_.file(R"(version: 1
cluster: acmecluster
nodes: { gx10-zebra: { number: 11 }, gx10-yak: { number: 12 } }
fabric:
  cables:
    - { ends: [gx10-zebra:0, gx10-yak:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
storage:
  - nvme_tcp:
      nqn: nqn.2020-01.com.acmecorp:vault
      address: 203.0.113.77
      secret_file: /etc/spark-reconcile/dhchap.quokka
    mounts: [{ path: /srv/quokka, type: ext4, read_only: [gx10-zebra] }]
ready: { key_file: /etc/spark-reconcile/peers.key }
)");
  }

  [[nodiscard]] std::string path() const { return spark_.host_path("/bundle.json").string(); }
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"doctor", "--bundle", path()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Spark spark_{"gx10-zebra"};
};

TEST_F(BundleFile, HoldsNoSecretAndNothingOfWhoseMachineItIs) {
  const auto outcome = spark_.reconcile(words());
  ASSERT_THAT(outcome, ExitsWith(0));
  const auto text = spark_.read("/bundle.json");
  const auto json = nlohmann::json::parse(text);
  for (const auto* document :
       {"versions", "doctor", "status", "plan", "gate", "history", "events"}) {
    EXPECT_TRUE(json.contains(document)) << document;
  }
  EXPECT_FALSE(json["plan"]["steps"].empty());
  EXPECT_EQ(json["history"]["generations"][0]["by"], "user1");
  EXPECT_EQ(json["events"]["events"][0]["text"], "left out of this report");
  const std::vector<std::string> secrets{
      kMachineId,  "192.0.2.113", "198.51.100",
      "203.0.113", "3b:5d:71",    "quentin",
      "K3yOf",     "zorro",       "HF_TOKEN",
      "S3cret",    "acme",        "T0k3n",
      "zebra",     "yak",         "vault",
      "quokka",    "gx10",        spark_.host_path("/").string()};
  for (const auto& secret : secrets) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
    EXPECT_THAT(outcome.out + outcome.err.substr(0, outcome.err.find("wrote ")),
                Not(HasSubstr(secret)));
  }
  EXPECT_THAT(text, AllOf(HasSubstr("host2"), HasSubstr("enp1s0f0np0")));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("in this bundle:\n"), HasSubstr("  doctor  "),
                                 HasSubstr(" host names → host1"), HasSubstr("wrote ")));
}

TEST_F(BundleFile, KeepsNamesWhereThatIsAskedForAndStillHoldsNoSecret) {
  ASSERT_THAT(spark_.reconcile(words({"--keep-names"})), ExitsWith(0));
  const auto text = spark_.read("/bundle.json");
  EXPECT_THAT(text, AllOf(HasSubstr("gx10-zebra"), HasSubstr("192.0.2.11")));
  for (const auto* secret : {"K3yOf", "HF_TOKEN", "S3cret", "T0k3n", kMachineId}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
}

TEST_F(BundleFile, IsForItsOwnerAlone) {
  const auto before = ::umask(0);
  ASSERT_THAT(spark_.reconcile(words()), ExitsWith(0));
  ::umask(before);
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(BundleFile, ReplacesNothingAndFollowsNoLink) {
  spark_.write("/bundle.json", "mine\n");
  auto outcome = spark_.reconcile(words());
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("is there already"));
  EXPECT_EQ(spark_.read("/bundle.json"), "mine\n");
  for (const auto* target : {"/elsewhere.json", "/etc/spark-reconcile/cluster.yaml"}) {
    fs::remove(path());
    fs::create_symlink(spark_.host_path(target), path());
    const auto there = spark_.read(target);
    EXPECT_THAT(spark_.reconcile(words()), ExitsWith(1)) << target;
    EXPECT_EQ(spark_.read(target), there);
  }
  EXPECT_FALSE(fs::exists(spark_.host_path("/elsewhere.json")));
}

TEST_F(BundleFile, MakesNoDirectory) {
  const auto outcome =
      spark_.reconcile({"doctor", "--bundle", spark_.host_path("/absent/bundle.json").string()});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("there is no directory '"));
  EXPECT_FALSE(fs::exists(spark_.host_path("/absent")));
}

TEST_F(BundleFile, GoesIntoAFileAlone) {
  EXPECT_THAT(spark_.reconcile({"doctor", "--keep-names"}), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile({"doctor", "--yes"}), ExitsWith(64));
}

TEST_F(BundleFile, IsNamedInTheDocumentOfDoctor) {
  const auto done = spark_.reconcile(words({"--json"}));
  EXPECT_THAT(done, ExitsWith(0));
  const auto said = nlohmann::json::parse(done.out);
  EXPECT_FALSE(said["findings"].empty());
  ASSERT_EQ(said["artifacts"].size(), 1U) << said;
  EXPECT_EQ(said["artifacts"][0]["path"], path());
  EXPECT_EQ(said["artifacts"][0]["type"],
            nlohmann::json::parse(spark_.read("/bundle.json"))["schema"]);
  EXPECT_EQ(said["artifacts"][0]["sha256"], sha256_of(spark_.read("/bundle.json")));
}

}  // namespace
}  // namespace spark::test
