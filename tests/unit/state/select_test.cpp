#include "state/select.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "fake/fake_host.hpp"

namespace spark::state {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kThree =
    "version: 1\ncluster: lab\nnodes: { spark1: {}, spark2: {}, rack-03: {} }\n";

/// What a machine of that name is told.
NoNode no_node_for(const std::string& hostname, const std::string& text = kThree) {
  test::FakeHost machine;
  machine.system().set_identity(
      {.hostname = hostname, .machine_id = "00000000000000000000000000000001", .kernel = ""});
  auto ports = machine.host();
  host::View view(ports);
  const auto parsed = config::parse(text);
  const auto none = why_no_node(parsed.cluster, view);
  const auto selected = select(parsed.cluster, "", view);
  EXPECT_EQ(none.has_value(), !selected.has_value());
  if (none) {
    EXPECT_EQ(selected.error().what, none->what + ": " + none->remedy);
  }
  return none.value_or(NoNode{});
}

TEST(WhyNoNode, SaysWhichNameAMisspeltHostNameIs) {
  const auto none = no_node_for("sprak2");
  EXPECT_EQ(none.what,
            "this machine is called 'sprak2', and no node of the file is; the file has: rack-03, "
            "spark1, spark2");
  EXPECT_EQ(none.remedy, "did you mean 'spark2'? `sudo hostnamectl set-hostname spark2`");
  for (const auto* name : {"SPARK2", "spark-2", "spark02", "spark2.lab.example"}) {
    EXPECT_THAT(no_node_for(name).remedy, HasSubstr("set-hostname spark2`")) << name;
  }
  EXPECT_THAT(no_node_for("rack-3").remedy, HasSubstr("set-hostname rack-03`"));
  EXPECT_EQ(no_node_for("spark2").what, "");
}

TEST(WhyNoNode, GivesNoMachineTheNameOfAnother) {
  for (const auto* name : {"spark4", "spark12", "spark", "gpu-1"}) {
    EXPECT_EQ(no_node_for(name).remedy,
              std::string("if it is one of them, write `match: { hostname: ") + name +
                  " }` below that node in the file, or give this machine the node's name: `sudo "
                  "hostnamectl set-hostname NAME`");
  }
}

TEST(WhyNoNode, NamesTheMachineIdWhereANodeGoesByOne) {
  EXPECT_THAT(no_node_for("sprak2").what, Not(HasSubstr("machine id")));
  const auto none = no_node_for("sprak2",
                                "version: 1\ncluster: lab\nnodes: { spark1: {}, spark2: { match: { "
                                "machine_id: fedcba9876543210fedcba9876543210 } } }\n");
  EXPECT_THAT(none.what, HasSubstr("'sprak2' (machine id "));
  EXPECT_THAT(none.remedy, Not(HasSubstr("spark2"))) << "that is another machine";
}

}  // namespace
}  // namespace spark::state
