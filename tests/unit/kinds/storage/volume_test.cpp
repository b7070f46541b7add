#include "kinds/storage/volume.hpp"

#include <gtest/gtest.h>

namespace spark::kinds {
namespace {

const WantedVolume kWriter{.nqn = "nqn.a", .type = "ext4", .writes = true};
const WantedVolume kReader{.nqn = "nqn.a", .type = "ext4"};
const host::Superblock kClean{
    .type = "ext4", .clean = true, .mounts = 3, .mounted_at = 70, .uuid = "ab"};

host::Superblock in_use() {
  auto superblock = kClean;
  superblock.clean = false;
  return superblock;
}

std::string id_of(const std::optional<Skipped>& why) { return why ? why->id : ""; }

TEST(Unfit, IsNotWhatWasUnmountedCleanly) { EXPECT_EQ(id_of(why_unfit(kClean, kWriter, {})), ""); }

TEST(Unfit, IsWhatAnotherNodeMayHaveMounted) {
  EXPECT_EQ(id_of(why_unfit(in_use(), kWriter, {})), "SR-MOUNT-004");
}

TEST(Unfit, IsNotWhatTheKernelItselfGuards) {
  auto guarded = in_use();
  guarded.mmp = true;
  EXPECT_EQ(id_of(why_unfit(guarded, kWriter, {})), "");
}

TEST(Unfit, IsNotWhatThisNodeWroteLast) {
  EXPECT_EQ(id_of(why_unfit(in_use(), kWriter, LastMount{210, 70, 3, "ab"})), "");
}

TEST(Unfit, IsWhatWasMountedElsewhereSince) {
  EXPECT_EQ(id_of(why_unfit(in_use(), kWriter, LastMount{210, 69, 2, "ab"})), "SR-MOUNT-004");
}

TEST(Unfit, IsNotReadThoughAnotherMayWrite) {
  // Two nodes of one file are refused at parse time; the journal is not replayed (noload).
  EXPECT_EQ(id_of(why_unfit(in_use(), kReader, {})), "");
}

TEST(Unfit, IsAnEmptyVolumeWhichIsNeverFormatted) {
  EXPECT_EQ(id_of(why_unfit({.type = "empty"}, kWriter, {})), "SR-MOUNT-005");
  EXPECT_EQ(id_of(why_unfit({.type = "xfs"}, kReader, {})), "SR-MOUNT-005");
}

TEST(Unfit, IsToBeWrittenWhereCleanCannotBeTold) {
  auto want = kWriter;
  want.type = "xfs";
  EXPECT_EQ(id_of(why_unfit({.type = "xfs"}, want, {})), "SR-MOUNT-006");
  want.writes = false;
  EXPECT_EQ(id_of(why_unfit({.type = "xfs"}, want, {})), "");
}

TEST(LastMount, IsReadAsItWasWritten) {
  const auto last = parse_last_mount(to_text({210, 70, 3, "ab"}));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->id, 210);
  EXPECT_EQ(last->mounted_at, 70U);
  EXPECT_EQ(last->mounts, 3U);
  EXPECT_EQ(last->uuid, "ab");
  EXPECT_FALSE(parse_last_mount(""));
}

host::NvmeWorld two_volumes() {
  return {.controllers = {{.name = "nvme1", .nqn = "nqn.a", .state = "live"}},
          .namespaces = {
              {.name = "nvme1n2", .nqn = "nqn.a", .nsid = 1, .wwid = "uuid.x", .uuid = "x"},
              {.name = "nvme1n1", .nqn = "nqn.a", .nsid = 2, .wwid = "uuid.y", .uuid = "y"},
              {.name = "nvme2n1", .nqn = "nqn.b", .nsid = 1, .wwid = "uuid.z", .uuid = "z"}}};
}

WantedVolume of_space(std::string space) { return {.nqn = "nqn.a", .space = std::move(space)}; }

TEST(ChooseVolume, GoesByNumberAndUuidNeverByTheNameOfTheDevice) {
  EXPECT_EQ(choose_volume(two_volumes(), of_space("1")).volume->name, "nvme1n2");
  EXPECT_EQ(choose_volume(two_volumes(), of_space("y")).volume->name, "nvme1n1");
}

TEST(ChooseVolume, TakesNoneOfSeveralByItself) {
  EXPECT_EQ(id_of(choose_volume(two_volumes(), of_space("")).why_not), "SR-MOUNT-009");
}

TEST(ChooseVolume, WaitsForOneThatIsNotOffered) {
  EXPECT_EQ(id_of(choose_volume(two_volumes(), of_space("7")).why_not), "SR-MOUNT-001");
}

TEST(ChooseVolume, SaysWhyItsTargetIsNotConnected) {
  auto want = of_space("1");
  want.connection = {.nqn = "nqn.a", .address = "192.0.2.9"};
  auto world = two_volumes();
  world.attempts[connection_id(want.connection)] = {
      .outcome = "failed", .reason = "silent", .what = "no answer"};
  const auto chosen = choose_volume(world, want);
  EXPECT_FALSE(chosen.volume);
  ASSERT_TRUE(chosen.why_not);
  EXPECT_EQ(chosen.why_not->id, "SR-MOUNT-001");
  EXPECT_EQ(chosen.why_not->why, Skipped::Why::kWaiting);
  EXPECT_EQ(chosen.why_not->reason, "its target is not connected: no answer");
}

TEST(ChooseVolume, SaysNothingWhereNobodyHasTriedToConnect) {
  const auto chosen = choose_volume({}, of_space("1"));
  EXPECT_FALSE(chosen.volume);
  EXPECT_FALSE(chosen.why_not);
}

TEST(VolumeThatIsYetToCome, IsOneOfAConnectedTargetAlone) {
  auto world = two_volumes();
  EXPECT_FALSE(is_yet_to_come(world, of_space("1"))) << "it is there";
  EXPECT_TRUE(is_yet_to_come(world, of_space("7")));
  world.controllers.front().state = "connecting";
  EXPECT_FALSE(is_yet_to_come(world, of_space("7")));
  EXPECT_FALSE(is_yet_to_come({}, of_space("7")));
}

Result<host::Superblock> dirty_ext4(const std::string& /*name*/) {
  return host::Superblock{.type = "ext4", .mounts = 3, .mounted_at = 70, .uuid = "ab"};
}

WantedVolume written(WantedVolume want) {
  want.type = "ext4";
  want.writes = true;
  return want;
}

TEST(ChooseFitVolume, JudgesTheOneThatIsMeant) {
  const auto want = written(of_space("2"));
  std::string read;
  const auto reading = [&](const std::string& name) {
    read = name;
    return dirty_ext4(name);
  };
  const auto unfit = choose_fit_volume(two_volumes(), want, {}, reading);
  EXPECT_EQ(read, "nvme1n1");
  EXPECT_EQ(id_of(unfit.why_not), "SR-MOUNT-004");
  EXPECT_FALSE(unfit.volume);
  const auto ours = choose_fit_volume(two_volumes(), want, LastMount{210, 70, 3, "ab"}, reading);
  ASSERT_TRUE(ours.volume);
  EXPECT_EQ(ours.volume->name, "nvme1n1");
}

TEST(ChooseFitVolume, ReadsNoVolumeThatIsNotMeant) {
  const auto none = [](const std::string&) -> Result<host::Superblock> {
    ADD_FAILURE();
    return fail(ErrorCode::kSystem, "");
  };
  EXPECT_EQ(id_of(choose_fit_volume(two_volumes(), of_space(""), {}, none).why_not),
            "SR-MOUNT-009");
}

TEST(ChooseFitVolume, WaitsForOneThatDoesNotAnswer) {
  const auto silent = [](const std::string&) -> Result<host::Superblock> {
    return fail(ErrorCode::kSystem, "read '/dev/nvme1n2': no answer");
  };
  const auto chosen = choose_fit_volume(two_volumes(), of_space("1"), {}, silent);
  EXPECT_FALSE(chosen.volume);
  ASSERT_TRUE(chosen.why_not);
  EXPECT_EQ(chosen.why_not->why, Skipped::Why::kWaiting);
  EXPECT_EQ(chosen.why_not->reason, "read '/dev/nvme1n2': no answer");
}

TEST(ChooseVolume, RefusesANameThatTwoVolumesShare) {
  auto world = two_volumes();
  world.namespaces.back().wwid = "uuid.x";
  EXPECT_EQ(id_of(choose_volume(world, of_space("1")).why_not), "SR-MOUNT-009");
}

}  // namespace
}  // namespace spark::kinds
