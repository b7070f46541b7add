// Routes over rails by a real kernel: ours are held, those of others stay.

#include <filesystem>
#include <string>
#include <vector>

#include "process/daemon_world.hpp"
#include "process/monitor.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kLink = "enp1s0f0np0";

class Routes : public ::testing::Test {
 protected:
  Routes() { spark_.add_link(kLink); }

  /// One link up, with both families and these routes.
  void file_with(const std::string& routes) const {
    spark_.file_with_links(
        "enp1s0f0np0: { up: true, addresses: [192.0.2.11/24, '2001:db8::11/64'], routes: [" +
        routes + "] }");
  }
  void converge_on(const std::string& routes) const {
    file_with(routes);
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }
  [[nodiscard]] std::string routes() const {
    return spark_.show({"route"}) + spark_.show({"-6", "route"});
  }

  Spark spark_;
};

TEST_F(Routes, ComeWithOurNumberAndASecondApplyIsSilent) {
  const std::string both =
      "{ to: 10.77.0.0/16, via: 192.0.2.12, metric: 50, mtu: 1400, source: 192.0.2.11 }, "
      "{ to: '2001:db8:77::/48', via: '2001:db8::12' }";
  converge_on(both);
  EXPECT_THAT(routes(),
              AllOf(HasSubstr("10.77.0.0/16 via 192.0.2.12 dev enp1s0f0np0 proto 83 src "
                              "192.0.2.11 metric 50 mtu 1400"),
                    HasSubstr("2001:db8:77::/48 via 2001:db8::12 dev enp1s0f0np0 proto 83")));
  const auto before = spark_.dump();
  converge_on(both);
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

TEST_F(Routes, AreWherePeopleLook) {
  converge_on("{ to: 10.77.0.0/16, via: 192.0.2.12 }");
  EXPECT_THAT(spark_.reconcile({"status", "--here"}).out,
              HasSubstr("route 10.77.0.0/16 via 192.0.2.12"));
  EXPECT_EQ(spark_.json({"status"})["routes"],
            nlohmann::json::parse(R"([{"link": "enp1s0f0np0", "state": "in_sync",
                                       "text": "10.77.0.0/16 via 192.0.2.12"}])"));
  EXPECT_THAT(spark_.reconcile({"topology"}).out,
              HasSubstr("route 10.77.0.0/16 via 192.0.2.12 dev enp1s0f0np0"));
  EXPECT_THAT(spark_.reconcile({"explain", "route/enp1s0f0np0/10.77.0.0/16"}).out,
              HasSubstr("via 192.0.2.12"));
}

TEST_F(Routes, LeaveWithTheirLineAndThoseOfOthersStay) {
  converge_on("{ to: 10.77.0.0/16, via: 192.0.2.12 }");
  spark_.ip("route add 10.78.0.0/16 via 192.0.2.13");
  converge_on("");
  EXPECT_THAT(routes(), AllOf(Not(HasSubstr("10.77")), HasSubstr("10.78")));
}

TEST_F(Routes, ThatSomebodyHasElsewhereAreNotTaken) {
  file_with("{ to: 10.77.0.0/16, via: 192.0.2.12 }");
  spark_.ip(
      "link set enp1s0f0np0 up\naddress add 192.0.2.11/24 dev enp1s0f0np0\n"
      "route add 10.77.0.0/16 via 192.0.2.99");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-ROUTE-003]"));
  EXPECT_THAT(routes(), HasSubstr("10.77.0.0/16 via 192.0.2.99"));
}

TEST_F(Routes, OfSomebodyElseWithSeveralNextHopsAreNotTaken) {
  const std::string next_hops =
      "route add 10.77.0.0/16 nexthop via 192.0.2.12 nexthop via 192.0.2.13\n"
      "route add 2001:db8:77::/48 metric 1024 nexthop via 2001:db8::12 nexthop via 2001:db8::13";
  file_with(
      "{ to: 10.77.0.0/16, via: 192.0.2.12 }, { to: '2001:db8:77::/48', via: '2001:db8::12' }");
  spark_.ip(
      "link set enp1s0f0np0 up\naddress add 192.0.2.11/24 dev enp1s0f0np0\n"
      "address add 2001:db8::11/64 dev enp1s0f0np0\n" +
      next_hops);
  const auto before = routes();
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("via 192.0.2.13"), HasSubstr("via 2001:db8::13"),
                                 HasSubstr("[SR-ROUTE-003]")));
  EXPECT_EQ(routes(), before);
}

TEST_F(Routes, ThatTheKernelJoinedWithOneOfSomebodyElseStayWithIt) {
  const std::string own = "{ to: '2001:db8:77::/48', via: '2001:db8::12' }";
  converge_on(own);
  spark_.ip("route append 2001:db8:77::/48 metric 1024 via 2001:db8::13 proto static");
  const auto joined = routes();
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("via 2001:db8::13"));
  EXPECT_EQ(routes(), joined);
}

TEST_F(Routes, LeaveWithTheirLineAlsoWhereTheLedgerIsLost) {
  converge_on("{ to: 10.77.0.0/16, via: 192.0.2.12 }");
  spark_.ip("route add 10.78.0.0/16 via 192.0.2.12 proto static");
  std::filesystem::remove(spark_.host_path("/var/lib/spark-reconcile/spark1/ledger.json"));
  converge_on("");
  EXPECT_THAT(routes(), AllOf(Not(HasSubstr("10.77")), HasSubstr("10.78")));
}

TEST_F(Routes, HaveAnIdentityAddressAsTheirSourceAndLeadToItsLink) {
  spark_.file_with_links(
      "enp1s0f0np0: { up: true, addresses: [192.0.2.11/24], "
      "routes: [{ to: 203.0.113.12/32, via: 192.0.2.12, source: 203.0.113.11 }] }\n"
      "lo: { addresses: [203.0.113.11/32], routes: [{ to: 203.0.113.64/26 }] }");
  spark_.ip("link set lo up");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(routes(), AllOf(HasSubstr("203.0.113.12 via 192.0.2.12 dev enp1s0f0np0 proto 83 src "
                                        "203.0.113.11"),
                              HasSubstr("203.0.113.64/26 dev lo proto 83 scope link")));
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_THAT(routes(), Not(HasSubstr("203.0.113")));
}

TEST_F(Routes, AreThereAgainAfterTheLengthOfTheirAddressChanged) {
  converge_on("{ to: 10.77.0.0/16, via: 192.0.2.12, source: 192.0.2.11 }");
  spark_.file_with_links(
      "enp1s0f0np0: { up: true, addresses: [192.0.2.11/25, '2001:db8::11/64'], "
      "routes: [{ to: 10.77.0.0/16, via: 192.0.2.12, source: 192.0.2.11 }] }");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(2));  // the address took it along
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(routes(), HasSubstr("10.77.0.0/16 via 192.0.2.12"));
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

TEST_F(Routes, AreReleasedAsTheyWere) {
  spark_.ip("link set enp1s0f0np0 up\naddress add 192.0.2.11/24 dev enp1s0f0np0");
  const auto before = spark_.show({"route"});
  converge_on("{ to: 10.77.0.0/16, via: 192.0.2.12 }");
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_EQ(spark_.show({"route"}), before);
}

/// What takes a route away, in the four ways in which the kernel says so or does not.
class HeldRoutes : public Daemon {
 protected:
  /// Not before the fixture is there, which fails a test rather than throws.
  void SetUp() override {
    spark_.file_with_links(
        "enp1s0f0np0: { up: true, addresses: [192.0.2.11/24, 198.51.100.11/24, "
        "'2001:db8::11/64'], "
        "routes: [{ to: 10.77.0.0/16, via: 192.0.2.12, source: 198.51.100.11 }, "
        "{ to: '2001:db8:77::/48', via: '2001:db8::12' }] }");
    start();
    wait_until([this] { return has_both(); });
  }

  [[nodiscard]] bool has_both() const {
    return spark_.show({"route"}).contains("10.77.0.0/16") &&
           spark_.show({"-6", "route"}).contains("2001:db8:77::/48");
  }
  void come_back_after(const std::string& lines) const {
    spark_.ip(lines);
    wait_until([this] { return has_both(); });
    EXPECT_TRUE(has_both()) << lines;
  }
};

TEST_F(HeldRoutes, ComeBackWhenSomebodyRemovesThem) {
  come_back_after("route delete 10.77.0.0/16");
  come_back_after("route delete 2001:db8:77::/48");
}

TEST_F(HeldRoutes, ComeBackWhenTheLinkWentDown) { come_back_after("link set enp1s0f0np0 down"); }

TEST_F(HeldRoutes, ComeBackWhenTheirSourceWentAway) {
  come_back_after("address delete 198.51.100.11/24 dev enp1s0f0np0");
}

TEST_F(HeldRoutes, ComeBackWithTheirDevice) {
  spark_.ip("link delete enp1s0f0np0");
  EXPECT_FALSE(has_both());
  spark_.add_link(kLink);
  wait_until([this] { return has_both(); });
  EXPECT_TRUE(has_both());
}

TEST_F(HeldRoutes, ComeBackAloneWhereThoseOfOthersWentToo) {
  spark_.ip("route add 10.78.0.0/16 via 192.0.2.13 proto static");
  come_back_after("link set enp1s0f0np0 down");
  EXPECT_THAT(spark_.show({"route"}), Not(HasSubstr("10.78")));
}

TEST_F(HeldRoutes, StayWhenTheCarrierIsLost) {
  spark_.ip("link set x-enp1s0f0np0 down");
  EXPECT_TRUE(has_both());
  spark_.ip("link set x-enp1s0f0np0 up");
  EXPECT_TRUE(has_both());
}

}  // namespace
}  // namespace spark::test
