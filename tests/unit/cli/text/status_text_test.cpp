#include "cli/text/status_text.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/plan/plan_context.hpp"
#include "diagnosis/texts.hpp"
#include "fake/fake_pass.hpp"
#include "node_state/problems.hpp"
#include "unit/cli/text_file.hpp"
#include "unit/daemon/states.hpp"

namespace spark::cli {
namespace {

/// Two nodes on a cable in cage 0, and two links beside it.
constexpr const char* kPair = R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11, links: { enP7s7: { mtu: 1500 }, usb0: { mtu: 1500 } } }
  spark2: { number: 12 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/24, 203.0.113.0/24] }
)";

/// Three nodes on a switch in cage 1, and nothing in cage 0.
constexpr const char* kSwitch = R"(version: 1
cluster: rack
nodes: { spark1: { number: 11 }, spark2: { number: 12 }, spark3: { number: 13 } }
fabric:
  mtu: 9000
  unused_cages: down
  switches:
    - { name: sw, ports: [spark1:1, spark2:1, spark3:1], subnets: [198.51.100.0/24, 203.0.113.0/24] }
)";

/// One setting and no link.
constexpr const char* kSetting = R"(version: 1
cluster: one
nodes: { spark1: {} }
host: { sysctl: { net.core.rmem_max: 777777 } }
)";

/// The management link has to go down.
constexpr const char* kRefused = R"(version: 1
cluster: one
nodes: { spark1: { management: enP7s7, links: { enP7s7: { up: false } } } }
)";

class StatusText : public testing::Test {
 protected:
  StatusText() { test::add_spark(machine_); }

  /// The screen and the closing line.
  std::string shown(const std::string& file, Color color = Color::kNever) {
    const TextFile text;
    const Terminal terminal(text.stream(), text.stream(), color, false);
    auto host = machine_.host();
    const Command command{arguments_, terminal, log_, host};
    auto context = context_of(command, file);
    terminal.print(status_text(context, cables_, terminal));
    terminal.print(status_line(context.plan, command));
    return text.text();
  }

  void apply_file(const std::string& file) {
    auto host = machine_.host();
    EXPECT_EQ(test::apply_on(host, test::node_on(machine_, file)).outcome,
              apply::Report::Outcome::kApplied);
  }

  CablesShown cables_;
  /// Which the command line named, for the next step.
  Arguments arguments_;
  test::FakeHost machine_;

 private:
  static PlanContext context_of(const Command& command, const std::string& file) {
    std::string note;
    return *plan_context(command, parse_cluster_text("cluster.yaml", file),
                         host::View(command.host), note);
  }

  const Log log_{stderr, {}};
};

TEST_F(StatusText, SaysOfEachLinkWhatIsThereAndWhatShouldBe) {
  EXPECT_EQ(shown(kPair), R"(spark1 of cluster 'pair'  cluster.yaml, digest 8144a183e837

  cage 0 ══ cable ══ spark2 cage 0  ? not proven
  ├─ rail 0  enp1s0f0np0      up  carrier  mtu 1500 (want 9000)  (want 198.51.100.11/24)
  └─ rail 1  enP2p1s0f0np0    up  carrier  mtu 1500 (want 9000)  (want 203.0.113.11/24)

  other links
  ├─ enP7s7           up  carrier  mtu 1500  192.0.2.10/24
  └─ usb0             no such device (waiting)

  waiting: mtu usb0 (cluster.yaml:4)
    no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]

differs: 2 to add, 12 to change, 0 to remove; 3 in sync; 1 waiting. Next: spark-reconcile plan
)");
}

TEST_F(StatusText, OfANodeThatWaitsForADevice) {
  apply_file(kPair);
  EXPECT_EQ(shown(kPair), R"(spark1 of cluster 'pair'  cluster.yaml, digest 8144a183e837

  cage 0 ══ cable ══ spark2 cage 0  ? not proven
  ├─ rail 0  enp1s0f0np0      up  carrier  mtu 9000  198.51.100.11/24
  └─ rail 1  enP2p1s0f0np0    up  carrier  mtu 9000  203.0.113.11/24

  other links
  ├─ enP7s7           up  carrier  mtu 1500  192.0.2.10/24
  └─ usb0             no such device (waiting)

  waiting: mtu usb0 (cluster.yaml:4)
    no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]

waiting: 17 in sync; 1 waiting
)");
}

TEST_F(StatusText, ShowsWhoIsAtTheOtherEndBySign) {
  apply_file(kPair);
  cables_["enp1s0f0np0"] = {.state = gate::CablingState::kProven,
                            .by = {.node = "spark2", .cage = 0}};
  EXPECT_THAT(shown(kPair), testing::HasSubstr("══ spark2 cage 0  ✓ proven\n"));
  cables_["enP2p1s0f0np0"] = {.state = gate::CablingState::kWrong,
                              .by = {.node = "spark3", .cage = 1}};
  EXPECT_THAT(shown(kPair), testing::HasSubstr("══ spark2 cage 0  ✗ wrong: spark3:1 instead\n"));
}

TEST_F(StatusText, OfANodeInSync) {
  apply_file(kSetting);
  EXPECT_EQ(shown(kSetting), R"(spark1 of cluster 'one'  cluster.yaml, digest f3c0dcb0cdee

in sync: 1 in sync
)");
}

TEST_F(StatusText, OfASwitchAndOfCagesThatAreUnused) {
  machine_.netlink().set_cable("enp1s0f1np1", false);
  machine_.netlink().unplug("enP2p1s0f0np0");
  EXPECT_TRUE(machine_.netlink().set_up("enP2p1s0f1np1", false));
  EXPECT_EQ(shown(kSwitch), R"(spark1 of cluster 'rack'  cluster.yaml, digest e243bca0dbed

  cage 0 unused
  ├─ rail 0  enp1s0f0np0      up (want down)  carrier  mtu 1500
  └─ rail 1  enP2p1s0f0np0    no such device, as good as down

  cage 1 ══ switch sw ══ 2 peers  ? not proven
  ├─ rail 0  enp1s0f1np1      up  no carrier  mtu 1500 (want 9000)  (want 198.51.100.11/24)
  └─ rail 1  enP2p1s0f1np1    down (want up)  no carrier  mtu 1500 (want 9000)  (want 203.0.113.11/24)

  not enforced: link enp1s0f0np0 (cluster.yaml:6)
    cage 0 has a carrier and is not in the file: move the plug, or write spark1:0 in `ends`; it is left as it is [SR-LINK-003]

differs: 2 to add, 12 to change, 0 to remove; 5 in sync; 1 not enforced. Next: spark-reconcile plan
)");
}

TEST_F(StatusText, HasRoomForAFewAddresses) {
  for (const auto* address : {"192.0.2.31/24", "192.0.2.32/24", "192.0.2.33/24", "192.0.2.34/24"}) {
    machine_.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse(address)});
  }
  EXPECT_EQ(shown(kPair), R"(spark1 of cluster 'pair'  cluster.yaml, digest 8144a183e837

  cage 0 ══ cable ══ spark2 cage 0  ? not proven
  ├─ rail 0  enp1s0f0np0      up  carrier  mtu 1500 (want 9000)  (want 198.51.100.11/24)
  └─ rail 1  enP2p1s0f0np0    up  carrier  mtu 1500 (want 9000)  (want 203.0.113.11/24)

  other links
  ├─ enP7s7           up  carrier  mtu 1500  192.0.2.10/24, 192.0.2.31/24, 192.0.2.32/24, 192.0.2.33/24, and 1 more
  └─ usb0             no such device (waiting)

  waiting: mtu usb0 (cluster.yaml:4)
    no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]

differs: 2 to add, 12 to change, 0 to remove; 3 in sync; 1 waiting. Next: spark-reconcile plan
)");
}

TEST_F(StatusText, ShowsTheRoutesOfALinkAndHowTheyStand) {
  std::string routed = kPair;
  const std::string link = "links: { ";
  routed.insert(routed.find(link) + link.size(),
                "enp1s0f0np0: { routes: [{ to: 10.77.0.0/16, via: 198.51.100.12 }, "
                "{ to: 10.78.0.0/16, via: 198.51.100.12, metric: 50 }] }, ");
  EXPECT_THAT(shown(routed),
              testing::HasSubstr("  route (want 10.77.0.0/16 via 198.51.100.12), "
                                 "(want 10.78.0.0/16 metric 50 via 198.51.100.12)\n"));
  apply_file(routed);
  EXPECT_THAT(shown(routed), testing::HasSubstr("  route 10.77.0.0/16 via 198.51.100.12, "
                                                "10.78.0.0/16 metric 50 via 198.51.100.12\n"));
  auto routes = machine_.netlink().routes().value();
  const auto ours = std::ranges::find(routes, host::kMadeByUs, &host::RouteInfo::protocol);
  machine_.netlink().remove_route(*ours);
  ours->protocol = 4;
  ours->gateway = IpAddress::parse("198.51.100.99");
  machine_.netlink().add_route(*ours);
  EXPECT_THAT(shown(routed),
              testing::AllOf(testing::HasSubstr("10.77.0.0/16 via 198.51.100.12 (not enforced), "),
                             testing::HasSubstr("[SR-ROUTE-003]")));
}

TEST_F(StatusText, PaintsWhatDiffersAndWhatWaits) {
  machine_.netlink().set_cable("enp1s0f0np0", false);
  EXPECT_EQ(
      shown(kPair, Color::kAlways),
      "\x1b[1mspark1 of cluster 'pair'  cluster.yaml, digest 8144a183e837\x1b[0m\n"
      "\n"
      "  cage 0 ══ cable ══ spark2 cage 0  \x1b[33m?\x1b[0m not proven\n"
      "  ├─ rail 0  enp1s0f0np0      up  \x1b[33mno carrier\x1b[0m  mtu 1500\x1b[31m (want "
      "9000)\x1b[0m  \x1b[31m(want 198.51.100.11/24)\x1b[0m\n"
      "  └─ rail 1  enP2p1s0f0np0    up  carrier  mtu 1500\x1b[31m (want 9000)\x1b[0m  "
      "\x1b[31m(want 203.0.113.11/24)\x1b[0m\n"
      "\n"
      "  other links\n"
      "  ├─ enP7s7           up  carrier  mtu 1500  192.0.2.10/24\n"
      "  └─ usb0             \x1b[33mno such device (waiting)\x1b[0m\n"
      "\n"
      "  \x1b[33mcable:\x1b[0m cage 0 has no carrier; cage 1 has a carrier and is not in the file: "
      "move the plug, or write spark1:1 in `ends`\n"
      "  \x1b[33mwaiting:\x1b[0m mtu usb0\x1b[2m (cluster.yaml:4)\x1b[0m\n"
      "    no device 'usb0': it is set up by the next apply after the device appears "
      "[SR-LINK-001]\n"
      "\n"
      "\x1b[31mdiffers\x1b[0m: 2 to add, 12 to change, 0 to remove; 3 in sync; 1 waiting. "
      "Next: spark-reconcile plan\n");
}

TEST_F(StatusText, OfARefusedFileSaysWhy) {
  EXPECT_EQ(shown(kRefused), R"(spark1 of cluster 'one'  cluster.yaml, digest 875f9f26a536

  other links
  └─ enP7s7           up (want down)  carrier  mtu 1500  192.0.2.10/24

refused: changing link enP7s7 would cut this machine off: the file names it as the management link. `spark-reconcile apply --confirm 60s` makes it, and rolls it back unless you confirm; or change the file
)");
}

TEST_F(StatusText, NamesTheNextStepForTheSameFile) {
  arguments_ = {.file = "ring.yaml", .node = "spark1"};
  EXPECT_EQ(shown(kSetting), R"(spark1 of cluster 'one'  cluster.yaml, digest f3c0dcb0cdee

differs: 0 to add, 1 to change, 0 to remove; 0 in sync. Next: spark-reconcile plan -f ring.yaml -n spark1
)");
}

TEST_F(StatusText, GivesTheTerminalNoOrdersOfOthers) {
  plan::Plan plan;
  plan.refusals = {{kinds::Refusal::Why::kRefused, "SR-GUARD-001", "by '\x1b[32m\n'", {}}};
  const Terminal terminal(stdout, stderr, Color::kNever, false);
  const Log log(stderr, {});
  auto host = machine_.host();
  EXPECT_EQ(status_line(plan, {arguments_, terminal, log, host}), "refused: by '\\x1b[32m\\x0a'\n");
}

TEST_F(StatusText, OfAReleasedNodeNamesTheWaysOut) {
  arguments_ = {.file = "ring.yaml"};
  const Terminal terminal(stdout, stderr, Color::kAlways, false);
  const Log log(stderr, {});
  auto host = machine_.host();
  EXPECT_EQ(released_text({arguments_, terminal, log, host}),
            "\x1b[33mreleased\x1b[0m: this node is released: nothing is set. `spark-reconcile "
            "apply -f ring.yaml` or `spark-reconcile resume -f ring.yaml` ends that\n");
}

/// What `status --here` says is wrong with that node.
std::string roots_of(const node_state::NodeState& state) {
  const Terminal terminal(stdout, stderr, Color::kNever, false);
  return roots_text(node_state::diagnosis_of(state, daemon::test_now()).roots, terminal);
}

TEST(RootsText, HasEachRootOnceWithItsRemedy) {
  for (const auto& [name, state] : daemon::test_states()) {
    if (name == "huge" || name == "hostile") continue;  // they say the same of many things
    const auto text = roots_of(state);
    for (const auto& root : node_state::diagnosis_of(state, daemon::test_now()).roots) {
      const auto sentence = " " + written(text_of(diagnosis::alike_in(root).front()));
      const auto first = text.find(sentence);
      ASSERT_NE(first, std::string::npos) << name << ": " << sentence << "\n" << text;
      EXPECT_EQ(text.find(sentence, first + 1), std::string::npos) << name << ": " << sentence;
      EXPECT_THAT(text.substr(first), testing::HasSubstr(written(text_of(root.problem.remedy))))
          << name;
    }
  }
  EXPECT_EQ(roots_of(daemon::test_states().at("ring")), "");
}

TEST(RootsText, SaysOnceWhatIsTheSameOfSeveralRails) {
  EXPECT_EQ(roots_of(daemon::test_states().at("waiting")),
            "  ! link of enp1s0f0np0 and enP2p1s0f0np0: no such device [SR-GATE-001] (and 2 that "
            "follow)\n"
            "    plug the cable: a Spark powers its ConnectX-7 off without one\n");
}

TEST(RootsText, SaysHowADriftStandsAndWhoWritesIt) {
  node_state::NodeState state;
  state.drifts = {{.kind = "mtu",
                   .key = "eth0",
                   .state = node_state::Drift::State::kFailed,
                   .have = "1500",
                   .want = "9000",
                   .why = "no rights\n",
                   .on = {.link = "eth0", .ip = {}}},
                  {.kind = "mtu",
                   .key = "eth1",
                   .state = node_state::Drift::State::kContested,
                   .have = "1500",
                   .want = "9000",
                   .why = "3 times",
                   .held_until = daemon::test_now(),
                   .remedy = "change F:5",
                   .on = {.link = "eth1", .ip = {}}}};
  EXPECT_EQ(roots_of(state),
            "  ✗ mtu of eth0: 1500, the file says 9000\n"
            "    failed: no rights\\x0a\n"
            "    `spark-reconcile plan`, then look at what the error names\n"
            "  ✗ mtu of eth1: 1500, the file says 9000\n"
            "    contested, left alone until 06:07:08 UTC: 3 times\n"
            "    change F:5; then `spark-reconcile resume` corrects it at once\n");
}

TEST(RootsText, SaysWhatWaitsForAJobAndWhatNamesIt) {
  node_state::NodeState state;
  state.disturb_waits = {{.kind = "mtu",
                          .key = "eth1",
                          .have = "9000",
                          .want = "4000",
                          .asked = "slurm: job 7",
                          .on = {.link = "eth1", .ip = {}}}};
  EXPECT_EQ(roots_of(state),
            "  ! mtu of eth1: 9000, the file says 4000\n"
            "    waits for a job: slurm: job 7\n"
            "    wait for the job that `spark-reconcile jobs` names, or end it; `spark-reconcile "
            "apply` makes the change now, and disturbs it\n");
}

}  // namespace
}  // namespace spark::cli
