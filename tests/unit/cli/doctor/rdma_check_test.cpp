#include <filesystem>
#include <fstream>

#include "cli/doctor/checks.hpp"
#include "fake/temporary_folder.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

class RdmaCheck : public ::testing::Test {
 protected:
  RdmaCheck() {
    test::add_spark(machine_, test::dgx_rail_names());
    add_verbs();
  }

  /// /dev/infiniband/uverbs0, open to all users as the kernel makes it.
  void add_verbs() {
    machine_.files().put("/dev/infiniband/uverbs0", "");
    const auto folder = root_.path() / "dev/infiniband";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "uverbs0").put('\n');
    std::filesystem::permissions(folder / "uverbs0", std::filesystem::perms{0666});
  }

  Findings found() { return asked(check_rdma, machine_, root_.path().string()); }

  test::FakeHost machine_;
  test::TemporaryFolder root_;
};

TEST_F(RdmaCheck, AnswersWhetherItIsInfiniBand) {
  for (const auto* device : {"rocep1s0f0", "roceP2p1s0f0"}) {
    machine_.files().put(std::string("/sys/class/infiniband/") + device + "/ports/1/link_layer",
                         "Ethernet\n");
  }
  EXPECT_THAT(found(), ElementsAre(says("rdma", Severity::kGood,
                                        "RoCE v2 over Ethernet, which needs no subnet manager"),
                                   says("verbs", Severity::kGood, "all users may open")));
  machine_.files().put("/sys/class/infiniband/roceP2p1s0f0/ports/1/link_layer", "InfiniBand\n");
  EXPECT_THAT(found(),
              Contains(says("rdma", Severity::kPrevents, "and a rail is Ethernet: roceP2p1s0f0")));
}

TEST_F(RdmaCheck, NamesTheRailsWithoutADevice) {
  machine_.rdma().detach("rocep1s0f0");
  EXPECT_THAT(found(),
              Contains(AllOf(says("rdma", Severity::kPrevents, "no RDMA device: enp1s0f0np0"),
                             Field(&Finding::remedy, HasSubstr("modprobe mlx5_ib")))));
}

TEST_F(RdmaCheck, NamesVerbsThatNotAllMayOpen) {
  std::filesystem::permissions(root_.path() / "dev/infiniband/uverbs0",
                               std::filesystem::perms{0660});
  EXPECT_THAT(found(), Contains(says("verbs", Severity::kLook,
                                     "not all users may open /dev/infiniband/uverbs0")));
  machine_.files().erase("/dev/infiniband/uverbs0");
  EXPECT_THAT(found(),
              Contains(says("verbs", Severity::kPrevents, "there is no /dev/infiniband/uverbs0")));
}

TEST(RdmaCheckWithoutACard, IsNotApplicable) {
  test::FakeHost machine;
  EXPECT_THAT(asked(check_rdma, machine),
              ElementsAre(says("rdma", Severity::kGood, "not applicable")));
}

}  // namespace
}  // namespace spark::cli
