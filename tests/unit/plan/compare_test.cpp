#include "plan/compare.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model_spark.hpp"
#include "config/parse/parse.hpp"
#include "config/resolve/resolve.hpp"
#include "fake/fake_pass.hpp"

namespace spark::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

using Disturbs = kinds::Effect::Disturbs;

/// spark1 of a cluster with these lines.
config::Node node_of(const std::string& lines) {
  const auto parsed = config::parse("version: 1\ncluster: lab\n" + lines);
  EXPECT_FALSE(config::has_errors(parsed.diagnostics)) << lines;
  const auto node = config::resolve(parsed.cluster, "spark1",
                                    config::model_devices(parsed.cluster.nodes.at("spark1")));
  EXPECT_TRUE(node);
  return node.value_or(config::Node{});
}

config::Node node_with_link(const std::string& link) {
  return node_of(fmt::format("nodes:\n  spark1: {{ links: {{ eth0: {{ {} }} }} }}\n", link));
}

TEST(Compare, FindsNothingBetweenEqualFiles) {
  const auto node = node_with_link("mtu: 9000, addresses: [192.0.2.1/24]");
  const auto found = compare(node, node);
  EXPECT_THAT(found.steps, IsEmpty());
  EXPECT_THAT(found.unknown, IsEmpty());
}

TEST(Compare, OfAChangedValueHasBothTheLineAndWhomItDisturbs) {
  const auto found = compare(node_with_link("mtu: 1500"), node_with_link("mtu: 9000"));
  ASSERT_EQ(found.steps.size(), 1U);
  const auto& step = found.steps.front();
  EXPECT_EQ(step.name(), "mtu eth0");
  EXPECT_EQ(step.before, "1500");
  EXPECT_EQ(step.after, "9000");
  EXPECT_EQ(step.where.line, 4);
  EXPECT_EQ(step.effect.disturbs, Disturbs::kTraffic);
  EXPECT_THAT(found.unknown, IsEmpty());
}

TEST(Compare, SaysThatAnMtuBelow1280EndsIpv6) {
  const auto found = compare(node_with_link("mtu: 1500"), node_with_link("mtu: 1000"));
  ASSERT_EQ(found.steps.size(), 1U);
  EXPECT_TRUE(found.steps.front().effect.ends_ipv6);
}

TEST(Compare, TakesTheWorstOfWhatNobodyAskedForAndSaysSo) {
  const auto found = compare(node_with_link(""), node_with_link("mtu: 9000, up: false"));
  ASSERT_EQ(found.steps.size(), 2U);
  EXPECT_EQ(found.steps[0].before, std::nullopt);
  EXPECT_EQ(found.steps[0].effect.disturbs, Disturbs::kTraffic);
  EXPECT_TRUE(found.steps[1].effect.link_goes_down) << "links go down last";
  EXPECT_THAT(found.unknown, ElementsAre(Field(&Unknown::resource, "mtu eth0"),
                                         Field(&Unknown::resource, "link eth0")));
}

TEST(Compare, LeavesWhatStaysOnTheMachine) {
  const auto found = compare(node_with_link("mtu: 9000"), node_with_link(""));
  ASSERT_EQ(found.steps.size(), 1U);
  EXPECT_EQ(found.steps.front().after, std::nullopt);
  EXPECT_EQ(found.steps.front().left, "9000");
  EXPECT_EQ(found.steps.front().effect.disturbs, Disturbs::kNothing);
}

TEST(Compare, KnowsNoValueFromBeforeTheFirstApply) {
  const auto with =
      node_of("nodes: { spark1: {} }\nhost: { sysctl: { net.core.rmem_max: 268435456 } }\n");
  const auto found = compare(with, node_of("nodes: { spark1: {} }\n"));
  ASSERT_EQ(found.steps.size(), 1U);
  EXPECT_EQ(found.steps.front().left, std::nullopt);
  EXPECT_THAT(found.unknown, ElementsAre(Unknown{"sysctl net.core.rmem_max",
                                                 "back to the value from before the first apply"}));
}

TEST(Compare, NeverSetsWhatIsTheHosts) {
  const auto found =
      compare(node_with_link("mtu: 9000, owner: host"), node_with_link("mtu: 1500, owner: host"));
  EXPECT_THAT(found.steps, IsEmpty());
  EXPECT_THAT(found.unknown, ElementsAre(Field(&Unknown::what, HasSubstr("owner: host"))));
  const auto same = node_with_link("mtu: 1500, owner: host");
  EXPECT_THAT(compare(same, same).unknown, IsEmpty());
}

TEST(Compare, SaysThatWhatIsExclusiveRemovesMore) {
  const auto found = compare(node_with_link("addresses: [192.0.2.1/24]"),
                             node_with_link("addresses: [192.0.2.1/24], exclusive: true"));
  EXPECT_THAT(found.unknown,
              Contains(Field(&Unknown::what, HasSubstr("all addresses that the file does not"))));
}

const Step* step_named(const std::string& name, const std::vector<Step>& steps) {
  const auto found = std::ranges::find(steps, name, &Step::name);
  return found == steps.end() ? nullptr : &*found;
}

/// The comparison beside what a machine would do that was as the old file says.
class CompareBesideAMachine : public test::PassTest {
 protected:
  void expect_agreement(const std::string& from, const std::string& to) {
    apply(from);
    const auto on_machine = plan(to).steps;
    EXPECT_FALSE(on_machine.empty());
    const auto found = compare(test::node_on(host_, from), test::node_on(host_, to));
    const auto is_unknown = [&](const Step& step) {
      return std::ranges::find(found.unknown, step.name(), &Unknown::resource) !=
             found.unknown.end();
    };
    for (const auto& step : on_machine) {
      const auto* const same = step_named(step.name(), found.steps);
      ASSERT_NE(same, nullptr) << step.name();
      EXPECT_EQ(same->after, step.after) << step.name();
      EXPECT_EQ(same->where, step.where) << step.name();
      if (is_unknown(step)) continue;
      EXPECT_EQ(same->effect.disturbs, step.effect.disturbs) << step.name();
      if (same->before) {
        EXPECT_EQ(same->before, step.before) << step.name();
      }
    }
    for (const auto& step : found.steps) {
      const bool stays = !step.after && step.left == step.before;
      if (stays || is_unknown(step)) continue;
      EXPECT_NE(step_named(step.name(), on_machine), nullptr) << step.name();
    }
  }
};

constexpr const char* kCable = R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [203.0.113.0/25, 198.51.100.0/25] }
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(CompareBesideAMachine, AgreesOnAnotherMtu) {
  expect_agreement(kCable, replaced(kCable, "9000", "1500"));
}

TEST_F(CompareBesideAMachine, AgreesOnOtherAddresses) {
  expect_agreement(kCable, replaced(kCable, "203.0.113.0/25", "203.0.113.0/26"));
}

TEST_F(CompareBesideAMachine, AgreesOnAnotherNumber) {
  expect_agreement(kCable, replaced(kCable, "number: 11", "number: 13"));
}

TEST_F(CompareBesideAMachine, AgreesOnAnotherCage) {
  expect_agreement(kCable, replaced(kCable, "spark1:0", "spark1:1"));
}

TEST_F(CompareBesideAMachine, AgreesOnSettings) {
  const std::string settings =
      "host: { sysctl: { net.core.rmem_max: 268435456 }, "
      "memlock: unlimited, hosts: { suffix: -fabric } }\n";
  expect_agreement(kCable, kCable + settings);
  expect_agreement(kCable + settings, kCable);
}

TEST_F(CompareBesideAMachine, AgreesOnTheEnvironment) {
  const std::string shared = kCable;
  expect_agreement(shared + "environment: {}\n",
                   shared + "environment: { variables: { UCX_TLS: \"rc,self\" } }\n");
}

}  // namespace
}  // namespace spark::plan
