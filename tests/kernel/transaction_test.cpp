// What others do to the links while an apply is under way.

#include "apply/transaction.hpp"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "host/linux/linux_system.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class KernelTransaction : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    for (const auto* name : {"enp1s0f0np0", "enp1s0f1np1"}) {
      add_cable(name);
      ip(std::string("link set up addrgenmode none dev ") + name);
    }
  }

  /// Gives both links MTU 9000; `disturb` happens after each step on its way.
  apply::Report apply(const std::function<void(const plan::Step&)>& disturb) {
    host::Host host{netlink_,         sysctl_,          files_.files(),    files_.system(),
                    files_.rdma(),    files_.probe(),   files_.bus(),      files_.hardware(),
                    files_.storage(), files_.modules(), files_.processes()};
    config::Node node{.name = "spark1"};
    for (const auto* name : {"enp1s0f0np0", "enp1s0f1np1"}) {
      node.links.emplace(
          name, config::WantedLink{.name = name, .mtu = config::At<std::uint32_t>{9000, {}}});
    }
    return apply_on(
        host, node, {},
        {.on_step =
             [&](const plan::Step& step, const apply::StepReport& /*report*/, bool rolling_back) {
               if (!rolling_back) disturb(step);
             },
         .interrupted = [] { return false; }});
  }

 private:
  host::LinuxSysctl sysctl_;
  FakeHost files_;
};

TEST_F(KernelTransaction, IsRolledBackWhenSomeoneChangesOneOfItsStepsBack) {
  const auto report = apply([&](const plan::Step& step) {
    if (step.key == "enp1s0f1np1") ip("link set enp1s0f0np0 mtu 1500");
  });
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack);
  EXPECT_THAT(report.failure->what, HasSubstr("mtu enp1s0f0np0 does not hold"));
  EXPECT_EQ(link("enp1s0f1np1").mtu, 1500U);
}

TEST_F(KernelTransaction, GoesOnWithoutADeviceThatVanishes) {
  const auto report = apply([&](const plan::Step& step) {
    if (step.key == "enp1s0f0np0") ip("link delete enp1s0f1np1");
  });
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
  EXPECT_EQ(link("enp1s0f0np0").mtu, 9000U);
}

TEST_F(KernelTransaction, DoesNotMindThatADeviceIsMadeAgainOnTheWay) {
  const auto report = apply([&](const plan::Step& step) {
    if (step.key == "enp1s0f0np0") {
      ip("link delete enp1s0f1np1");
      add_cable("enp1s0f1np1");
    }
  });
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(report.differs, IsEmpty());
  EXPECT_EQ(link("enp1s0f1np1").mtu, 9000U);
}

}  // namespace
}  // namespace spark::test
