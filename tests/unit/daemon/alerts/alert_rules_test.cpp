#include "daemon/alerts/alert_rules.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(SPARK_SOURCE_DIR + ("/" + path));
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(AlertRules, StandInTheManualAndInTheCatalog) {
  const auto manual = read("docs/reference/alerts.md");
  const auto catalog = read("systemd/spark-reconcile.catalog");
  std::set<std::string_view> ids;
  for (const auto& rule : alert_rules()) {
    EXPECT_NE(manual.find("## " + std::string(rule.id) + ": " + std::string(rule.name) + "\n"),
              std::string::npos)
        << rule.name;
    EXPECT_NE(catalog.find("-- " + std::string(rule.message_id) + "\nSubject: "), std::string::npos)
        << rule.name;
    EXPECT_TRUE(ids.insert(rule.message_id).second) << rule.name;
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.name;
  }
}

TEST(AlertRules, HaveARuleForPrometheus) {
  const auto rules = read("docs/monitoring/spark-reconcile.rules.yaml");
  const auto manual = read("docs/reference/alerts.md");
  for (const auto& rule : alert_rules()) {
    const std::string name(rule.name);
    EXPECT_NE(rules.find("- alert: " + name + "\n"), std::string::npos) << name;
    EXPECT_NE(manual.find(": " + name + "\n"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace spark::daemon
