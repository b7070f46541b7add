#include "daemon/alerts/sinks/alert_formats.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/alerts/sinks/journal_sink.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

Transition raised() {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  return AlertStore{}.update(state, at(10s)).at(0);
}

TEST(WireFingerprint, IsAlertmanagers) {
  EXPECT_EQ(wire_fingerprint({}), "cbf29ce484222325");
  EXPECT_EQ(wire_fingerprint({{"alertname", "x"}}).substr(0, 7), "d240efc");  // as its log has it
}

TEST(Cut, EndsBetweenCharacters) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abcdefgh", 6), "abc...");
  EXPECT_EQ(cut("ab\u00e9\u00e9\u00e9", 6), "ab...");
}

TEST(AlertmanagerItem, NeverEndsBeforeItBegan) {
  const auto item = alertmanager_item(raised().alert, at(1s).wall);
  EXPECT_EQ(item.at("startsAt"), item.at("endsAt"));
}

TEST(HookInput, HasAllThatIsKnown) {
  const auto json = hook_input(raised());
  EXPECT_EQ(json.at("schema"), "spark-reconcile/alert/v1");
  EXPECT_EQ(json.at("status"), "firing");
  EXPECT_EQ(json.at("id"), "SR-ALERT-002");
  EXPECT_EQ(json.at("labels").at("key"), "enp1s0f0np0");
  EXPECT_TRUE(json.at("until").is_null());
}

TEST(Dump, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(dump(nlohmann::json{{"a", "\xff"}}), "{\"a\":\"\xef\xbf\xbd\"}");
}

TEST(JournalEntry, HasIdFieldsAndAFramedDescription) {
  const auto entry = journal_entry(raised());
  EXPECT_TRUE(
      entry.starts_with("MESSAGE=SparkResourceFailed: mtu enp1s0f0np0 could not be corrected\n"
                        "MESSAGE_ID=8f0dfa6f163148fc8bf6ac148369b440\nPRIORITY=4\n"))
      << entry;
  for (const char* field : {"\nSPARK_STATE=firing\n", "\nSPARK_NODE=spark1\n", "\nSPARK_KIND=mtu\n",
                            "\nSPARK_KEY=enp1s0f0np0\n", "\nSPARK_ALERT_ID=SR-ALERT-002\n"}) {
    EXPECT_NE(entry.find(field), std::string::npos) << field;
  }
  const auto& description = raised().alert.description;
  const auto size = std::string("\nSPARK_DESCRIPTION\n") + static_cast<char>(description.size()) +
                    std::string(7, '\0');
  EXPECT_NE(entry.find(size + description + "\n"), std::string::npos);
}

TEST(JournalEntry, IsBounded) {
  auto transition = raised();
  transition.alert.description = std::string(1'000'000, 'x');
  transition.alert.summary = transition.alert.description;
  EXPECT_LT(journal_entry(transition).size(), 65536U);
}

TEST(AlertFormats, NameTheLastChangeWhereItHasAnId) {
  Transition transition{.what = Transition::What::kRaised, .alert = {.name = "SparkDrift"}};
  EXPECT_TRUE(hook_input(transition)["change_id"].is_null());
  EXPECT_FALSE(webhook_body(transition, "x")["commonAnnotations"].contains("change_id"));
  transition.alert.change_id = "CHG0031";
  EXPECT_EQ(hook_input(transition)["change_id"], "CHG0031");
  EXPECT_EQ(webhook_body(transition, "x")["commonAnnotations"]["change_id"], "CHG0031");
  EXPECT_EQ(alertmanager_item(transition.alert, {})["annotations"]["change_id"], "CHG0031");
  EXPECT_EQ(transition_from_json(to_json(transition))->alert.change_id, "CHG0031");
}

}  // namespace
}  // namespace spark::daemon
