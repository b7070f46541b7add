#include "apply/transaction.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "fake/fake_pass.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"

namespace spark::apply {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

/// Of changes that outlive a reboot.
const std::string kJournal = state::journal_paths("spark1").back();

class TransactionTest : public test::PassTest {
 protected:
  /// It names an address that stands there already.
  std::string file_for_an_address_of_others() {
    host_.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse("198.51.100.11/24")});
    return R"(
version: 1
cluster: one
nodes:
  spark1: { links: { enP7s7: { addresses: [198.51.100.11/24] } } }
)";
  }

  std::optional<std::string> file(const std::string& path) {
    return host_.files().read(path).value();
  }
};

TEST_F(TransactionTest, WritesTheJournalBeforeTheFirstChangeAndRemovesItAfterTheLast) {
  ASSERT_EQ(apply().outcome, Report::Outcome::kApplied);
  const auto written = host_.written();
  EXPECT_THAT(written.front(), HasSubstr(kJournal));
  EXPECT_THAT(written.back(), HasSubstr(kJournal));
  EXPECT_FALSE(file(kJournal));
}

TEST_F(TransactionTest, WritesTheJournalOfWhatARebootForgetsToMemory) {
  ASSERT_EQ(apply().outcome, Report::Outcome::kApplied);
  ASSERT_TRUE(host_.netlink().set_mtu("enp1s0f0np0", 1500));
  host_.forget_writes();
  ASSERT_EQ(apply().outcome, Report::Outcome::kApplied);
  const auto written = host_.written();
  EXPECT_THAT(written.front(), HasSubstr(state::journal_paths("spark1").front()));
  EXPECT_THAT(written.back(), HasSubstr(state::journal_paths("spark1").front()));
  EXPECT_FALSE(file(state::journal_paths("spark1").front()));
}

TEST_F(TransactionTest, ChangesNothingWhenTheJournalCannotBeWritten) {
  host_.refuse_if("journal.json");
  const auto report = apply();
  EXPECT_EQ(report.outcome, Report::Outcome::kNotStarted);
  EXPECT_EQ(report.exit_code(), ExitCode::kError);
  EXPECT_EQ(host_.writes(), 0U);
}

TEST_F(TransactionTest, KeepsTheJournalWhenTheRollbackIsIncomplete) {
  // The second rail's address fails, and from then on the first one's MTU cannot be set back.
  host_.refuse_if("203.0.113.11");
  const auto report =
      apply({}, {.on_step = [&](const plan::Step&, const StepReport& step, bool rolling_back) {
              if (!rolling_back && !step.is_done()) {
                host_.refuse_if("enp1s0f0np0");
              }
            }});
  EXPECT_EQ(report.outcome, Report::Outcome::kRollbackIncomplete);
  EXPECT_EQ(report.exit_code(), ExitCode::kRollbackIncomplete);
  EXPECT_THAT(report.differs, Contains(StartsWith("mtu enp1s0f0np0")));
  EXPECT_TRUE(file(kJournal));
}

TEST_F(TransactionTest, GoesOnWithoutADeviceThatVanishesMeanwhile) {
  const auto vanishing = test::dgx_rail_names()[1];
  bool first = true;
  const auto unplug_once = [&](const plan::Step&, const StepReport&, bool) {
    if (first) host_.netlink().unplug(vanishing);
    first = false;
  };
  const auto report = apply({}, {.on_step = unplug_once});
  EXPECT_EQ(report.outcome, Report::Outcome::kApplied);
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
  EXPECT_TRUE(std::ranges::any_of(report.steps, &StepReport::waits));
  EXPECT_FALSE(file(kJournal));
}

TEST_F(TransactionTest, RollsBackTheRestWhenADeviceVanishedBeforeAFailure) {
  host_.refuse_if("/etc/hosts");
  bool first = true;
  const auto report = apply({}, {.on_step = [&](const plan::Step&, const StepReport&, bool) {
                              if (first) host_.netlink().unplug(test::dgx_rail_names()[1]);
                              first = false;
                            }});
  EXPECT_EQ(report.exit_code(), ExitCode::kRolledBack) << testing::PrintToString(report.differs);
}

TEST_F(TransactionTest, NamesTheStepAndTheCauseOfAFailure) {
  host_.refuse_if("set mtu");
  const auto report = apply();
  ASSERT_TRUE(report.failure);
  EXPECT_THAT(report.failure->what, StartsWith("mtu enP2p1s0f0np0: set mtu of 'enP2p1s0f0np0'"));
}

TEST_F(TransactionTest, RollsBackWhatWasDoneWhenItIsInterrupted) {
  const auto before = plan::fingerprint(plan());
  int asked = 0;
  const auto report = apply({}, {.on_step = [](const plan::Step&, const StepReport&, bool) {},
                                 .interrupted = [&] { return ++asked > 3; }});
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack);
  EXPECT_EQ(report.exit_code(), ExitCode::kInterrupted);
  EXPECT_EQ(report.steps.size(), 3U);
  EXPECT_EQ(plan::fingerprint(plan()), before);
}

TEST_F(TransactionTest, TreatsALedgerThatCannotBeWrittenAsAFailure) {
  host_.refuse_if("ledger.json");
  EXPECT_EQ(apply().outcome, Report::Outcome::kRolledBack);
}

TEST_F(TransactionTest, ForgetsWhatItRollsBackWhereTheJournalCannotWaitForItsConfirmation) {
  const state::ApplyRequest request{.file = "cluster.yaml",
                                    .text = test::pair_text(),
                                    .by = "root",
                                    .confirm_within = std::chrono::minutes(1),
                                    .rolls_back = {}};
  ASSERT_EQ(apply(request).outcome, Report::Outcome::kApplied);
  const auto written = host_.written();
  const auto last = std::find_if(written.rbegin(), written.rend(), [](const std::string& write) {
    return write.contains("journal.json");
  });
  const auto nth = static_cast<std::size_t>(written.rend() - last);  // counted from 1

  test::FakeHost other;
  test::add_spark(other);
  auto ports = other.host();
  other.refuse(nth);
  const auto report = test::apply_on(ports, test::node_on(other, text_), request);
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack);
  EXPECT_FALSE(other.files().read(state::ledger_path("spark1")).value()) << "nothing is ours";
}

TEST_F(TransactionTest, LeavesNoFileOfAnApplyThatIsRolledBack) {
  ASSERT_FALSE(file("/etc/hosts"));
  host_.refuse_if("ledger.json");
  ASSERT_EQ(apply().outcome, Report::Outcome::kRolledBack);
  ASSERT_THAT(host_.written(), Contains(HasSubstr("/etc/hosts")));
  EXPECT_FALSE(file("/etc/hosts"));
}

TEST_F(TransactionTest, RollsBackAnAddressThatAnotherHostAnswersFor) {
  host_.netlink().claim_elsewhere(*IpAddress::parse("2001:db8::11"));
  const auto report = apply(R"(
version: 1
cluster: one
nodes:
  spark1: { links: { enp1s0f0np0: { addresses: ["2001:db8::11/64"] } } }
)");
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack);
  ASSERT_TRUE(report.failure);
  EXPECT_THAT(report.failure->what, HasSubstr("another host answers for it"));
}

TEST_F(TransactionTest, OnlyRemembersWhatItAdopts) {
  const auto text = file_for_an_address_of_others();
  EXPECT_EQ(apply(text).outcome, Report::Outcome::kNothingToDo);
  EXPECT_EQ(host_.writes(test::FakePort::kNetlink), 0U);
  EXPECT_EQ(host_.writes(test::FakePort::kFiles), 1U);
  // And it stays somebody else's: without its line it is left as it was.
  const std::string without = R"(
version: 1
cluster: one
nodes:
  spark1: { links: { enP7s7: { up: true } } }
)";
  EXPECT_EQ(apply(without).outcome, Report::Outcome::kNothingToDo);
  EXPECT_EQ(host_.writes(test::FakePort::kNetlink), 0U);
}

TEST_F(TransactionTest, AFileThatOnlyAdoptsIsTheOneInForceOnce) {
  const auto text = file_for_an_address_of_others();
  EXPECT_EQ(apply(text, {.text = text, .by = "alice"}).outcome, Report::Outcome::kNothingToDo);
  host_.forget_writes();
  EXPECT_EQ(apply(text, {.text = text, .by = "alice"}).outcome, Report::Outcome::kNothingToDo);
  EXPECT_EQ(host_.writes(), 0U);
  const auto history = state::read_history(host_.files(), "spark1").value();
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history.front().digest, config::parse(text).cluster.digest);
  EXPECT_EQ(history.front().changes, 0U);
  EXPECT_EQ(state::in_force(history)->number, 1U);
}

TEST_F(TransactionTest, GivesASysctlItsOriginalBackOnlyWhileItIsStillOurs) {
  const std::string without = R"(
version: 1
cluster: one
nodes: { spark1: {} }
)";
  const auto original = host_.sysctl().text("net.core.rmem_max");
  ASSERT_EQ(apply(test::one_setting_text()).outcome, Report::Outcome::kApplied);
  EXPECT_EQ(host_.sysctl().text("net.core.rmem_max"), "777777");
  ASSERT_EQ(apply(without).outcome, Report::Outcome::kApplied);
  EXPECT_EQ(host_.sysctl().text("net.core.rmem_max"), original);

  ASSERT_EQ(apply(test::one_setting_text()).outcome, Report::Outcome::kApplied);
  host_.sysctl().set("net.core.rmem_max", "555555");
  ASSERT_EQ(apply(without).outcome, Report::Outcome::kApplied);
  EXPECT_EQ(host_.sysctl().text("net.core.rmem_max"), "555555");
}

TEST_F(TransactionTest, RemembersAnOriginalThatCannotBeReadForOnce) {
  ASSERT_EQ(apply(test::one_setting_text()).outcome, Report::Outcome::kApplied);
  const auto known = ledger();
  ASSERT_TRUE(known.contains("sysctl"));
  host_.make_unreadable("net.core.rmem_max");
  EXPECT_EQ(plan(test::one_setting_text()).remember, known);
}

TEST_F(TransactionTest, RemembersOriginalsAfterAnApplyThatWasInterrupted) {
  const auto original = host_.sysctl().text("net.core.rmem_max");
  const auto begun = plan(test::one_setting_text());
  ASSERT_TRUE(state::write_journal(ports_.files, state::begin_journal(ports_, begun, {}, {})));
  ASSERT_TRUE(kinds::is_done(begun.steps.front().apply(ports_)));  // and then the power went
  EXPECT_EQ(ledger().at("sysctl").at("net.core.rmem_max"),
            (kinds::LedgerEntry{"777777", original}));
}

}  // namespace
}  // namespace spark::apply
