// What workloads are told. Links of a namespace have no RDMA device, so no file is ever written
// here; that one is written, and moves for nothing, is shown in tests/lab.

#include <string>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kEnvironment = "/run/spark-reconcile/nccl.env";
constexpr const char* kProfile = "/etc/profile.d/spark-reconcile-nccl.sh";

class EnvironmentVerb : public ::testing::Test {
 protected:
  EnvironmentVerb() {
    spark_.add_link("enp1s0f0np0");
    spark_.add_link("enP2p1s0f0np0");
    want("environment: { profile: true }\n");
  }

  void want(const std::string& environment) const {
    spark_.file(R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)" + environment);
  }

  /// `export` for a ring, as the facts of a node of it are kept.
  static std::vector<std::string> for_facts(const std::vector<std::string>& more = {}) {
    const auto golden = std::string(SPARK_SOURCE_DIR) + "/tests/golden/";
    std::vector<std::string> words{"export", "-f", golden + "plan/ring_from_the_box/cluster.yaml",
                                   "--facts", golden + "facts/ring_from_the_box.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Spark spark_;
};

TEST_F(EnvironmentVerb, WritesNothingWhereThereIsNoRdma) {
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(kEnvironment), HasSubstr("[SR-ROCE-001]")));
  EXPECT_THAT(spark_.read(kEnvironment), IsEmpty());
  EXPECT_THAT(spark_.read(kProfile), IsEmpty());
}

TEST_F(EnvironmentVerb, RemovesWhatIsOursOnceTheLineIsGone) {
  spark_.write(kEnvironment, "NCCL_NET=IB\n");
  spark_.write(kProfile, "# Written by spark-reconcile from cluster.yaml; edited\n");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_EQ(spark_.read(kEnvironment), "NCCL_NET=IB\n") << "it waits, and takes nothing away";
  want("");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path(kEnvironment)));
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path(kProfile)));
}

TEST_F(EnvironmentVerb, LeavesAScriptOfSomeoneElse) {
  spark_.write(kProfile, "export NCCL_DEBUG=INFO\n");
  want("");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_EQ(spark_.read(kProfile), "export NCCL_DEBUG=INFO\n");
}

TEST_F(EnvironmentVerb, ExportsNothingThatWouldMislead) {
  const auto outcome = spark_.reconcile({"export"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("nothing to export"), HasSubstr("[SR-ROCE-001]")));
  spark_.ip("link del enp1s0f0np0");
  EXPECT_THAT(spark_.reconcile({"export"}), ExitsWith(3)) << "it waits for its device";
}

TEST_F(EnvironmentVerb, ExportsForAnotherMachineFromItsFacts) {
  const auto environment = spark_.reconcile(for_facts());
  EXPECT_THAT(environment, ExitsWith(0));
  EXPECT_THAT(environment.err, IsEmpty());
  EXPECT_THAT(environment.out, HasSubstr("\nNCCL_SOCKET_IFNAME==enP7s7\n"));
  EXPECT_THAT(spark_.reconcile(for_facts({"--format", "shell"})).out,
              HasSubstr("\nexport NCCL_SOCKET_IFNAME='=enP7s7'\n"));
  const auto json = spark_.json(for_facts());
  EXPECT_EQ(json["schema"], "spark-reconcile/export/v1");
  EXPECT_EQ(json["node"], "spark1");
  EXPECT_EQ(json["variables"][0]["name"], "NCCL_IB_HCA");
  EXPECT_EQ(json["variables"][0]["value"], "=rocep1s0f0,roceP2p1s0f0,rocep1s0f1,roceP2p1s0f1");
  EXPECT_EQ(spark_.reconcile(for_facts({"--format", "json"})).code, 0);
  EXPECT_THAT(spark_.reconcile(for_facts({"--json", "--format", "env"})), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile(for_facts({"--format", "toml"})), ExitsWith(64));
}

TEST_F(EnvironmentVerb, ExportsForTheVersionsOfAJob) {
  const auto older = spark_.reconcile(for_facts({"--nccl", "2.28.9", "--ucx", "1.19"}));
  EXPECT_THAT(older, ExitsWith(0));
  EXPECT_THAT(older.err,
              AllOf(HasSubstr("NCCL 2.28.9 cannot use this fabric"), HasSubstr("[SR-ENV-008]")));
  EXPECT_THAT(older.out, Not(HasSubstr("UCX_IB_ROCE_LOCAL_SUBNET")));
  EXPECT_THAT(spark_.reconcile(for_facts({"--nccl", "2.30.7-1"})).err, IsEmpty());
  const auto odd = spark_.reconcile(for_facts({"--nccl", "latest"}));
  EXPECT_THAT(odd, ExitsWith(64));
  EXPECT_THAT(odd.err,
              HasSubstr("--nccl takes two or three numbers, as 2.28 or 1.18.1, not 'latest'"));
}

TEST_F(EnvironmentVerb, SaysHowAJobIsStarted) {
  EXPECT_EQ(
      spark_.reconcile({"export", "mpi-hostfile"}).out,
      "# by rail 0 of the cable or switch that joins all nodes: one rank a node, in the order "
      "of the cables\n192.0.2.11 slots=1\n192.0.2.12 slots=1\n");
  const auto too_early = spark_.reconcile({"export", "docker-args"});
  EXPECT_THAT(too_early, ExitsWith(4));
  EXPECT_EQ(too_early.out, "");
  EXPECT_THAT(too_early.err, HasSubstr("nccl.env is not there yet: `sudo spark-reconcile apply`"));
  EXPECT_THAT(spark_.reconcile({"export", "mpirun"}).out,
              HasSubstr("sh -c 'eval \"$(spark-reconcile export --format shell)\"; exec"));
  spark_.write(kEnvironment, "NCCL_NET=IB\n");
  EXPECT_THAT(
      spark_.reconcile({"export", "mpirun"}).out,
      HasSubstr("mpirun --host 192.0.2.11,192.0.2.12 -np 2 --map-by ppr:1:node sh -c 'set -a; . "
                "/run/spark-reconcile/nccl.env; set +a; exec \"$@\"' sh PROGRAM\n"));
  EXPECT_EQ(spark_.reconcile({"export", "docker-args"}).out,
            "--env-file /run/spark-reconcile/nccl.env --network host --ipc host --gpus all "
            "--device /dev/infiniband --ulimit memlock=-1 --ulimit stack=67108864 "
            "--ulimit nofile=1048576\n");
  EXPECT_THAT(spark_.reconcile({"export", "mpirun", "--json"}), ExitsWith(64));
  want("");
  EXPECT_THAT(spark_.reconcile({"export", "mpirun"}).out,
              HasSubstr("sh -c 'eval \"$(spark-reconcile export --format shell)\"; exec"));
  const auto none = spark_.reconcile({"export", "docker-args"});
  EXPECT_THAT(none, ExitsWith(4));
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, AllOf(HasSubstr("the file asks for no environment"),
                              HasSubstr("add `environment: {}` to it")));
  auto words = for_facts();
  words.insert(words.begin() + 1, "docker-args");
  EXPECT_THAT(spark_.reconcile(words), ExitsWith(0)) << "that machine may have it";
}

TEST_F(EnvironmentVerb, ExportsOneEnvironmentForAllNodesOfARing) {
  auto words = for_facts();
  words.insert(words.begin() + 1, "vllm-env");
  const auto vllm = spark_.reconcile(words);
  EXPECT_THAT(vllm, ExitsWith(0));
  EXPECT_THAT(vllm.out,
              AllOf(HasSubstr("# CLUSTER_NODES and LOCAL_IP are IPv4 addresses on enP7s7"),
                    HasSubstr("\nETH_IF=enP7s7\n"),
                    HasSubstr("\nIB_IF=rocep1s0f0,roceP2p1s0f0,rocep1s0f1,roceP2p1s0f1\n"),
                    HasSubstr("\nCONTAINER_NCCL_IB_SUBNET_AWARE_ROUTING=1\n"),
                    HasSubstr("the addresses of all rails of all nodes\nCONTAINER_NCCL_IB_ADDR_")));
  words[1] = "sparkrun";
  EXPECT_THAT(spark_.reconcile(words).out,
              AllOf(HasSubstr("--hosts spark1,spark2,spark3\n"),
                    HasSubstr("\n  NCCL_SOCKET_IFNAME: \"=enP7s7\"\n")));
  words.emplace_back("--json");
  EXPECT_THAT(spark_.reconcile(words), ExitsWith(64));
}

TEST_F(EnvironmentVerb, StartsTheRanksOfARingAlongItsCables) {
  const auto example = std::string(SPARK_SOURCE_DIR) + "/examples/ring-of-four.yaml";
  for (const auto* node : {"spark1", "spark3"}) {
    EXPECT_THAT(spark_.reconcile({"export", "mpi-hostfile", "-f", example, "-n", node}).out,
                HasSubstr("\nspark1 slots=1\nspark2 slots=1\nspark3 slots=1\nspark4 slots=1\n"))
        << node;
  }
}

TEST_F(EnvironmentVerb, SaysWhoHasNothingToExport) {
  spark_.file("version: 1\ncluster: one\nnodes: { spark1: {} }\n");
  const auto outcome = spark_.reconcile({"export"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("'spark1' is on no cable or switch of the file"));
}

}  // namespace
}  // namespace spark::test
