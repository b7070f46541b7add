#include "host/running_process.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

const std::string kId = "3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a";

TEST(ContainerOfGroup, KnowsTheRuntimesByTheirNames) {
  EXPECT_EQ(container_of_group("/system.slice/docker-" + kId + ".scope"), "docker 3f2a1b0c9d8e");
  EXPECT_EQ(container_of_group("/docker/" + kId), "docker 3f2a1b0c9d8e");
  EXPECT_EQ(container_of_group("/machine.slice/libpod-" + kId + ".scope/container"),
            "podman 3f2a1b0c9d8e");
  EXPECT_EQ(
      container_of_group("/kubepods.slice/kubepods-pod1.slice/cri-containerd-" + kId + ".scope"),
      "containerd 3f2a1b0c9d8e");
  EXPECT_EQ(container_of_group("/kubepods.slice/crio-" + kId + ".scope"), "cri-o 3f2a1b0c9d8e");
}

TEST(ContainerOfGroup, IsNoneElsewhere) {
  for (const auto* path : {"", "/", "/system.slice/docker.service", "/docker/3f2a",
                           "/user.slice/user-1000.slice/session-4.scope", "/docker-x.scope"}) {
    EXPECT_EQ(container_of_group(path), "") << path;
  }
}

TEST(GroupOfProcess, IsThatOfVersion2OrOfSystemd) {
  EXPECT_EQ(group_of_process("0::/system.slice/a.service\n"), "/system.slice/a.service");
  EXPECT_EQ(group_of_process("12:pids:/docker/1\n1:name=systemd:/system.slice/a.service\n0::/\n"),
            "/system.slice/a.service");
  EXPECT_EQ(group_of_process("12:pids:/docker/1\n"), "/docker/1");
  EXPECT_EQ(group_of_process("no colon\n"), "");
  EXPECT_EQ(group_of_process(""), "");
}

TEST(UserOfStatus, IsTheEffectiveUserByName) {
  constexpr const char* kPasswd =
      "root:x:0:0:root:/root:/bin/bash\nbroken\nalice:x:1000:1000::/home/alice:/bin/bash\n";
  const auto user = [&](const char* status) { return user_of_status(status, kPasswd); };
  EXPECT_EQ(user("Name:\tpython3\nUid:\t0\t1000\t1000\t1000\n"), "alice");
  EXPECT_EQ(user("Uid:\t0\t0\t0\t0\n"), "root");
  EXPECT_EQ(user("Uid:\t1001\t1001\t1001\t1001\n"), "user 1001");
  EXPECT_EQ(user("Uid:\t1000\n"), "");
  EXPECT_EQ(user("Name:\tpython3\n"), "");
}

TEST(TextOfAProcess, NamesItsContainerElseItsUnit) {
  RunningProcess process{.pid = 4711,
                         .name = "python3",
                         .user = "alice",
                         .container = "docker 3f2a1b0c9d8e",
                         .unit = "docker-3f2a.scope"};
  EXPECT_EQ(text_of(process), "python3 (pid 4711) of alice in docker 3f2a1b0c9d8e");
  process.container.clear();
  EXPECT_EQ(text_of(process), "python3 (pid 4711) of alice in docker-3f2a.scope");
  process.unit.clear();
  process.user.clear();
  EXPECT_EQ(text_of(process), "python3 (pid 4711)");
}

}  // namespace
}  // namespace spark::host
