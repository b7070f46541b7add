#include "host/view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::host {
namespace {

class ViewTest : public testing::Test {
 protected:
  ViewTest() { test::add_spark(world_); }

  test::FakeHost world_;
  Host host_ = world_.host();
};

/// Everything that a view can be asked for, some of it absent or unreadable.
void look_at_everything(View& view) {
  view.links();
  view.addresses();
  view.routes();
  view.rules();
  view.route_to(*IpAddress::parse("198.51.100.1"));
  view.route_to(*IpAddress::parse("2001:db8::1"));
  view.sysctl("net.core.rmem_max");
  view.sysctl("net.core.none");
  view.file("/etc/hosts");
  view.file("/etc/none");
  view.directory("/etc");
  view.identity();
  view.ssh_addresses();
}

TEST_F(ViewTest, ATableIsReadOnce) {
  View view(host_);
  const auto addresses = view.addresses()->size();
  world_.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse("203.0.113.1/24")});
  EXPECT_EQ(view.addresses()->size(), addresses);
  EXPECT_EQ(View(host_).addresses()->size(), addresses + 1);
}

TEST_F(ViewTest, AFailureIsRememberedLikeAValue) {
  View view(host_);
  world_.make_unreadable("links");
  EXPECT_FALSE(view.links());
  EXPECT_EQ(view.link("enP7s7"), nullptr);
}

TEST_F(ViewTest, FindsALinkByAnyOfItsNames) {
  View view(host_);
  ASSERT_NE(view.link("enP7s7"), nullptr);
  EXPECT_EQ(view.link("enP7p1s0"), view.link("enP7s7"));
  EXPECT_EQ(view.link(view.link("enP7s7")->index), view.link("enP7s7"));
  EXPECT_EQ(view.link("none"), nullptr);
  EXPECT_EQ(view.link(99), nullptr);
}

TEST_F(ViewTest, WhatWasSeenIsTheSameAfterJson) {
  world_.files().put("/etc/hosts", "127.0.0.1 localhost\n");
  world_.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse("203.0.113.1/32"),
                                          .protocol = 83,
                                          .peer = IpAddress::parse("203.0.113.2"),
                                          .route_metric = 7,
                                          .valid_seconds = 60});
  world_.make_unreadable("ssh sessions");
  View seen(host_);
  look_at_everything(seen);
  auto again = View::from_json(seen.to_json());
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->to_json(), seen.to_json());
  EXPECT_EQ(again->links(), seen.links());
  EXPECT_EQ(again->addresses(), seen.addresses());
  EXPECT_EQ(again->routes(), seen.routes());
  EXPECT_EQ(again->rules(), seen.rules());
  EXPECT_EQ(again->ssh_addresses(), seen.ssh_addresses());
  EXPECT_EQ(again->sysctl("net.core.none"), seen.sysctl("net.core.none"));
  EXPECT_EQ(again->file("/etc/none"), seen.file("/etc/none"));
  EXPECT_EQ(again->identity(), seen.identity());
  EXPECT_EQ(again->route_to(*IpAddress::parse("2001:db8::1")).error().code, ErrorCode::kNotFound);
}

TEST_F(ViewTest, BytesThatAreNoTextSurviveJson) {
  const std::string bytes("caf\xe9\0\xff\n", 7);
  world_.files().put("/etc/hosts", bytes);
  View seen(host_);
  seen.file("/etc/hosts");
  auto again = View::from_json(seen.to_json());
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again->file("/etc/hosts"), bytes);
}

TEST_F(ViewTest, OnlyWhatWasReadIsWritten) {
  View view(host_);
  EXPECT_EQ(view.to_json(), "{}");
  view.ssh_addresses();
  EXPECT_EQ(view.to_json(), "{\n  \"ssh_addresses\": []\n}");
}

TEST(ViewOffline, WhatIsNotInTheFactsIsUnknown) {
  auto view = View::from_json("{}");
  ASSERT_TRUE(view) << view.error().what;
  const Error missing{ErrorCode::kUnsupported, "links: not in these facts"};
  EXPECT_EQ(view->links().error(), missing);
  EXPECT_EQ(view->file("/etc/hosts").error().what, "/etc/hosts: not in these facts");
}

TEST(ViewOffline, TheEnvelopeOfFactsIsNoTable) {
  const std::string tables = R"("ssh_addresses": [])";
  auto view = View::from_json(R"({"schema": "spark-reconcile/facts/v1", "version": "0.2.0",
      "node": "spark1", "digest": null, "generated_at": "2026-01-01T00:00:00Z", "exit_code": 0, )" +
                              tables + "}");
  ASSERT_TRUE(view) << view.error().what;
  EXPECT_EQ(view->to_json(), "{\n  \"ssh_addresses\": []\n}");
}

struct Wrong {
  const char* text;
  const char* what;
};

class WrongFacts : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFacts, AreRefusedWithTheirPlace) {
  const auto view = View::from_json(GetParam().text);
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(view.error().what, testing::HasSubstr(GetParam().what));
}

INSTANTIATE_TEST_SUITE_P(
    Facts, WrongFacts,
    testing::Values(
        Wrong{"", "parse error"}, Wrong{"{", "line 1, column 2"},
        Wrong{"[]", "at '/': expected an object"},
        Wrong{"[1e999]", "number overflow parsing '1e999'"},
        Wrong{R"({"schema": "spark-reconcile/facts/v2", "links": {}})",
              "facts of a newer version: they are 'spark-reconcile/facts/v2'"},
        Wrong{R"({"schema": "spark-reconcile/plan/v1"})",
              "facts: this is 'spark-reconcile/plan/v1', and not what"},
        Wrong{R"({"lnks": []})", "at '/': expected no other keys"},
        Wrong{R"({"links": [7]})", "at '/links/0': expected an object"},
        Wrong{R"({"rules": [{"family": 5, "priority": 0, "table": 0}]})",
              "at '/rules/0/family': expected 4 or 6"},
        Wrong{R"({"rules": [{"family": 4, "priority": -1, "table": 0}]})",
              "at '/rules/0/priority': expected a number from 0 to 4294967295"},
        Wrong{R"({"rules": [{"family": 4, "priority": 1.5, "table": 0}]})", "/priority"},
        Wrong{R"({"rules": [{"family": 4, "priority": 1}]})",
              "at '/rules/0/table': expected this key"},
        Wrong{R"({"rules": [{"family": 4, "priority": 1, "table": 0, "x": 0}]})",
              "at '/rules/0': expected no other keys"},
        Wrong{R"({"ssh_addresses": ["192.0.2.300"]})",
              "at '/ssh_addresses/0': expected an IP address"},
        Wrong{R"({"route_to": {"x": null}})", "at '/route_to/x': expected an IP address as key"},
        Wrong{R"({"sysctl": {"a.b": {"text": 1, "writable": true}}})",
              "at '/sysctl/a.b/text': expected a text"},
        Wrong{R"({"files": {"/etc/x": {"hex": "0g"}}})", "expected pairs of hexadecimal digits"},
        Wrong{R"({"identity": {"error": {"code": "odd", "what": ""}}})",
              "at '/identity/error/code': expected one of system, invalid"}));

TEST(ViewOffline, FactsAreBounded) {
  const auto view = View::from_json(std::string(8UL * 1024 * 1024 + 1, ' '));
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().what, "facts: longer than 8 MiB");
}

TEST(ViewOffline, DeepNestingIsRefusedAndNoHarm) {
  EXPECT_FALSE(View::from_json(std::string(100'000, '[')));
  EXPECT_FALSE(View::from_json(std::string(100'000, '[') + std::string(100'000, ']')));
}

}  // namespace
}  // namespace spark::host
