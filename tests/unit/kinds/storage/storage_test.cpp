// Connections and mounts as a whole pass sees them, in a world where targets are lost, volumes are
// busy, and other nodes write.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "kinds/storage/storage_units.hpp"
#include "plan/plan.hpp"
#include "plan/release.hpp"
#include "protocol/nvme.hpp"

namespace spark::kinds {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Property;

constexpr const char* kNqn = "nqn.2014-08.org.example:data";
constexpr const char* kMountPath = "/mnt/data";

/// pair_text() without its storage, or with other words in it.
std::string without_storage_lines() {
  const auto text = test::pair_text();
  return text.substr(0, text.find("storage:"));
}

std::string with(const std::string& from, const std::string& to) {
  auto text = test::pair_text();
  return text.replace(text.find(from), from.size(), to);
}

class StorageTest : public test::PassTest {
 protected:
  /// As a boot leaves it: nothing below /run, nothing connected.
  void reboot() {
    auto& files = host_.files();
    for (const auto* folder : {"/run/systemd/system", protocol::kNvmeFolder}) {
      const auto names = files.list(folder);
      for (const auto& name : *names) {
        static_cast<void>(files.remove(std::string(folder) + "/" + name));
      }
    }
    host_.run_systemd();
    host_.storage().cut_power();
  }

  bool has_address() {
    const auto addresses = host_.netlink().addresses().value();
    return std::ranges::any_of(addresses, [](const host::AddressInfo& address) {
      return address.address.text() == "198.51.100.11/24";
    });
  }

  test::FakeTarget& target() { return *host_.storage().target(kNqn); }
};

/// Why the step of that name waits; empty: it is done, has failed, or was not tried.
std::string why_it_waits(const apply::Report& report, const plan::Plan& plan,
                         const std::string& name) {
  const auto made = std::ranges::find(report.steps, name, [&](const apply::StepReport& step) {
    return plan.steps[step.step].name();
  });
  return made != report.steps.end() && made->waits() ? made->why_not() : "";
}

std::vector<std::string> steps_of(const plan::Plan& plan) {
  std::vector<std::string> names;
  std::ranges::transform(plan.steps, std::back_inserter(names), &plan::Step::name);
  return names;
}

/// "SR-NVME-002" of the resources that were skipped.
std::vector<std::string> ids_of(const plan::Plan& plan) {
  std::vector<std::string> ids;
  std::ranges::transform(plan.skipped, std::back_inserter(ids),
                         [](const plan::SkippedResource& item) { return item.skipped.id; });
  return ids;
}

const std::string kConnection = std::string("nvme ") + kNqn + " 198.51.100.12 4420";
const std::string kMounted = std::string("mount ") + kMountPath;

TEST_F(StorageTest, ConnectsAndMountsInOneApply) {
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
  const auto* mount = host_.storage().mounted(kMountPath);
  ASSERT_NE(mount, nullptr);
  EXPECT_TRUE(mount->writable);
  EXPECT_THAT(mount->options, Contains("noatime"));
}

TEST_F(StorageTest, ATargetThatRefusesRollsBackNoAddress) {
  target().refuses = protocol::kHostRefused;
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_EQ(report.exit_code(), ExitCode::kUnknown);
  EXPECT_TRUE(has_address());
  EXPECT_THAT(ids_of(*report.left), ElementsAre("SR-NVME-005", "SR-MOUNT-001"));
}

TEST_F(StorageTest, ASilentTargetWaits) {
  target().refuses = protocol::kSilent;
  EXPECT_EQ(apply().exit_code(), ExitCode::kWaiting);
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-NVME-003", "SR-MOUNT-001"));
  EXPECT_THAT(steps_of(plan()), IsEmpty()) << "its unit goes on trying";
}

TEST_F(StorageTest, ALocalFailureStillRollsBackAllOfIt) {
  host_.refuse_if("/etc/hosts");
  EXPECT_EQ(apply().outcome, apply::Report::Outcome::kRolledBack);
  EXPECT_EQ(host_.storage().mounted(kMountPath), nullptr);
  EXPECT_FALSE(has_address());
}

TEST_F(StorageTest, ALocalFailureAlsoRollsBackAConnectionThatWaits) {
  target().refuses = protocol::kSilent;
  host_.refuse_if("/etc/hosts");
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack);
  EXPECT_THAT(report.differs, IsEmpty());
}

TEST_F(StorageTest, TriesAgainByItselfWhenNobodyElseDoesAnyMore) {
  target().refuses = protocol::kSilent;
  static_cast<void>(apply());
  target().refuses.clear();
  host_.storage().pass(3600);
  EXPECT_THAT(steps_of(plan()), ElementsAre(kConnection, kMounted));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
}

TEST_F(StorageTest, ALostTargetIsWaitedForAndNothingIsTouched) {
  static_cast<void>(apply());
  host_.storage().set_state(kNqn, "connecting");
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-NVME-011", "SR-MOUNT-001"));
  host_.forget_writes();
  static_cast<void>(apply());
  EXPECT_THAT(host_.written(), IsEmpty());
}

TEST_F(StorageTest, ConnectsAgainWhatWasDisconnectedByHand) {
  static_cast<void>(apply());
  host_.storage().disconnect(kNqn);
  EXPECT_THAT(steps_of(plan()), Contains(kConnection));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
}

TEST_F(StorageTest, TakesOverAConnectionThatWasMadeByHandAndItsTimers) {
  host_.files().put(protocol::kHostNqnFile,
                    "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-"
                    "000000000001\n");
  host_.files().put(protocol::kHostIdFile, "00000000-0000-4000-8000-000000000001\n");
  host_.storage().connect(kNqn, "", false);
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto world = host_.storage().nvme();
  ASSERT_EQ(world->controllers.size(), 1U);
  EXPECT_TRUE(world->controllers.front().forever);
}

TEST_F(StorageTest, LeavesAConnectionOfAnotherHostNqnAlone) {
  host_.files().put(protocol::kHostNqnFile, "nqn.2014-08.org.example:me\n");
  host_.files().put(protocol::kHostIdFile, "00000000-0000-4000-8000-000000000002\n");
  host_.storage().connect(kNqn);
  EXPECT_THAT(ids_of(plan()), Contains("SR-NVME-012"));
}

TEST_F(StorageTest, KeepsAnIdentityThatIsThere) {
  host_.files().put(protocol::kHostNqnFile,
                    "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-4333-8444-"
                    "555555555555\n");
  static_cast<void>(apply());
  EXPECT_THAT(host_.files().read(protocol::kHostNqnFile)->value(), HasSubstr("11111111"));
  EXPECT_EQ(host_.files().read(protocol::kHostIdFile)->value(),
            "11111111-2222-4333-8444-555555555555\n");
}

TEST_F(StorageTest, FindsAClonedIdentity) {
  static_cast<void>(apply());
  host_.system().set_identity({.hostname = "spark1",
                               .machine_id = "00000000000000000000000000000002",
                               .kernel = "6.17.0-1014-nvidia"});
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-NVME-016"));
}

TEST_F(StorageTest, RefusesAnIdentityThatIsNone) {
  host_.files().put(protocol::kHostIdFile, "my spark\n");
  EXPECT_THAT(ids_of(plan()), Contains("SR-NVME-009"));
}

TEST_F(StorageTest, UnmountsThenDisconnectsBeforeAnythingElseGoes) {
  static_cast<void>(apply());
  auto text = without_storage_lines();
  const std::string from = "198.51.100.0/24";
  text.replace(text.find(from), from.size(), "10.1.0.0/26");
  const auto steps = steps_of(plan(text));
  ASSERT_GE(steps.size(), 2U);
  EXPECT_EQ(steps[0], kMounted);
  EXPECT_EQ(steps[1], kConnection);
  // So the way to it may go in the same plan.
  EXPECT_THAT(plan(text).refusals, IsEmpty());
}

TEST_F(StorageTest, LeavesNothingBehindButTheDirectoryAndTheIdentity) {
  static_cast<void>(apply());
  EXPECT_EQ(apply(without_storage_lines()).exit_code(), ExitCode::kDone);
  EXPECT_TRUE(host_.storage().nvme()->controllers.empty());
  EXPECT_THAT(host_.files().list("/run/systemd/system").value(),
              ElementsAre("a-unit-that-was-generated.service"));
  EXPECT_THAT(host_.files().list(protocol::kNvmeFolder).value(), IsEmpty());
  EXPECT_FALSE(host_.storage().mountpoint(kMountPath)->immutable);
  EXPECT_TRUE(host_.files().read(protocol::kHostNqnFile)->has_value());
  EXPECT_FALSE(ledger().contains("nvme") || ledger().contains("mount"));
}

TEST_F(StorageTest, IsLetGoByARelease) {
  static_cast<void>(apply());
  const auto steps = steps_of(test::plan_on(ports_, plan::released(node(), ledger())));
  ASSERT_GE(steps.size(), 2U);
  EXPECT_EQ(steps[0], kMounted);
  EXPECT_EQ(steps[1], kConnection);
}

TEST_F(StorageTest, SaysWhoKeepsARemovedVolumeBusy) {
  static_cast<void>(apply());
  host_.storage().set_user(kMountPath, "process 812 (dd): an open file");
  const auto left = plan(without_storage_lines());
  EXPECT_THAT(ids_of(left), ElementsAre("SR-NVME-014", "SR-MOUNT-008"));
  const auto& why = left.skipped.back().skipped;
  EXPECT_THAT(why.reason, EndsWith("since it is in use")) << "which leaves the node";
  EXPECT_EQ(why.reason_here(), why.reason + ": process 812 (dd): an open file");
  EXPECT_THAT(steps_of(left), Not(Contains(kConnection)));
  EXPECT_EQ(left.status(), ExitCode::kUnknown);
}

TEST_F(StorageTest, KeepsAConnectionWhoseVolumeIsMountedByOthers) {
  static_cast<void>(apply());
  host_.storage().mount({.path = "/srv/other",
                         .device = host_.storage().volume(kNqn)->device,
                         .source = "/dev/nvme1n1",
                         .type = "ext4"});
  EXPECT_THAT(ids_of(plan(without_storage_lines())), ElementsAre("SR-NVME-014"));
}

TEST_F(StorageTest, OpensTheDirectoryOfAMountThatIsGoneSinceABoot) {
  static_cast<void>(apply());
  reboot();
  EXPECT_THAT(steps_of(plan(without_storage_lines())), ElementsAre(kMounted));
  static_cast<void>(apply(without_storage_lines()));
  EXPECT_FALSE(host_.storage().mountpoint(kMountPath)->immutable);
}

TEST_F(StorageTest, ReplaysItsOwnJournalAfterAPowerCut) {
  static_cast<void>(apply());
  reboot();
  EXPECT_FALSE(target().volumes.front().superblock.clean);
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_NE(host_.storage().mounted(kMountPath), nullptr);
}

TEST_F(StorageTest, DoesNotReplayAnotherNodesJournal) {
  static_cast<void>(apply());
  reboot();
  target().volumes.front().superblock.mounted_at += 5;  // somebody else mounted it since
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(ids_of(*report.left), ElementsAre("SR-MOUNT-004"));
  EXPECT_EQ(host_.storage().mounted(kMountPath), nullptr);
}

TEST_F(StorageTest, JudgesAVolumeOfANewConnectionBeforeItTouchesAnything) {
  target().volumes.front().superblock.clean = false;
  const auto planned = plan();
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(why_it_waits(report, planned, kMounted), HasSubstr("[SR-MOUNT-004]"));
  EXPECT_THAT(host_.written(), Not(Contains(HasSubstr("the mountpoint"))));
  EXPECT_THAT(host_.written(), Not(Contains(HasSubstr(mount_unit(kMountPath)))));
}

TEST_F(StorageTest, WaitsForTheVolumesOfANewConnection) {
  host_.storage().delay_volumes();
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_NE(host_.storage().mounted(kMountPath), nullptr);
}

TEST_F(StorageTest, AVolumeThatDoesNotComeWaits) {
  host_.storage().delay_volumes(true);
  const auto planned = plan();
  const auto report = apply();
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
  EXPECT_EQ(why_it_waits(report, planned, kMounted),
            "the target is connected, and offers no volume '1' [SR-MOUNT-001]");
  EXPECT_THAT(host_.written(), Not(Contains(HasSubstr("the mountpoint"))));
}

TEST_F(StorageTest, ABusyIdentityWaitsAndRollsBackNoAddress) {
  host_.refuse_if("/etc/nvme", ErrorCode::kBusy);
  const auto planned = plan();
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(why_it_waits(report, planned, "host_identity /etc/nvme"), HasSubstr("hostid"));
  EXPECT_TRUE(has_address());
}

TEST_F(StorageTest, AnIdentityThatCannotBeWrittenRollsBackAllOfIt) {
  host_.refuse_if("/etc/nvme");
  EXPECT_EQ(apply().outcome, apply::Report::Outcome::kRolledBack);
  EXPECT_FALSE(has_address());
}

TEST_F(StorageTest, ABusyVolumeStaysMountedAndWaits) {
  static_cast<void>(apply());
  const auto read_only = with("read_write: spark1", "read_only: [spark1]");
  const auto planned = plan(read_only);
  host_.storage().set_user(kMountPath, "process 812 (dd): an open file");
  const auto report = apply(read_only);
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_EQ(why_it_waits(report, planned, kMounted), "stays mounted, since it is in use");
  EXPECT_THAT(report.steps,
              Contains(Property(&apply::StepReport::why_not_here,
                                "stays mounted, since it is in use: process 812 (dd): an open "
                                "file")));
  EXPECT_TRUE(host_.storage().mounted(kMountPath)->writable);
}

TEST_F(StorageTest, NeverFormatsAnEmptyVolume) {
  target().volumes.front().superblock = {.type = "empty"};
  EXPECT_THAT(ids_of(*apply().left), ElementsAre("SR-MOUNT-005"));
}

TEST_F(StorageTest, MountsReadOnlyWithoutReplayingTheJournal) {
  static_cast<void>(apply(with("read_write: spark1", "read_only: [spark1, spark2]")));
  const auto* mount = host_.storage().mounted(kMountPath);
  ASSERT_NE(mount, nullptr);
  EXPECT_FALSE(mount->writable);
  EXPECT_THAT(mount->options, Contains("noload"));
}

TEST_F(StorageTest, MountsAgainWhatIsToBeReadOnly) {
  static_cast<void>(apply());
  const auto report = apply(with("read_write: spark1", "read_only: [spark1]"));
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
  EXPECT_FALSE(host_.storage().mounted(kMountPath)->writable);
}

TEST_F(StorageTest, DoesNotCallAMountWithErrorsInSync) {
  static_cast<void>(apply());
  host_.storage().volume(kNqn)->ext4_errors = 2;
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-MOUNT-007"));
}

TEST_F(StorageTest, DoesNotCallAMountInSyncThatTurnedReadOnly) {
  static_cast<void>(apply());
  host_.storage().mounted(kMountPath)->writable = false;
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-MOUNT-007"));
}

TEST_F(StorageTest, DoesNotCallAMountInSyncWhoseVolumeIsGone) {
  static_cast<void>(apply());
  host_.storage().mounted(kMountPath)->gone = true;
  EXPECT_THAT(ids_of(plan()), Contains("SR-MOUNT-007"));
}

TEST_F(StorageTest, MountsOverNobodysFiles) {
  host_.storage().put_directory(kMountPath, {.exists = true, .is_directory = true, .empty = false});
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-MOUNT-002"));
  EXPECT_THAT(steps_of(plan()), Not(Contains(kMounted)));
}

TEST_F(StorageTest, MountsOverNoOtherMount) {
  host_.storage().mount(
      {.path = kMountPath, .device = "8:1", .source = "/dev/sda1", .type = "ext4"});
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-MOUNT-003"));
}

TEST_F(StorageTest, HoldsNothingWithoutSystemd) {
  host_.files().erase("/run/systemd/system/a-unit-that-was-generated.service");
  EXPECT_THAT(ids_of(plan()), ElementsAre("SR-MEMLOCK-001", "SR-MEMLOCK-001", "SR-MEMLOCK-001",
                                          "SR-NVME-015", "SR-NVME-015", "SR-NVME-015"));
}

}  // namespace
}  // namespace spark::kinds
