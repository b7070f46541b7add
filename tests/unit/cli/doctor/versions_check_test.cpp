#include "cli/doctor/versions_check.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "fake/fake_host.hpp"
#include "host/kernel_releases.hpp"
#include "state/journal.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

protocol::NodeDetails details_of(const std::string& node) {
  protocol::NodeDetails details;
  details.cluster = "lab";
  details.node = node;
  details.version = "0.2.0";
  details.kernel = "6.14.0-1015-nvidia";
  details.firmware = "28.45.4028";
  details.driver = "mlx5_core";
  details.dgx_os = "7.5.0";
  details.gpu_driver = "580.95.05";
  details.memlock = "unlimited";
  details.host_nqn = "0123456789abcdef-" + node;
  return details;
}

auto says(bool good, const std::string& what) {
  return AllOf(Field(&Finding::name, "versions"),
               Field(&Finding::severity, good ? Severity::kGood : Severity::kLook),
               Field(&Finding::what, HasSubstr(what)));
}

auto names_a_copy(const std::string& what) {
  return AllOf(Field(&Finding::name, "machine"), Field(&Finding::severity, Severity::kLook),
               Field(&Finding::what, HasSubstr(what)));
}

TEST(VersionsOfPeers, AreTheSameWhereNothingDiffers) {
  EXPECT_THAT(
      findings_of_versions(details_of("spark1"), {{.details = details_of("spark2"), .failed = ""},
                                                  {.details = details_of("spark3"), .failed = ""}}),
      ElementsAre(says(true, "as on this node: spark2, spark3")));
}

TEST(VersionsOfPeers, NameWhatDiffers) {
  auto peer = details_of("spark2");
  peer.firmware = "28.43.1014";
  peer.memlock = "15 GiB";
  const auto findings =
      findings_of_versions(details_of("spark1"), {{.details = peer, .failed = ""}});
  EXPECT_THAT(findings, ElementsAre(says(false,
                                         "spark2 has firmware 28.43.1014, this node 28.45.4028; a "
                                         "memory lock limit of 15 GiB, this node unlimited")));
  EXPECT_EQ(
      findings.front().remedy,
      "bring both nodes to the same release of it, the one that your jobs are known to run with; "
      "make the limit the same: `memlock: unlimited` below `host:` in the file, "
      "then `sudo spark-reconcile apply` on both");
}

/// What the row says to do where spark1 has one kernel and spark2 another one.
std::string remedy_of_kernels(const std::string& ours, const std::string& theirs) {
  auto own = details_of("spark1");
  auto peer = details_of("spark2");
  own.kernel = ours;
  peer.kernel = theirs;
  const auto findings = findings_of_versions(own, {{.details = peer, .failed = ""}});
  return findings.size() == 1 ? findings.front().remedy : "";
}

TEST(VersionsOfPeers, NobodyIsSentFromAGoodKernelToANewerOneThatIsBad) {
  const std::string why =
      ": 7.0.0-1019-nvidia cannot register memory for RDMA once it gets short, unless `kho=off` is "
      "on its command line (2026-09, "
      "https://forums.developer.nvidia.com/t/dgx-spark-update-advisory/383254)";
  EXPECT_EQ(remedy_of_kernels("6.17.0-1032-nvidia", "7.0.0-1019-nvidia"),
            "boot 6.17.0-1032-nvidia on spark2" + why);
  EXPECT_EQ(remedy_of_kernels("7.0.0-1019-nvidia", "6.17.0-1032-nvidia"),
            "boot 6.17.0-1032-nvidia on this node" + why);
}

TEST(VersionsOfPeers, NoKernelIsWrongForBeingTheOlderOne) {
  const std::string same =
      "boot the same kernel on both nodes, one that your jobs are known to run with: an upgrade "
      "may "
      "bring one that is known to be bad";
  EXPECT_EQ(remedy_of_kernels("6.11.0-1016-nvidia", "6.14.0-1015-nvidia"), same);
  EXPECT_EQ(remedy_of_kernels("6.14.0-1015-nvidia", "6.11.0-1016-nvidia"), same);
}

TEST(VersionsOfPeers, WithWhatIsKnownOfAnyTwoKernelsNobodyIsToldToBootOneThatIsNotKnownToBeGood) {
  std::vector<std::string> kernels{"6.14.0-1015-nvidia", "9.9.0-1-nvidia"};
  const host::KernelReleases releases;
  for (const auto& known : releases.all()) kernels.emplace_back(known.release);
  for (const auto& ours : kernels) {
    for (const auto& theirs : kernels) {
      const auto remedy = remedy_of_kernels(ours, theirs);
      EXPECT_EQ(remedy.find("full-upgrade"), std::string::npos) << remedy;
      if (remedy.empty()) continue;
      const auto release = remedy.substr(5, remedy.find(' ', 5) - 5);  // behind "boot "
      const auto* known = releases.known(release);
      EXPECT_TRUE(release == "the" || (known != nullptr && known->fault.empty())) << remedy;
    }
  }
}

TEST(VersionsOfPeers, AnotherLimitAloneAsksForNoRelease) {
  auto peer = details_of("spark2");
  peer.memlock = "15 GiB";
  const auto findings =
      findings_of_versions(details_of("spark1"), {{.details = peer, .failed = ""}});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings.front().remedy,
            "make the limit the same: `memlock: unlimited` below `host:` in the file, then `sudo "
            "spark-reconcile apply` on both");
}

/// docs/howto/install.md: jobs may go on, and nothing reboots.
TEST(VersionsOfPeers, AnotherVersionOfThisProgramAsksForItsPackageAlone) {
  auto peer = details_of("spark2");
  peer.version = "0.1.9";
  const auto findings =
      findings_of_versions(details_of("spark1"), {{.details = peer, .failed = ""}});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings.front().remedy,
            "install the same package on both: `sudo apt install "
            "./spark-reconcile_VERSION_arm64.deb` on the older one; jobs may go on");
}

TEST(VersionsOfPeers, ThatDifferAlikeAreNamedTogether) {
  auto own = details_of("spark2");
  own.version = "0.1.9";
  const auto findings =
      findings_of_versions(own, {{.details = details_of("spark1"), .failed = ""},
                                 {.details = details_of("spark3"), .failed = ""}});
  EXPECT_THAT(findings, ElementsAre(says(
                            false, "spark1, spark3 have spark-reconcile 0.2.0, this node 0.1.9")));
  EXPECT_EQ(findings.front().remedy,
            "install the same package on all: `sudo apt install "
            "./spark-reconcile_VERSION_arm64.deb` on each older one; jobs may go on");
}

TEST(VersionsOfPeers, WhatAPeerDoesNotTellIsNoDifference) {
  protocol::NodeDetails old;
  old.cluster = "lab";
  old.node = "spark2";
  EXPECT_THAT(findings_of_versions(details_of("spark1"), {{.details = old, .failed = ""}}),
              ElementsAre(says(true, "spark2")));
}

TEST(VersionsOfPeers, TwoNodesWithOneHostNqnAreACopy) {
  auto peer = details_of("spark2");
  peer.host_nqn = details_of("spark1").host_nqn;
  const auto findings =
      findings_of_versions(details_of("spark1"), {{.details = peer, .failed = ""}});
  EXPECT_THAT(findings, ElementsAre(names_a_copy("spark2 has the NVMe host NQN of this node"),
                                    says(true, "as on this node: spark2")));
  EXPECT_THAT(findings.front().remedy,
              HasSubstr("on one of the two, for instance spark2: `sudo rm"));
}

TEST(VersionsOfPeers, TwoNodesWithOneMachineIdAreACopyAndNamedOnce) {
  auto own = details_of("spark1");
  auto peer = details_of("spark2");
  own.machine = peer.machine = "89abcdef01234567";
  peer.host_nqn = own.host_nqn;
  const auto findings = findings_of_versions(own, {{.details = peer, .failed = ""}});
  EXPECT_THAT(findings,
              ElementsAre(names_a_copy("spark2 has the machine id and the NVMe host NQN of this "
                                       "node: one of the two disks is a copy"),
                          says(true, "as on this node: spark2")));
  constexpr auto kThere = "on the machine that has the copy, for instance spark2: `sudo rm -f ";
  EXPECT_THAT(findings.front().remedy, HasSubstr(kThere));
  EXPECT_THAT(findings_of_versions(peer, {{.details = own, .failed = ""}}).front().remedy,
              HasSubstr(kThere))
      << "the same on both";
}

TEST(VersionsOfPeers, ACopyHasOneRowNameOnEachNode) {
  auto one = details_of("spark1");
  auto other = details_of("spark2");
  one.machine = other.machine = "89abcdef01234567";
  const auto third = details_of("spark3");
  const std::vector<protocol::ToldDetails> told{{.details = one, .failed = ""},
                                                {.details = other, .failed = ""}};
  const auto what = "spark1 and spark2 have the same machine id: one of the two disks is a copy";
  EXPECT_THAT(findings_of_versions(third, told),
              ElementsAre(names_a_copy(what), says(true, "as on this node: spark1, spark2")));
  EXPECT_THAT(findings_of_versions(third, told, "spark2"),
              ElementsAre(names_a_copy(what), says(true, "as on this node: spark2")));
}

TEST(VersionsOfPeers, TwoOtherNodesWithOneHostNqnAreBothNamed) {
  auto copy = details_of("spark4");
  copy.host_nqn = details_of("spark2").host_nqn;
  auto silent = details_of("spark3");
  silent.host_nqn.clear();
  auto silent_too = details_of("spark5");
  silent_too.host_nqn.clear();
  EXPECT_THAT(
      findings_of_versions(details_of("spark1"), {{.details = details_of("spark2"), .failed = ""},
                                                  {.details = silent, .failed = ""},
                                                  {.details = copy, .failed = ""},
                                                  {.details = silent_too, .failed = ""}}),
      ElementsAre(names_a_copy("spark2 and spark4 have the same NVMe host NQN"),
                  says(true, "as on this node: spark2, spark3, spark4, spark5")));
}

TEST(VersionsOfPeers, ThreeNodesWithOneHostNqnAreEachNamedOnce) {
  auto one = details_of("spark2");
  auto other = details_of("spark3");
  one.host_nqn = other.host_nqn = details_of("spark1").host_nqn;
  EXPECT_THAT(findings_of_versions(details_of("spark1"), {{.details = one, .failed = ""},
                                                          {.details = other, .failed = ""}}),
              ElementsAre(names_a_copy("spark2 has the NVMe host NQN of this node"),
                          names_a_copy("spark3 has the NVMe host NQN of this node"),
                          says(true, "as on this node: spark2, spark3")));
}

class VersionsCheck : public ::testing::Test {
 protected:
  [[nodiscard]] Findings found() {
    const TextFile out;
    const TextFile err;
    const Arguments arguments;
    const Terminal terminal(out.stream(), err.stream(), arguments.color, arguments.quiet);
    const Log log(err.stream(), {.verbosity = arguments.verbosity});
    auto host = machine_.host();
    return check_versions({arguments, terminal, log, host});
  }

  void write(const char* path, const std::string& text) {
    auto host = machine_.host();
    ASSERT_TRUE(host.files.write(path, text, 0644));
  }

  void report_of_boot(const std::string& boot_id, const std::string& failed = {}) {
    protocol::PeersReport report;
    report.boot_id = boot_id;
    report.failed = failed;
    report.told = {{.details = details_of("spark2"), .failed = ""}};
    report.heard = {{.link = "enp1s0f1np1", .mac = "", .hello = {.node = "spark2"}}};
    report.heard.front().is_silent = is_silent_;
    write(protocol::kPeersReportFile, json_text(document_of(protocol::kPeersReportSchema, report)));
  }

  test::FakeHost machine_;
  bool is_silent_ = false;  ///< spark2
};

TEST_F(VersionsCheck, SaysNothingWhereNothingIsKnown) {
  EXPECT_THAT(found(), IsEmpty());
  report_of_boot("x");
  EXPECT_THAT(found(), IsEmpty());
  write(protocol::kPeersOrderFile, "{");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(VersionsCheck, ComparesWhatTheDaemonTellsWithWhatPeersToldInThisBoot) {
  protocol::PeersOrder order;
  order.own = details_of("spark1");
  order.peers = {{.node = "spark2",
                  .ip = *IpAddress::parse("192.0.2.12"),
                  .link = "enp1s0f1np1",
                  .local = *IpAddress::parse("192.0.2.11")}};
  write(protocol::kPeersOrderFile, json_text(document_of(protocol::kPeersOrderSchema, order)));
  report_of_boot("an earlier one");
  EXPECT_THAT(found(), IsEmpty());
  auto host = machine_.host();
  report_of_boot(state::boot_id(host));
  EXPECT_THAT(found(), ElementsAre(says(true, "spark2")));
  is_silent_ = true;
  report_of_boot(state::boot_id(host));
  EXPECT_THAT(found(), IsEmpty()) << "what spark2 runs now, nobody knows";
}

TEST_F(VersionsCheck, AServiceThatWasStoppedHearsNobody) {
  protocol::PeersOrder order;
  order.enabled = true;
  order.own = details_of("spark1");
  order.peers = {{.node = "spark2",
                  .ip = *IpAddress::parse("192.0.2.12"),
                  .link = "enp1s0f1np1",
                  .local = *IpAddress::parse("192.0.2.11")}};
  write(protocol::kPeersOrderFile, json_text(document_of(protocol::kPeersOrderSchema, order)));
  auto host = machine_.host();
  report_of_boot(state::boot_id(host), "spark-reconcile-peers was stopped");
  const auto findings = found();
  ASSERT_EQ(findings.size(), 2);
  EXPECT_EQ(findings.back().name, "peers");
  EXPECT_EQ(findings.back().what, "it hears no other node: spark-reconcile-peers was stopped");
}

}  // namespace
}  // namespace spark::cli
