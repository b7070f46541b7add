// The laws that every kind obeys, whatever it holds. A kind that is added to AllKinds is judged by
// them without another line.

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apply/rollback.hpp"
#include "apply/transaction.hpp"
#include "fake/fake_cluster.hpp"
#include "kinds/all.hpp"
#include "plan/plan.hpp"
#include "plan/read_step.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"

namespace spark::test {
namespace {

/// A Spark on which every kind finds something to do.
template <class K>
class Laws : public testing::Test {
 protected:
  Laws() {
    add_spark(host_);
    add_network_managers(host_);
  }

  config::Node node() { return node_on(host_, pair_text()); }

  plan::Plan plan(const kinds::Ledger& ledger = {}) {
    auto ports = host_.host();
    host::View view(ports);
    return plan::make_plan(node(), view, ledger);
  }

  apply::Report apply(const kinds::Ledger& ledger = {}) {
    auto ports = host_.host();
    host::View view(ports);
    const auto wanted = node();
    return apply::Transaction(ports, wanted, plan::make_plan(wanted, view, ledger), view, ledger,
                              apply::TransactionObserver{})
        .run();
  }

  /// As if the process had died after so many steps, and another one found its journal.
  apply::Report interrupt_and_roll_back(std::size_t done) {
    auto ports = host_.host();
    const auto steps = plan();
    EXPECT_TRUE(state::write_journal(ports.files, state::begin_journal(ports, steps, {}, {})));
    for (std::size_t i = 0; i < done; ++i) {
      EXPECT_TRUE(kinds::is_done(steps.steps[i].apply(ports))) << steps.steps[i].name();
    }
    host::View view(ports);
    const auto journal = state::read_journal(view, "spark1");
    EXPECT_TRUE(journal && *journal) << (journal ? "none" : journal.error().what);
    return apply::roll_back_journal(ports, node(), **journal, apply::TransactionObserver{});
  }

  kinds::Ledger ledger() {
    auto ports = host_.host();
    host::View view(ports);
    return state::known_ledger(view, "spark1").value();
  }

  Result<kinds::Observed<K>> observe(const kinds::Desired<K>& wanted) {
    auto ports = host_.host();
    host::View view(ports);
    const auto node = this->node();
    return K::observe(view, wanted, {node, {}});
  }

  FakeHost host_;
};

template <class Tuple>
struct TypesOf;
template <class... Kinds>
struct TypesOf<std::tuple<Kinds...>> {
  using Types = testing::Types<Kinds...>;
};
struct KindName {
  template <class K>
  static std::string GetName(int /*index*/) {
    return std::string(K::kName);
  }
};
TYPED_TEST_SUITE(Laws, TypesOf<kinds::AllKinds>::Types, KindName);

std::vector<std::string> steps_of(const plan::Plan& plan, std::string_view kind) {
  std::vector<std::string> names;
  for (const auto& step : plan.steps) {
    if (step.kind == kind) {
      names.push_back(step.key);
    }
  }
  return names;
}

TYPED_TEST(Laws, HasSomethingToDoOnAFreshSpark) {
  EXPECT_FALSE(steps_of(this->plan(), TypeParam::kName).empty());
}

TYPED_TEST(Laws, FindsNoDifferenceBetweenEqualStates) {
  const auto wanted = TypeParam::desired(this->node());
  EXPECT_FALSE(wanted.state.empty());
  EXPECT_TRUE(TypeParam::diff(wanted.state, wanted.state).empty());
}

TYPED_TEST(Laws, NamesTheLineThatAsksForEachResource) {
  const auto wanted = TypeParam::desired(this->node());
  for (const auto& [key, value] : wanted.state) {
    EXPECT_GT(wanted.origins.at(key).where.line, 0) << TypeParam::label(key);
  }
}

TYPED_TEST(Laws, WritesNothingWhileItPlans) {
  static_cast<void>(this->plan());
  EXPECT_EQ(this->host_.writes(), 0U);
}

TYPED_TEST(Laws, PlansTheSameTwice) {
  EXPECT_EQ(plan::fingerprint(this->plan()), plan::fingerprint(this->plan()));
}

TYPED_TEST(Laws, ConvergesInOneApply) {
  const auto report = this->apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kApplied)
      << (report.failure ? report.failure->what : "");
  const auto wanted = TypeParam::desired(this->node());
  const auto observed = this->observe(wanted);
  ASSERT_TRUE(observed);
  EXPECT_TRUE(TypeParam::diff(wanted.state, observed->state).empty());
}

TYPED_TEST(Laws, WritesNothingOnceConverged) {
  ASSERT_EQ(this->apply().outcome, apply::Report::Outcome::kApplied);
  this->host_.forget_writes();
  EXPECT_EQ(this->apply(this->ledger()).outcome, apply::Report::Outcome::kNothingToDo);
  EXPECT_EQ(this->host_.written(), std::vector<std::string>{});
}

TYPED_TEST(Laws, UndoesEveryStepOfAnApplyThatFails) {
  const auto before = plan::fingerprint(this->plan());
  const auto steps = this->plan().steps.size();
  // The first change is the journal's; each later one fails once.
  for (std::size_t nth = 2; nth <= steps; ++nth) {
    this->host_.refuse(nth);
    const auto report = this->apply();
    EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack)
        << nth << ": " << (report.failure ? report.failure->what : "no failure")
        << (report.differs.empty() ? "" : "; " + report.differs.front());
    EXPECT_EQ(plan::fingerprint(this->plan()), before) << "after change " << nth << " was refused";
  }
}

TYPED_TEST(Laws, SetsAsideWhatItCannotReadAndCallsItUnknown) {
  const auto node = this->node();
  for (const auto* what : {"links", "addresses", "net.core.rmem_max", "/etc/hosts", "NVMe targets",
                           "modules", "processes", "/etc/nvme/hostnqn"}) {
    this->host_.make_unreadable(what);
  }
  auto ports = this->host_.host();
  host::View view(ports);
  const auto plan = plan::make_plan(node, view, {});
  std::set<std::string_view> unknown;
  for (const auto& item : plan.skipped) {
    EXPECT_EQ(item.skipped.why, kinds::Skipped::Why::kUnknown)
        << item.key << ": " << item.skipped.reason;
    unknown.insert(item.kind);
  }
  EXPECT_TRUE(unknown.contains(TypeParam::kName));
  EXPECT_NE(plan.status(), ExitCode::kDone);
}

TYPED_TEST(Laws, AStepComesBackFromItsRecord) {
  const auto plan = this->plan();
  for (const auto& step : plan.steps) {
    if (step.kind != TypeParam::kName) {
      continue;
    }
    const auto read = plan::read_step(nlohmann::json::parse(step.record().dump()));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->record(), step.record());
    EXPECT_EQ(read->name(), step.name());
    EXPECT_EQ(read->before, step.before);
    EXPECT_EQ(read->after, step.after);
    EXPECT_EQ(read->is_volatile, step.is_volatile);
  }
}

/// Whatever of an apply was done when it was cut off, another process takes it back.
TYPED_TEST(Laws, AnUndoFromTheJournalLeavesEverythingAsBefore) {
  const auto before = plan::fingerprint(this->plan());
  const auto steps = this->plan().steps.size();
  for (std::size_t done = 0; done <= steps; ++done) {
    const auto report = this->interrupt_and_roll_back(done);
    EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack)
        << done << (report.differs.empty() ? "" : "; " + report.differs.front());
    EXPECT_EQ(plan::fingerprint(this->plan()), before) << "after " << done << " steps";
    EXPECT_EQ(this->ledger(), kinds::Ledger{});
  }
}

}  // namespace
}  // namespace spark::test
