#include "config/cages.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace spark::config {
namespace {

Netdev port(std::string name, std::string port_name, std::string pci,
            std::string switch_id = "00c0ffee00c0ffee") {
  return {.name = std::move(name),
          .phys_switch_id = std::move(switch_id),
          .phys_port_name = std::move(port_name),
          .pci_address = std::move(pci)};
}

const Cages kDgxCages{{{0, 0}, "enp1s0f0np0"},
                      {{0, 1}, "enP2p1s0f0np0"},
                      {{1, 0}, "enp1s0f1np1"},
                      {{1, 1}, "enP2p1s0f1np1"}};

std::vector<Netdev> dgx_ports() {
  return {port("enp1s0f0np0", "p0", "0000:01:00.0"), port("enp1s0f1np1", "p1", "0000:01:00.1"),
          port("enP2p1s0f0np0", "p0", "0002:01:00.0"), port("enP2p1s0f1np1", "p1", "0002:01:00.1")};
}

TEST(FindCages, TakesTheSwitchIdAndPortNameOfTheKernel) {
  EXPECT_EQ(find_cages(dgx_ports(), {}), kDgxCages);
}

TEST(FindCages, DoesNotDependOnTheOrderOfTheDump) {
  auto devices = dgx_ports();
  std::ranges::reverse(devices);
  EXPECT_EQ(find_cages(devices, {}), kDgxCages);
}

TEST(FindCages, IgnoresNamesWhereThePortsSayOtherwise) {
  // After a rename the names of the two cages are swapped; the ports are not.
  const std::vector<Netdev> devices{
      port("enp1s0f1np1", "p0", "0000:01:00.0"), port("enp1s0f0np0", "p1", "0000:01:00.1"),
      port("enP2p1s0f1np1", "p0", "0002:01:00.0"), port("enP2p1s0f0np0", "p1", "0002:01:00.1")};
  const Cages swapped{{{0, 0}, "enp1s0f1np1"},
                      {{0, 1}, "enP2p1s0f1np1"},
                      {{1, 0}, "enp1s0f0np0"},
                      {{1, 1}, "enP2p1s0f0np0"}};
  EXPECT_EQ(find_cages(devices, {}), swapped);
}

TEST(FindCages, FindsPortsThatCarryNoDgxName) {
  const std::vector<Netdev> devices{
      port("eth2", "p0", "0000:01:00.0"), port("eth3", "p1", "0000:01:00.1"),
      port("eth4", "p0", "0002:01:00.0"), port("eth5", "p1", "0002:01:00.1")};
  const Cages expected{{{0, 0}, "eth2"}, {{0, 1}, "eth4"}, {{1, 0}, "eth3"}, {{1, 1}, "eth5"}};
  EXPECT_EQ(find_cages(devices, {}), expected);
}

TEST(FindCages, PlacesALonelyTwinByItsPciDomain) {
  const std::vector<Netdev> devices{port("enP2p1s0f1np1", "p1", "0002:01:00.1")};
  const Cages expected{{{1, 1}, "enP2p1s0f1np1"}};
  EXPECT_EQ(find_cages(devices, {}), expected);
}

TEST(FindCages, FallsBackToThePciFunctionNeverToTheSlot) {
  auto devices = dgx_ports();
  for (auto& device : devices) {
    device.phys_switch_id.clear();
    device.phys_port_name.clear();
  }
  EXPECT_EQ(find_cages(devices, {}), kDgxCages);
}

TEST(FindCages, LeavesTheManagementPortOfAnotherSlotAlone) {
  auto devices = dgx_ports();
  devices.push_back(port("enP7s7", "", "0007:01:00.0", ""));
  devices.push_back(port("wlP9s9", "", "0009:01:00.0", ""));
  EXPECT_EQ(find_cages(devices, {}), kDgxCages);
}

TEST(FindCages, TakesTheCardWithTheMostRails) {
  auto devices = dgx_ports();
  devices.push_back(port("enp5s0np0", "p0", "0000:05:00.0", "1111111111111111"));
  EXPECT_EQ(find_cages(devices, {}), kDgxCages);
}

TEST(FindCages, TakesNamesOnlyWhereNothingBetterIsKnown) {
  const std::vector<Netdev> devices{{.name = "enp1s0f0np0"}, {.name = "enP2p1s0f0np0"}};
  const Cages expected{{{0, 0}, "enp1s0f0np0"}, {{0, 1}, "enP2p1s0f0np0"}};
  EXPECT_EQ(find_cages(devices, {}), expected);
}

TEST(FindCages, KnowsAlternativeNames) {
  const std::vector<Netdev> devices{{.name = "fabric0", .altnames = {"enp1s0f0np0"}}};
  EXPECT_EQ(find_cages(devices, {}), (Cages{{{0, 0}, "fabric0"}}));
}

TEST(FindCages, BelievesTheFileAboveAll) {
  EXPECT_EQ(find_cages(dgx_ports(), {{0, {{"eth7", {}}, {"eth8", {}}}}}),
            (Cages{{{0, 0}, "eth7"}, {{0, 1}, "eth8"}}));
}

}  // namespace
}  // namespace spark::config
