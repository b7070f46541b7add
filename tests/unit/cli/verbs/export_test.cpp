#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "protocol/paths.hpp"
#include "signing/node_key.hpp"
#include "unit/cli/verb_run.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string pair_with(const std::string& nodes, const std::string& more = "",
                      const std::string& ends = "[spark1:0, spark2:0]") {
  return "version: 1\ncluster: lab.a\nnodes: { " + nodes +
         " }\nfabric:\n  mtu: 9000\n  cables:\n    - { ends: " + ends +
         ", subnets: [198.51.100.0/24, 203.0.113.0/24] }\n" + more;
}

class ExportForAllNodes : public test::PassTest {
 protected:
  Printed export_as(const std::string& what, const std::string& text) {
    host_.files().put(protocol::kDefaultFile, text);
    return run_typed(host_, {"export", what});
  }

  Printed export_for(const std::string& names, const std::string& what) {
    host_.files().put(
        protocol::kDefaultFile,
        "version: 1\ncluster: chain\nnodes: { spark1: { number: 11 }, spark2: { number: 12 }, "
        "spark3: { "
        "number: 13 } }\nfabric:\n  mtu: 9000\n  cables:\n    - { ends: [spark1:0, spark2:0], "
        "subnets: "
        "[198.51.100.0/24, 203.0.113.0/24] }\n    - { ends: [spark2:1, spark3:0], subnets: "
        "[192.0.2.0/25, 192.0.2.128/25] }\n");
    return run_typed(host_, {"export", what, "--nodes", names});
  }

  const std::string pair_ = pair_with("spark1: { number: 11 }, spark2: { number: 12 }");
};

TEST_F(ExportForAllNodes, PrintsTheNodesForPrometheus) {
  const auto printed =
      export_as("prometheus-sd",
                pair_with("gpu1: { number: 11, management: enP7s7, links: { enP7s7: { addresses: "
                          "[2001:db8::11/64] } } }, gpu2: { number: 12 }",
                          "", "[gpu1:0, gpu2:0]"));
  EXPECT_EQ(printed.code, ExitCode::kDone) << "this machine is none of them";
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(printed.out, R"([
  {
    "labels": {
      "__meta_spark_reconcile_cluster": "lab.a",
      "__meta_spark_reconcile_number": "11",
      "instance": "gpu1"
    },
    "targets": [
      "[2001:db8::11]:9842"
    ]
  },
  {
    "labels": {
      "__meta_spark_reconcile_cluster": "lab.a",
      "__meta_spark_reconcile_number": "12",
      "instance": "gpu2"
    },
    "targets": [
      "gpu2:9842"
    ]
  }
]
)");
}

/// Without the line that has the digest.
std::string below_digest(const std::string& text) { return text.substr(text.find('\n') + 1); }

constexpr const char* kTwoIslands =
    "version: 1\ncluster: lab\nnodes:\n"
    "  spark10: { number: 10 }\n"
    "  spark2: { number: 2, management: enP7s7, links: { enP7s7: { addresses: [192.0.2.2/24] } } "
    "}\n"
    "  spark3: { number: 3, match: { hostname: gpu3.example.org } }\n"
    "  spark4: { number: 4, away: true }\n"
    "  e.spark5: { number: 5 }\n"
    "  alone: {}\n"
    "fabric:\n  mtu: 9000\n  cables:\n"
    "    - { ends: [spark2:0, spark10:0], subnets: [198.51.100.0/26, 203.0.113.0/26] }\n"
    "    - { ends: [spark4:0, spark3:0], subnets: [198.51.100.64/26, 203.0.113.64/26] }\n"
    "    - { ends: [e.spark5:0, spark4:1], subnets: [198.51.100.128/26, 203.0.113.128/26] }\n";

TEST_F(ExportForAllNodes, PrintsTheNodesForSlurm) {
  const auto printed = export_as("slurm-nodes", kTwoIslands);
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err << "this machine is none of them";
  EXPECT_THAT(printed.out, StartsWith("# The nodes of lab, file "));
  EXPECT_EQ(below_digest(printed.out),
            "# What they have comes before, as `slurmd -C` prints it: NodeName=DEFAULT CPUs=...\n"
            "NodeName=spark2 NodeAddr=192.0.2.2 Features=rails_spark10\n"
            "NodeName=spark3 NodeHostname=gpu3.example.org Features=rails_e.spark5\n"
            "NodeName=spark4 Features=rails_e.spark5\n"
            "NodeName=e.spark5 Features=rails_e.spark5\n"
            "NodeName=spark10 Features=rails_spark10\n"
            "NodeName=alone\n");
}

TEST_F(ExportForAllNodes, RefusesANodeThatSlurmTakesForAllNodes) {
  const auto printed =
      export_as("slurm-nodes", "version: 1\ncluster: lab\nnodes: { a: {}, Default: {} }\n");
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_EQ(printed.out, "");
  EXPECT_THAT(printed.err, HasSubstr("give that node another name"));
}

TEST_F(ExportForAllNodes, PrintsTheNodesForSsh) {
  const auto printed =
      export_as("ssh-config",
                pair_with("spark1: { number: 11, management: enP7s7, links: { enP7s7: { addresses: "
                          "[192.0.2.1/24] } } }, spark2: { number: 12 }"));
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("Who may log in stays as it is.\n"
                                     "Host spark1\n"
                                     "  HostName 192.0.2.1\n"
                                     "  HostKeyAlias spark1\n"));
  EXPECT_THAT(printed.out, HasSubstr("Host spark2\n  HostName 198.51.100.12\n")) << "by a rail";
}

TEST_F(ExportForAllNodes, PrintsOnlyHostKeysOfNodesOfTheFile) {
  EXPECT_EQ(export_as("known-hosts", pair_).code, ExitCode::kUnknown) << "no daemon has reported";
  auto state = test::ready_node();
  state.host_keys = {{"spark2",
                      {"ssh-ed25519 AAAAC3Nz+/==", "ssh-rsa AAAA\n* ssh-rsa BBBB", "ssh-rsa",
                       "@cert-authority ssh-rsa", "ssh-rsa AAAA comment"}},
                     {"spark9", {"ssh-ed25519 AAAA"}}};
  test::put_state(host_.files(), state);
  const auto printed = export_as("known-hosts", pair_);
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_EQ(printed.out,
            "spark2,198.51.100.12 ssh-ed25519 AAAAC3Nz+/==\nspark2,198.51.100.12 ssh-rsa AAAA\n");
}

TEST_F(ExportForAllNodes, PrintsTheKeyOfThisNode) {
  const auto printed = export_as("node-key", pair_);
  const auto key = signing::NodeKey::load_or_make(host_.files());
  ASSERT_TRUE(key);
  EXPECT_EQ(printed.out, "spark1 ed25519 " + key->public_half() + "\n") << printed.err;
}

TEST_F(ExportForAllNodes, PrintsTheNodesForAnsibleByNumber) {
  const auto printed = export_as("ansible-inventory", kTwoIslands);
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_EQ(below_digest(printed.out),
            R"(# A roll-out begins with the first.
sparks:
  hosts:
    "spark2": { ansible_host: "192.0.2.2" }
    "spark3": {}
    "e.spark5": { spark_reconcile_node: "e.spark5" }
    "spark10": {}
    "alone": {}
sparks_away:
  hosts:
    "spark4": {}
)");
}

TEST_F(ExportForAllNodes, PrintsTheNodesForAnsibleInTheOrderOfARollOut) {
  const auto printed =
      export_as("ansible-inventory",
                std::string(kTwoIslands) + "rollout: { order: [[spark10], [spark3, spark4]] }\n");
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_EQ(below_digest(printed.out),
            R"(# A roll-out begins with the first.
# The groups of its `rollout`: -e '{"spark_reconcile_serial": [1, 1, 3]}'
sparks:
  hosts:
    "spark10": {}
    "spark3": {}
    "spark2": { ansible_host: "192.0.2.2" }
    "e.spark5": { spark_reconcile_node: "e.spark5" }
    "alone": {}
sparks_away:
  hosts:
    "spark4": {}
)");
}

TEST_F(ExportForAllNodes, PrintsTheEnvOfSparkVllmDocker) {
  const auto printed = export_as("vllm-env", pair_);
  EXPECT_EQ(printed.code, ExitCode::kDone);
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(
      printed.out,
      R"(# .env of spark-vllm-docker, for launch-cluster.sh on spark1. It gives these names to all nodes.
CLUSTER_NODES=198.51.100.11,198.51.100.12
COPY_HOSTS=198.51.100.12
LOCAL_IP=198.51.100.11
ETH_IF=enp1s0f0np0
IB_IF=rocep1s0f0,roceP2p1s0f0

# every rail, both of each cage; '=': these names, and none that begin so
CONTAINER_NCCL_IB_HCA==rocep1s0f0,roceP2p1s0f0

# RDMA or an error: without it a job silently continues over TCP
CONTAINER_NCCL_NET=IB

# the GID is found by what it is, on each device for itself: its index moves
CONTAINER_NCCL_IB_ADDR_FAMILY=AF_INET

# the smallest range with the addresses of all rails of all nodes
CONTAINER_NCCL_IB_ADDR_RANGE=192.0.0.0/4

# RoCE v2, which has IP addresses
CONTAINER_NCCL_IB_ROCE_VERSION_NUM=2

# each rail is a subnet of its own: from one to the other there is no way
CONTAINER_NCCL_CROSS_NIC=0

# GB10 has no GPUDirect RDMA: it is not tried
CONTAINER_NCCL_NET_GDR_LEVEL=LOC
CONTAINER_NCCL_DMABUF_ENABLE=0

# rail 0 of the cable or switch that every node is on
CONTAINER_NCCL_SOCKET_IFNAME==enp1s0f0np0

# the same, for Open MPI's own messages
CONTAINER_OMPI_MCA_oob_tcp_if_include=enp1s0f0np0

# RDMA devices with their port: the name of an interface would select TCP
CONTAINER_UCX_NET_DEVICES=rocep1s0f0:1,roceP2p1s0f0:1

# each rail is a subnet of its own: without it UCX to 1.18 takes every address for reachable from every rail; later ones ask the routes
CONTAINER_UCX_IB_ROCE_LOCAL_SUBNET=y
)");
}

TEST_F(ExportForAllNodes, OrForAJobOfSome) {
  EXPECT_THAT(export_for("spark1,spark2", "vllm-env").out,
              HasSubstr("CLUSTER_NODES=198.51.100.11,198.51.100.12\n"));
  EXPECT_THAT(export_for("spark1,spark2", "mpi-hostfile").out,
              AllOf(HasSubstr("198.51.100.12 slots=1\n"), Not(HasSubstr("spark3"))));
  EXPECT_THAT(export_for("spark1,spark2", "mpirun").out,
              HasSubstr("eval \"$(spark-reconcile export --format shell --nodes spark1,spark2)\""));
  EXPECT_THAT(export_for("spark2,spark3", "environment").err,
              HasSubstr("'spark1' is not among --nodes spark2,spark3"));
  EXPECT_THAT(export_for("spark1,spark3", "environment").err,
              HasSubstr("no cable or switch of the file joins spark1, spark3"));
  const auto docker = export_for("spark1,spark2", "docker-args");
  EXPECT_NE(docker.code, ExitCode::kDone);
  EXPECT_THAT(docker.err, HasSubstr("export --nodes spark1,spark2 > job.env"));
}

TEST_F(ExportForAllNodes, PutsTheNodeWhereItRunsFirst) {
  const auto text =
      pair_with("spark2: { number: 12 }, spark1: { number: 11 }", "", "[spark2:0, spark1:0]");
  EXPECT_THAT(export_as("vllm-env", text).out,
              HasSubstr("CLUSTER_NODES=198.51.100.11,198.51.100.12\n"));
}

TEST_F(ExportForAllNodes, PrintsTheNodesAndARecipesEnvForSparkrun) {
  const auto printed = export_as("sparkrun", pair_);
  EXPECT_EQ(printed.code, ExitCode::kDone);
  EXPECT_THAT(printed.out, AllOf(HasSubstr("# Once: sparkrun cluster create lab-a --hosts "
                                           "198.51.100.11,198.51.100.12\n"),
                                 HasSubstr("\nenv:\n  # every rail"),
                                 HasSubstr("\n  NCCL_IB_HCA: \"=rocep1s0f0,roceP2p1s0f0\"\n"),
                                 HasSubstr("\n  NCCL_IB_GID_INDEX: \"-1\"\n")));
}

TEST_F(ExportForAllNodes, LeavesOutAPinnedIndex) {
  const auto text = pair_ + "environment: { nccl: { gid_index: pinned } }\n";
  host_.files().put(protocol::kDefaultFile, text);
  text_ = text;
  EXPECT_EQ(apply().outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(export_as("environment", text).out, HasSubstr("NCCL_IB_GID_INDEX=1\n"));
  EXPECT_THAT(export_as("vllm-env", text).out, Not(HasSubstr("NCCL_IB_GID_INDEX")));
  EXPECT_THAT(export_as("sparkrun", text).out, HasSubstr("NCCL_IB_GID_INDEX: \"-1\""));
}

TEST_F(ExportForAllNodes, TakesTheVariablesOfTheFile) {
  const auto text = pair_ +
                    "environment: { nccl: { variables: { NCCL_IB_GID_INDEX: '3', "
                    "NCCL_SOCKET_IFNAME: '^docker0' } } }\n";
  EXPECT_THAT(export_as("vllm-env", text).out,
              AllOf(HasSubstr("\nCONTAINER_NCCL_IB_GID_INDEX=3\n"),
                    HasSubstr("\n# left out, since launch-cluster.sh would put quotes into it: "
                              "NCCL_SOCKET_IFNAME=^docker0\n"),
                    Not(HasSubstr("\nCONTAINER_NCCL_SOCKET_IFNAME"))));
  EXPECT_THAT(export_as("sparkrun", text).out,
              AllOf(HasSubstr("NCCL_IB_GID_INDEX: \"3\""), Not(HasSubstr("\"-1\""))));
}

TEST_F(ExportForAllNodes, PrintsNothingWhereTheNodesDiffer) {
  const auto refused = [&](const std::string& text, const char* why) {
    const auto printed = export_as("vllm-env", text);
    EXPECT_EQ(printed.code, ExitCode::kError) << why;
    EXPECT_EQ(printed.out, "") << why;
    EXPECT_THAT(printed.err, HasSubstr(why));
  };
  const std::string both = "spark1: { number: 11 }, spark2: { number: 12 }";
  refused(pair_with(both, "", "[spark1:0, spark2:1]"), "'spark2' uses other cages than 'spark1'");
  refused(pair_with("spark1: { number: 11 }, spark2: { number: 12, environment: { nccl: { "
                    "variables: { NCCL_DEBUG: INFO } } } }"),
          "the file gives 'spark2' other variables than 'spark1'");
  EXPECT_THAT(export_as("sparkrun", pair_with(both, "", "[spark1:0, spark2:1]")).err,
              HasSubstr("sparkrun gives one environment to all nodes"));
}

TEST_F(ExportForAllNodes, NamesNoFileThatIsNotThere) {
  for (const auto* environment : {"", "environment: {}\n"}) {
    const auto printed = export_as("docker-args", pair_ + environment);
    EXPECT_EQ(printed.code, ExitCode::kUnknown);
    EXPECT_EQ(printed.out, "");
    EXPECT_THAT(printed.err, HasSubstr("nccl.env is not there"));
    EXPECT_THAT(export_as("mpirun", pair_ + environment).out,
                HasSubstr("eval \"$(spark-reconcile export --format shell)\"; exec"));
  }
  host_.files().put(protocol::kNcclEnvironment, "NCCL_NET=IB\n");
  const auto text = pair_ + "environment: {}\n";
  EXPECT_THAT(export_as("docker-args", text).out, HasSubstr("--env-file /run/"));
  EXPECT_THAT(export_as("mpirun", text).out, HasSubstr("set -a; . /run/"));
}

TEST_F(ExportForAllNodes, PrintsNothingWhileARailIsAbsent) {
  host_.netlink().unplug("enP2p1s0f0np0");
  const auto printed = export_as("vllm-env", pair_);
  EXPECT_EQ(printed.code, ExitCode::kWaiting);
  EXPECT_EQ(printed.out, "");
  EXPECT_THAT(printed.err, HasSubstr("nothing to export"));
}

}  // namespace
}  // namespace spark::cli
