#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

/// Two nodes on a cable.
constexpr const char* kPlainPair = R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/24, 203.0.113.0/24] }
)";

class GateOutput : public test::PassTest {
 protected:
  GateOutput() {
    text_ = kPlainPair;
    host_.files().put(protocol::kDefaultFile, text_);
    EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  }
};

TEST_F(GateOutput, OfAReadyNode) {
  const auto printed = run_verb("gate", host_);
  EXPECT_EQ(printed.code, ExitCode::kDone);
  EXPECT_EQ(printed.out, R"(spark1 of cluster 'pair'

  enp1s0f0np0 (rocep1s0f0)  198.51.100.11
    ✓ link       up, carrier
    ✓ mtu        9000
    ✓ address    198.51.100.11/24
    ✓ port       rocep1s0f0 active
    ✓ gid        RoCE v2, now at index 1
    ✓ path mtu   4096
    ✓ memlock    4 MiB registered in this session, as without CAP_IPC_LOCK
    ✓ loopback   WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 1.5 us, p99 2.5 us
    ✓ peers      spark2 (198.51.100.12) answers 9000 bytes in 0.21 ms
    ✓ cabling    spark2:0 answers

  enP2p1s0f0np0 (roceP2p1s0f0)  203.0.113.11
    ✓ link       up, carrier
    ✓ mtu        9000
    ✓ address    203.0.113.11/24
    ✓ port       roceP2p1s0f0 active
    ✓ gid        RoCE v2, now at index 1
    ✓ path mtu   4096
    ✓ memlock    4 MiB registered in this session, as without CAP_IPC_LOCK
    ✓ loopback   WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 1.5 us, p99 2.5 us
    ✓ peers      spark2 (203.0.113.12) answers 9000 bytes in 0.21 ms
    ✓ cabling    spark2:0 answers

  node
    ✓ service    4 MiB registered in a new service, which may lock without limit

spark1: ready: the node is proven; its peers answer over every rail
)");
  EXPECT_EQ(printed.err, "");
}

TEST_F(GateOutput, OfANodeWithoutACable) {
  host_.netlink().set_cable("enp1s0f0np0", false);
  const auto printed = run_verb("gate", host_);
  EXPECT_EQ(printed.code, ExitCode::kWaiting);
  EXPECT_EQ(printed.out, R"(spark1 of cluster 'pair'

  enp1s0f0np0 (rocep1s0f0)  198.51.100.11
    ✗ link       up, no carrier [SR-GATE-001]
                 cage 1 has a carrier and is not in the file: move the plug, or write spark1:1 in `ends`
    ✓ mtu        9000
    ✓ address    198.51.100.11/24
    ✗ port       rocep1s0f0 is not active (state 1, physical state 3) [SR-GATE-004]
                 it follows the link: see there first
    ✓ gid        RoCE v2, now at index 1
    ✓ path mtu   4096
    ✓ memlock    4 MiB registered in this session, as without CAP_IPC_LOCK
    ✓ loopback   WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 1.5 us, p99 2.5 us

  enP2p1s0f0np0 (roceP2p1s0f0)  203.0.113.11
    ✓ link       up, carrier
    ✓ mtu        9000
    ✓ address    203.0.113.11/24
    ✓ port       roceP2p1s0f0 active
    ✓ gid        RoCE v2, now at index 1
    ✓ path mtu   4096
    ✓ memlock    4 MiB registered in this session, as without CAP_IPC_LOCK
    ✓ loopback   WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 1.5 us, p99 2.5 us
    ✓ peers      spark2 (203.0.113.12) answers 9000 bytes in 0.21 ms
    ✓ cabling    spark2:0 answers

  node
    ✓ service    4 MiB registered in a new service, which may lock without limit

spark1: not ready: link of enp1s0f0np0: up, no carrier [SR-GATE-001]
)");
}

TEST_F(GateOutput, PaintsTheSigns) {
  host_.netlink().set_cable("enp1s0f0np0", false);
  EXPECT_EQ(
      run_verb("gate", host_, {.color = Color::kAlways}).out,
      "\x1b[1mspark1 of cluster 'pair'\x1b[0m\n"
      "\n"
      "  enp1s0f0np0 (rocep1s0f0)  198.51.100.11\n"
      "    \x1b[31m✗\x1b[0m link       up, no carrier [SR-GATE-001]\n"
      "                 cage 1 has a carrier and is not in the file: move the plug, or write "
      "spark1:1 in `ends`\n"
      "    \x1b[32m✓\x1b[0m mtu        9000\n"
      "    \x1b[32m✓\x1b[0m address    198.51.100.11/24\n"
      "    \x1b[31m✗\x1b[0m port       rocep1s0f0 is not active (state 1, physical state 3) "
      "[SR-GATE-004]\n"
      "                 it follows the link: see there first\n"
      "    \x1b[32m✓\x1b[0m gid        RoCE v2, now at index 1\n"
      "    \x1b[32m✓\x1b[0m path mtu   4096\n"
      "    \x1b[32m✓\x1b[0m memlock    4 MiB registered in this session, as without CAP_IPC_LOCK\n"
      "    \x1b[32m✓\x1b[0m loopback   WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 1.5 us, "
      "p99 2.5 us\n"
      "\n"
      "  enP2p1s0f0np0 (roceP2p1s0f0)  203.0.113.11\n"
      "    \x1b[32m✓\x1b[0m link       up, carrier\n"
      "    \x1b[32m✓\x1b[0m mtu        9000\n"
      "    \x1b[32m✓\x1b[0m address    203.0.113.11/24\n"
      "    \x1b[32m✓\x1b[0m port       roceP2p1s0f0 active\n"
      "    \x1b[32m✓\x1b[0m gid        RoCE v2, now at index 1\n"
      "    \x1b[32m✓\x1b[0m path mtu   4096\n"
      "    \x1b[32m✓\x1b[0m memlock    4 MiB registered in this session, as without CAP_IPC_LOCK\n"
      "    \x1b[32m✓\x1b[0m loopback   WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 1.5 us, "
      "p99 2.5 us\n"
      "    \x1b[32m✓\x1b[0m peers      spark2 (203.0.113.12) answers 9000 bytes in 0.21 ms\n"
      "    \x1b[32m✓\x1b[0m cabling    spark2:0 answers\n"
      "\n"
      "  node\n"
      "    \x1b[32m✓\x1b[0m service    4 MiB registered in a new service, which may lock without "
      "limit\n"
      "\n"
      "spark1: \x1b[31mnot ready\x1b[0m: link of enp1s0f0np0: up, no carrier [SR-GATE-001]\n");
}

TEST_F(GateOutput, GivesTheTerminalNoOrdersOfOthers) {
  host_.probe().answer_with([](const protocol::LoopbackRequest&) {
    protocol::LoopbackReport report;
    report.active_mtu = 4096;
    report.failed = "ibv_reg_mr";
    report.why = "by '\x1b[32m\n'";
    return Result<protocol::LoopbackReport>(report);
  });
  EXPECT_EQ(run_verb("gate", host_, {.color = Color::kAlways, .quiet = true}).out,
            "spark1: \x1b[31mnot ready\x1b[0m: loopback of enp1s0f0np0: ibv_reg_mr: by "
            "'\\x1b[32m\\x0a' [SR-GATE-007]\n");
}

TEST_F(GateOutput, OfAFileWithErrorsIsThese) {
  host_.files().put(protocol::kDefaultFile, "version: 1\nclustre: pair\n");
  const auto printed = run_verb("gate", host_);
  EXPECT_EQ(printed.code, ExitCode::kInvalidFile);
  EXPECT_EQ(printed.out, "");
  EXPECT_EQ(printed.err,
            R"(/etc/spark-reconcile/cluster.yaml:1:1: error: missing key 'nodes' [SR-SPEC-012]
    1 | version: 1
      | ^
      = add it, as in nodes: { spark1: {}, spark2: {} }

/etc/spark-reconcile/cluster.yaml:2:1: error: unknown key 'clustre', did you mean 'cluster'? [SR-SPEC-004]
    2 | clustre: pair
      | ^
      = keys here: version, cluster, nodes, external, fabric, host, storage, ready, drift, environment, rollout, take_over

/etc/spark-reconcile/cluster.yaml: 2 errors; nothing was touched
)");
}

}  // namespace
}  // namespace spark::cli
