// What waits for devices hears of one that comes between its look and its waiting.

#include <chrono>

#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "host/linux/linux_storage.hpp"
#include "host/linux/netlink/changes.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

class DeviceEvents : public NamespaceTest {};

TEST_F(DeviceEvents, TellOfALinkThatComes) {
  const auto events = host::open_device_events();
  ASSERT_TRUE(events) << events.error().what;
  static_cast<void>(host::take_device_events(events->get()));
  add_cable("eth9");
  const auto told = host::wait_for_device_event(
      events->get(), std::chrono::steady_clock::now() + std::chrono::seconds(10));
  ASSERT_TRUE(told) << told.error().what;
  EXPECT_TRUE(*told);
}

TEST_F(DeviceEvents, HaveStorageLookAgainAfterAChangeDuringItsFirstLook) {
  FakeHost world;
  host::LinuxStorage storage(world.files(), "/");
  int looks = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto seen = storage.await_nvme(
      [&](const host::NvmeWorld&) {
        if (++looks == 1) add_cable("eth9");
        return looks > 1;
      },
      std::chrono::minutes(1));
  ASSERT_TRUE(seen) << seen.error().what;
  EXPECT_EQ(looks, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace spark::test
