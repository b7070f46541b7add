#include "gate/checklist.hpp"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Answers = std::map<std::string, ChecklistResult, std::less<>>;

host::LinkHardware connectx(const std::string& link) {
  host::LinkHardware hardware;
  hardware.link = link;
  hardware.driver = "mlx5_core";
  hardware.pcie = host::PcieLink{"32.0 GT/s PCIe", "32.0 GT/s PCIe", 4, 16};
  hardware.pause = host::Pause{.autoneg = false, .rx = true, .tx = true};
  return hardware;
}

class Checklist : public GateTest {
 protected:
  Answers answers(const std::optional<GateReport>& of_daemon = std::nullopt) {
    host::View view(ports_);
    Answers answers;
    for (auto& result : go_through_checklist(view, of_daemon)) {
      answers.emplace(std::string(result.item.name), std::move(result));
    }
    return answers;
  }
};

TEST_F(Checklist, WithoutAConnectXSaysThatThereIsNone) {
  const auto said = answers();
  for (const auto* name : {"loopback-without-carrier", "shared-mtu", "pause", "fec-and-trust",
                           "lanes", "executable-memory"}) {
    EXPECT_EQ(said.at(name).answer, ChecklistAnswer::kNotHere) << name;
    EXPECT_THAT(said.at(name).seen, HasSubstr("mlx5_core"));
  }
}

TEST_F(Checklist, OfAConnectXSaysWhatItShows) {
  host_.hardware().facts().links = {connectx(kRail)};
  const auto said = answers();
  EXPECT_EQ(said.at("pause").answer, ChecklistAnswer::kAsExpected);
  EXPECT_EQ(said.at("pause").seen, std::string(kRail) + " rx on tx on");
  EXPECT_EQ(said.at("lanes").seen, std::string(kRail) + " 4 of 16 lanes, 32.0 GT/s PCIe");
  EXPECT_EQ(said.at("shared-mtu").answer, ChecklistAnswer::kByHand);
  EXPECT_EQ(said.at("shared-mtu").seen, std::string(kRail) + " 9000");
  EXPECT_EQ(said.at("loopback-without-carrier").seen, std::string(kRail) + " carrier");
  host_.netlink().set_cable(kRail, false);
  EXPECT_EQ(answers().at("loopback-without-carrier").seen, std::string(kRail) + " no carrier");
}

TEST_F(Checklist, FindsWhatDiffers) {
  auto port = connectx(kRail);
  port.pause->tx = false;
  port.pcie->width = 1;
  host_.hardware().facts().links = {port};
  const auto said = answers();
  EXPECT_EQ(said.at("pause").answer, ChecklistAnswer::kDifferent);
  EXPECT_EQ(said.at("lanes").answer, ChecklistAnswer::kDifferent);
}

TEST_F(Checklist, AsksTheDaemonsGateForExecutableMemory) {
  host_.hardware().facts().links = {connectx(kRail)};
  EXPECT_EQ(answers().at("executable-memory").answer, ChecklistAnswer::kByHand);
  EXPECT_EQ(answers(look()).at("executable-memory").answer, ChecklistAnswer::kAsExpected);
  host_.probe().answer_with([](const protocol::LoopbackRequest&) {
    protocol::LoopbackReport report;
    report.active_mtu = 4096;
    report.failed = "ibv_create_qp";
    report.why = "Cannot allocate memory";
    return Result<protocol::LoopbackReport>(report);
  });
  const auto failed = answers(look()).at("executable-memory");
  EXPECT_EQ(failed.answer, ChecklistAnswer::kDifferent);
  EXPECT_THAT(failed.seen, HasSubstr("ibv_create_qp"));
}

TEST_F(Checklist, SaysWhetherTheKernelHasNvmeTcp) {
  host_.modules().remove("nvme_tcp");
  EXPECT_EQ(answers().at("nvme-tcp").answer, ChecklistAnswer::kDifferent);
  host_.modules().add("nvme_tcp");
  const auto said = answers().at("nvme-tcp");
  EXPECT_EQ(said.answer, ChecklistAnswer::kAsExpected);
  EXPECT_THAT(said.seen, HasSubstr("a module that is not loaded"));
}

TEST_F(Checklist, SaysWhichUnitLimitsContainers) {
  EXPECT_EQ(answers().at("docker-memlock").answer, ChecklistAnswer::kNotHere);
  host_.files().put("/usr/lib/systemd/system/docker.service", "[Service]\nLimitNOFILE=1\n");
  EXPECT_EQ(answers().at("docker-memlock").answer, ChecklistAnswer::kByHand);
  host_.files().put("/usr/lib/systemd/system/docker.service", "[Service]\nLimitMEMLOCK=infinity\n");
  const auto said = answers().at("docker-memlock");
  EXPECT_EQ(said.answer, ChecklistAnswer::kAsExpected);
  EXPECT_EQ(said.seen, "LimitMEMLOCK: docker.service infinity");
}

TEST_F(Checklist, ChangesNothingAndMovesNoBytes) {
  host_.hardware().facts().links = {connectx(kRail)};
  const auto requests = host_.probe().requests().size();
  const auto said = answers();
  EXPECT_THAT(said, Not(IsEmpty()));
  EXPECT_EQ(host_.probe().requests().size(), requests);
}

TEST(ChecklistPage, HasTheSameQuestions) {
  std::set<std::string> on_page;
  std::ifstream page(SPARK_SOURCE_DIR "/docs/dev/on-a-real-spark.md");
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) on_page.insert(line.substr(3, line.find('`', 3) - 3));
  }
  std::set<std::string> asked;
  for (const auto& item : checklist_items()) asked.emplace(item.name);
  EXPECT_EQ(on_page, asked);
}

}  // namespace
}  // namespace spark::gate
