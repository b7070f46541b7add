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

TEST(ChooseVolume, RefusesANameThatTwoVolumesShare) {
  auto world = two_volumes();
  world.namespaces.back().wwid = "uuid.x";
  EXPECT_EQ(id_of(choose_volume(world, of_space("1")).why_not), "SR-MOUNT-009");
}

}  // namespace
}  // namespace spark::kinds
