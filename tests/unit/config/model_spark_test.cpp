#include "config/model_spark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::config {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(ModelDevices, AreTheFourRailsOfASpark) {
  const auto devices = model_devices({});
  const auto cages = find_cages(devices, {});
  ASSERT_EQ(cages.size(), 4U);
  for (const auto& [rail, name] : cages) EXPECT_EQ(name, dgx_name(rail));
  EXPECT_EQ(devices.front().rdma, (RdmaPlace{"rocep1s0f0", 1}));
}

TEST(ModelDevices, AreThoseThatTheFileNames) {
  const NodeSpec spec{.cages = {{0, {{"eth2", {}}, {"enP2p1s0f0np0", {}}}}}};
  const auto devices = model_devices(spec);
  ASSERT_THAT(devices,
              ElementsAre(Field(&Netdev::name, "eth2"), Field(&Netdev::name, "enP2p1s0f0np0")));
  EXPECT_EQ(devices[0].rdma->device, stand_in_for_rdma_of("eth2")) << "only the machine knows it";
  EXPECT_EQ(devices[1].rdma->device, "roceP2p1s0f0") << "DGX OS names it so";
}

}  // namespace
}  // namespace spark::config
