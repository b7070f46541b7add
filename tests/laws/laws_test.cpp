// The laws that every kind obeys, whatever it enforces, and those of the pass over all of them. A
// kind that is added to AllKinds is judged by them without another line.

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apply/rollback.hpp"
#include "fake/fake_pass.hpp"
#include "kinds/all.hpp"
#include "laws/every_kind.hpp"
#include "plan/current.hpp"
#include "plan/step.hpp"
#include "state/journal.hpp"

namespace spark::test {
namespace {

/// A Spark on which every kind finds something to do.
struct Machine {
  Machine() {
    add_spark(host);
    add_network_managers(host);
  }
  config::Node node() { return node_on(host, every_kind_text()); }
  plan::Plan plan() { return plan_on(ports, node()); }

  FakeHost host;
  host::Host ports = host.host();
};

template <class K>
class Laws : public PassTest {
 protected:
  Laws() {
    add_network_managers(host_);
    text_ = every_kind_text();
  }

  Result<kinds::Observed<K>> observe(const kinds::Desired<K>& wanted) {
    host::View view(ports_);
    const auto node = this->node();
    return K::observe(view, wanted, {node, {}});
  }

  /// The changes that the steps of the kind make in an apply, by their numbers from 1. `roce`
  /// makes none: its GIDs come with their addresses.
  static std::vector<std::size_t> changes() {
    Machine machine;
    std::vector<std::size_t> numbers;
    std::size_t seen = 0;
    apply::TransactionObserver observer;
    observer.begins = [&](const state::Journal& /*journal*/) {
      seen = machine.host.tried();
      return Result<>();
    };
    observer.on_step = [&](const plan::Step& step, const apply::StepReport& /*report*/, bool) {
      while (seen < machine.host.tried()) {
        ++seen;
        if (step.kind == K::kName) numbers.push_back(seen);
      }
    };
    apply_on(machine.ports, machine.node(), {}, observer);
    return numbers;
  }

  /// As if the process had died after so many steps, and another one found its journal.
  apply::Report interrupt_and_roll_back(std::size_t done) {
    const auto steps = plan();
    EXPECT_TRUE(state::write_journal(ports_.files, state::begin_journal(ports_, steps, {}, {})));
    for (std::size_t i = 0; i < done; ++i) {
      EXPECT_TRUE(kinds::is_done(steps.steps[i].apply(ports_))) << steps.steps[i].name();
    }
    host::View view(ports_);
    const auto journal = state::read_journal(view, "spark1");
    EXPECT_TRUE(journal && *journal) << (journal ? "none" : journal.error().what);
    return apply::roll_back_journal(ports_, **journal, apply::TransactionObserver{});
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

TEST(Laws, WritesNothingWhileItPlans) {
  Machine machine;
  static_cast<void>(machine.plan());
  EXPECT_EQ(machine.host.written(), std::vector<std::string>{});
}

TEST(Laws, PlansTheSameTwice) {
  Machine machine;
  EXPECT_EQ(plan::fingerprint(machine.plan()), plan::fingerprint(machine.plan()));
}

// A rollback has nothing else to go by.
TEST(Laws, ReadsByTheStepsAloneWhatIsThereNow) {
  Machine machine;
  const auto journal = state::begin_journal(machine.ports, machine.plan(), {}, {});
  const auto read = [&] {
    host::View view(machine.ports);
    return plan::read_current(journal.steps, false, view, journal.known());
  };
  for (const auto& [step, current] : read()) {
    EXPECT_FALSE(current.is_skipped) << step->name();
    EXPECT_EQ(current.value, step->before) << step->name();
  }
  for (const auto& step : journal.steps) {
    EXPECT_TRUE(kinds::is_done(step.apply(machine.ports))) << step.name();
  }
  for (const auto& [step, current] : read()) {
    EXPECT_FALSE(current.is_skipped) << step->name();
    EXPECT_EQ(current.value, step->after) << step->name();
  }
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

/// The paths in what FakeFiles says of a change: "write '/etc/hosts'".
std::vector<std::string> paths_in(const std::string& what) {
  std::vector<std::string> paths;
  for (auto at = what.find('\''); at != std::string::npos; at = what.find('\'', at + 1)) {
    const auto end = what.find('\'', at + 1);
    paths.push_back(what.substr(at + 1, end - at - 1));
    at = end;
  }
  return paths;
}

/// The files that the host's last changes were about, and that the step does not name.
std::vector<std::string> unnamed(const plan::Step& step, const std::vector<std::string>& written) {
  std::vector<std::string> found;
  for (const auto& what : written) {
    const bool is_file = what.starts_with("write '/etc") || what.starts_with("remove '/etc") ||
                         what.starts_with("rename '/etc");
    const auto paths = paths_in(what);
    if (is_file && std::ranges::none_of(paths, [&](const auto& path) {
          return std::ranges::find(step.files, path) != step.files.end();
        })) {
      found.push_back(fmt::format("{}: {}", step.name(), what));
    }
  }
  return found;
}

// So that a file that cannot be written is found before the first change.
TEST(Laws, EachStepNamesTheFilesThatItChanges) {
  Machine machine;
  std::vector<std::string> found;
  std::size_t files = 0;
  apply::TransactionObserver observer;
  observer.begins_step = [&](const plan::Step& /*step*/) { machine.host.forget_writes(); };
  observer.on_step = [&](const plan::Step& step, const apply::StepReport& /*report*/, bool) {
    std::ranges::copy(unnamed(step, machine.host.written()), std::back_inserter(found));
    files += step.files.size();
    machine.host.forget_writes();
  };
  apply_on(machine.ports, machine.node(), {}, observer);
  const auto nothing = node_on(machine.host, "version: 1\ncluster: pair\nnodes: { spark1: {} }\n");
  carry_out_on(machine.ports, nothing, {}, observer);
  EXPECT_EQ(found, std::vector<std::string>{});
  EXPECT_GT(files, 0U);
}

TEST(Laws, WritesNothingOnceConverged) {
  Machine machine;
  const auto apply = [&] { return apply_on(machine.ports, machine.node()).outcome; };
  ASSERT_EQ(apply(), apply::Report::Outcome::kApplied);
  machine.host.forget_writes();
  EXPECT_EQ(apply(), apply::Report::Outcome::kNothingToDo);
  EXPECT_EQ(machine.host.written(), std::vector<std::string>{});
}

/// Whichever change of the kind it was that failed.
TYPED_TEST(Laws, RollsBackEveryStepOfAnApplyThatFails) {
  const auto before = plan::fingerprint(this->plan());
  const auto changes = this->changes();
  constexpr bool kOfAddresses = std::is_same_v<TypeParam, kinds::Roce>;
  EXPECT_EQ(changes.empty(), kOfAddresses);
  for (const auto nth : changes) {
    this->host_.refuse(nth);
    const auto report = this->apply();
    EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack)
        << nth << ": " << (report.failure ? report.failure->what : "no failure")
        << (report.differs.empty() ? "" : "; " + report.differs.front());
    EXPECT_EQ(plan::fingerprint(this->plan()), before) << "after change " << nth << " was refused";
  }
}

TYPED_TEST(Laws, SkipsWhatItCannotReadAndCallsItUnknown) {
  const auto node = this->node();
  for (const auto* what : {"links", "addresses", "net.core.rmem_max", "/etc/hosts", "NVMe targets",
                           "modules", "processes", "/etc/nvme/hostnqn"}) {
    this->host_.make_unreadable(what);
  }
  const auto plan = plan_on(this->ports_, node);
  std::set<std::string> unknown;
  for (const auto& item : plan.skipped) {
    if (item.kind != TypeParam::kName) {
      continue;
    }
    EXPECT_EQ(item.skipped.why, kinds::Skipped::Why::kUnknown)
        << item.key << ": " << item.skipped.reason;
    unknown.insert(item.key);
  }
  EXPECT_FALSE(unknown.empty());
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

/// Interrupted before or after any step of the kind, by another process.
TYPED_TEST(Laws, ARollbackFromTheJournalLeavesEverythingAsBefore) {
  const auto steps = this->plan().steps;
  const auto before = plan::fingerprint(this->plan());
  std::set<std::size_t> interruptions;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == TypeParam::kName) interruptions.insert({i, i + 1});
  }
  for (const auto done : interruptions) {
    const auto report = this->interrupt_and_roll_back(done);
    EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack)
        << done << (report.differs.empty() ? "" : "; " + report.differs.front());
    EXPECT_EQ(plan::fingerprint(this->plan()), before) << "after " << done << " steps";
    EXPECT_EQ(this->ledger(), kinds::Ledger{});
  }
}

}  // namespace
}  // namespace spark::test
