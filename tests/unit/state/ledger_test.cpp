#include "state/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::state {
namespace {

class LedgerTest : public testing::Test {
 protected:
  Result<kinds::Ledger> read() {
    auto ports = host_.host();
    host::View view(ports);
    return read_ledger(view, "spark1");
  }

  test::FakeHost host_;
};

TEST_F(LedgerTest, IsReadAsItWasWritten) {
  const kinds::Ledger ledger{{"mtu", {{"enp1s0f0np0", {.ours = "9000", .original = "1500"}}}}};
  ASSERT_TRUE(write_ledger(host_.files(), "spark1", ledger));
  EXPECT_EQ(read().value(), ledger);
}

TEST_F(LedgerTest, IsWrittenAsEarlierBuildsReadIt) {
  const kinds::Ledger ledger{{"module", {{"nvme_tcp", {.ours = "loaded", .original = ""}}}},
                             {"mtu", {{"enp1s0f0np0", {.ours = "9000", .original = "1500"}}}}};
  ASSERT_TRUE(write_ledger(host_.files(), "spark1", ledger));
  EXPECT_EQ(host_.files().read(ledger_path("spark1")).value(),
            R"({"schema": "spark-reconcile/ledger/v1", "ledger": )"
            R"({"module":{"nvme_tcp":{"ours":"loaded"}},)"
            R"("mtu":{"enp1s0f0np0":{"original":"1500","ours":"9000"}}}})"
            "\n");
}

TEST_F(LedgerTest, KeepsWhatIsNoText) {
  const kinds::Ledger ledger{{"hosts", {{"/etc/hosts", {.ours = "x", .original = "caf\xe9"}}}}};
  ASSERT_TRUE(write_ledger(host_.files(), "spark1", ledger));
  EXPECT_EQ(read().value(), ledger);
}

TEST_F(LedgerTest, ReadsTheNamesThatEarlierBuildsGaveKindsAndResources) {
  host_.files().put(ledger_path("spark1"), R"({"schema": "spark-reconcile/ledger/v1", "ledger": {
      "fence": {"enp1s0f0np0": {"ours": "left alone"}},
      "nvme": {"host identity": {"ours": "id"}, "nqn.a 192.0.2.9 4420": {"ours": "connected"}},
      "roce": {"enp1s0f0np0 rdma_cm_mode": {"ours": "RoCE v2"}}}})");
  const kinds::Ledger expected{
      {"other_managers", {{"enp1s0f0np0", {.ours = "left alone", .original = ""}}}},
      {"host_identity", {{"/etc/nvme", {.ours = "id", .original = ""}}}},
      {"nvme", {{"nqn.a 192.0.2.9 4420", {.ours = "connected", .original = ""}}}},
      {"rdma_cm", {{"enp1s0f0np0", {.ours = "RoCE v2", .original = ""}}}}};
  EXPECT_EQ(read().value(), expected);
}

TEST_F(LedgerTest, RefusesWhatItDidNotWriteAndSaysHowToGoOn) {
  host_.files().put(ledger_path("spark1"), "{}");
  const auto refused = read();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, testing::HasSubstr("move it away to start afresh"));
}

TEST_F(LedgerTest, SaysWhereItIsDamaged) {
  host_.files().put(
      ledger_path("spark1"),
      R"({"schema": "spark-reconcile/ledger/v1", "ledger": {"mtu": {"eth0": {"ours": 9000}}}})");
  const auto refused = read();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what,
              testing::HasSubstr("(at '/ledger/mtu/eth0/ours': expected a text)"));
}

}  // namespace
}  // namespace spark::state
