// Everything that the tables, schemas and sources name has an explanation.

#include "cli/explain/words.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/explain/page_text.hpp"
#include "cli/explain/pages.hpp"
#include "config/yaml/job_variables.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "gate/gate.hpp"

namespace spark::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const fs::path kSourceTree = SPARK_SOURCE_DIR;

std::string whole_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Empty: the explanation has no such part.
std::string part_of(const std::optional<Explanation>& explanation, std::string_view label) {
  if (!explanation) return {};
  const auto found = std::ranges::find(explanation->parts, label, &ExplainedPart::label);
  return found == explanation->parts.end() ? std::string() : found->text;
}

/// What a word needs at least: that somebody can read what it is about, and what to do or write.
void expect_parts(const std::string& word, const std::vector<std::string_view>& labels) {
  const auto explanation = explain_word(word);
  ASSERT_TRUE(explanation) << word;
  for (const auto label : labels) {
    EXPECT_THAT(part_of(explanation, label), Not(IsEmpty())) << word << ": " << label;
  }
}

/// Group 1 of each match in the sources below that folder.
std::set<std::string> named_in_sources(const char* folder, const char* pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / folder)) {
    if (entry.path().extension() != ".cpp") continue;
    const auto text = whole_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
      found.insert((*at)[1]);
    }
  }
  return found;
}

/// The ids of an area, by the numbers of an enumeration.
std::vector<std::string> numbered(const char* area, const char* header) {
  const auto text = whole_file(kSourceTree / header);
  const std::regex regex(R"(\n  k\w+ = ([0-9]+),)");
  std::vector<std::string> ids;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    ids.push_back(fmt::format("SR-{}-{:03}", area, std::stoi((*at)[1])));
  }
  return ids;
}

std::vector<std::string> explained(const std::string& area) {
  auto words = id_words();
  std::erase_if(words, [&](const auto& id) { return !id.starts_with("SR-" + area + "-"); });
  return words;
}

TEST(ExplainedIds, AreThoseOfTheFindings) {
  EXPECT_EQ(explained("SPEC"), numbered("SPEC", "controller/config/yaml/diagnostic_ids.hpp"));
  EXPECT_EQ(explained("GIT"), numbered("GIT", "controller/protocol/source_ids.hpp"));
  const auto manual = whole_file(kSourceTree / "docs/reference/messages.md");
  for (const auto& id : explained("SPEC")) {
    EXPECT_THAT(manual, HasSubstr(fmt::format("\n- {}: {}. ", id, explain_id(id)->title)));
  }
}

TEST(ExplainedIds, HaveEachOfTheTables) {
  for (const auto* area : {"SPEC", "GIT"}) {
    for (const auto& id : explained(area)) expect_parts(id, {"Cause", "Do"});
  }
  std::set<std::string> remedies;
  for (const auto& kind : gate::fact_kinds()) {
    const std::string id(kind.id);
    expect_parts(id, {"Proves", "Do"});
    EXPECT_TRUE(remedies.insert(part_of(explain_id(id), "Do")).second) << id << " has another's";
  }
}

TEST(ExplainedIds, HaveEachThatAMessageCanEndWith) {
  const auto ids = named_in_sources("controller", "\"(SR-[A-Z]+-[0-9]{3})\"");
  EXPECT_THAT(ids, SizeIs(testing::Gt(80U)));
  for (const auto& id : ids) expect_parts(id, {"Do"});
}

TEST(ExplainedIds, OfThePageOfErrorsHaveSymptomCauseAndWhatToDo) {
  for (const auto& id : id_words()) {
    const auto explanation = explain_id(id);
    ASSERT_TRUE(explanation);
    EXPECT_THAT(explanation->title, Not(IsEmpty())) << id;
    if (!explanation->page.contains("errors.md")) continue;
    EXPECT_THAT(part_of(explanation, "Symptom"), Not(IsEmpty())) << id;
    EXPECT_THAT(part_of(explanation, "Cause"), Not(IsEmpty())) << id;
    EXPECT_THAT(part_of(explanation, "Do"), Not(IsEmpty())) << id;
  }
}

TEST(ExplainedIds, AreTakenInAnyLettersAndWithBrackets) {
  for (const auto* word : {"SR-GATE-016", "sr-gate-016", "[SR-GATE-016]", "Sr-Gate-016"}) {
    const auto explanation = explain_word(word);
    ASSERT_TRUE(explanation) << word;
    EXPECT_EQ(explanation->word, "SR-GATE-016");
    EXPECT_THAT(explanation->title, HasSubstr("cabling"));
    EXPECT_THAT(part_of(explanation, "Proves"), HasSubstr("at the other end of the cable"));
  }
}

TEST(ExplainedAlerts, AreAllOfTheTable) {
  for (const auto& rule : daemon::alert_rules()) {
    for (const auto word : {rule.name, rule.id}) {
      expect_parts(std::string(word), {"Means", "Ends", "Do"});
      EXPECT_EQ(explain_alert(word)->word, rule.id);
      EXPECT_EQ(explain_alert(word)->title, rule.name);
    }
  }
  EXPECT_EQ(alert_count(), daemon::alert_rules().size() + 1 + 5)
      << "and the one that is seen from outside, and those of the cluster";
}

TEST(ExplainedAlerts, AreAlsoThoseOfTheClusterThatPrometheusRaises) {
  for (const auto* name : {"SparkMatrixIncomplete", "SparkFilesDiffer", "SparkOneSideProven",
                           "SparkNodeSilent", "SparkLinkSlower"}) {
    expect_parts(name, {"Means", "Ends", "Labels", "Do"});
    EXPECT_THAT(part_of(explain_alert(name), "Means"), HasSubstr("Only")) << name;
    EXPECT_THAT(part_of(explain_alert(name), "Ends"), HasSubstr("The alert ends w")) << name;
  }
}

TEST(ExplainedAlerts, EndAsAllDoOrAsTheirPageSays) {
  EXPECT_EQ(part_of(explain_alert("SparkGidMoved"), "Ends"), "The alert ends after ten minutes.");
  EXPECT_THAT(part_of(explain_alert("sparkcontested"), "Ends"), HasSubstr("absent for 60 seconds"));
}

TEST(ExplainedMetrics, AreAllThatTheDaemonWrites) {
  const auto names =
      named_in_sources("controller/daemon/export",
                       "(?:out\\.(?:gauge|counter)\\(\\s*|&BenchRate::[a-z_]+, )\"([a-z_]+)\"");
  EXPECT_THAT(names, SizeIs(testing::Gt(40U)));
  for (const auto& name : names) {
    expect_parts("spark_reconcile_" + name, {"Means"});
    EXPECT_THAT(explain_metric(name)->title, testing::AnyOf("gauge", "counter")) << name;
  }
  EXPECT_EQ(metric_words().size(), names.size());
}

/// Every key of a schema as a person types it, found without the program.
class TypedKeys {
 public:
  explicit TypedKeys(std::string_view schema) : schema_(nlohmann::json::parse(schema)) {
    walk(schema_, "");
  }
  [[nodiscard]] const std::set<std::string>& all() const { return keys_; }

 private:
  void walk(const nlohmann::json& part, const std::string& path) {
    if (part.contains("$ref")) {
      const auto name = part["$ref"].get<std::string>();
      walk(schema_["definitions"][name.substr(name.rfind('/') + 1)], path);
    }
    if (part.contains("properties")) {
      for (const auto& [name, child] : part["properties"].items()) {
        const auto key = path.empty() ? name : fmt::format("{}.{}", path, name);
        keys_.insert(key);
        walk(child, key);
      }
    }
    for (const auto* inner : {"items", "additionalProperties"}) {
      if (part.contains(inner) && part[inner].is_object()) walk(part[inner], path);
    }
  }

  nlohmann::json schema_;
  std::set<std::string> keys_;
};

TEST(ExplainedKeys, AreAllOfTheSchemas) {
  for (const auto schema : {cluster_schema(), agent_schema()}) {
    const TypedKeys keys(schema);
    EXPECT_THAT(keys.all(), SizeIs(testing::Gt(10U)));
    for (const auto& key : keys.all()) {
      expect_parts(key, {"Takes", "Means", "Example"});
      EXPECT_THAT(explain_key(key)->title, HasSubstr(".yaml")) << key;
    }
  }
}

TEST(ExplainedKeys, AreFoundAsAPersonTypesThem) {
  for (const auto* word : {"nodes.management", "nodes.*.management", "nodes.NAME.management",
                           "nodes.spark1.management"}) {
    const auto explanation = explain_word(word);
    ASSERT_TRUE(explanation) << word;
    EXPECT_EQ(explanation->word, "nodes.NAME.management");
    EXPECT_EQ(part_of(explanation, "Takes"), "Interface");
    EXPECT_EQ(part_of(explanation, "Example"), "nodes:\n  alpha:\n    management: enP7s7");
  }
  EXPECT_EQ(explain_key("fabric.cables[0].ends")->word, "fabric.cables[].ends");
  EXPECT_EQ(explain_key("nodes.spark1.hosts.suffix")->word, "host.hosts.suffix")
      << "explained where it stands first";
  EXPECT_EQ(explain_key("drift.kinds.mtu")->word, "drift.kinds.KIND");
  EXPECT_EQ(explain_key("nodes.managment"), std::nullopt);
  EXPECT_EQ(explain_key("nodes.managment.managment"), std::nullopt);
  EXPECT_EQ(explain_key(""), std::nullopt);
  EXPECT_EQ(explain_key("..."), std::nullopt);
}

TEST(ExplainedKeys, OfAListHaveTheirItemInTheExample) {
  EXPECT_THAT(part_of(explain_key("fabric.cables.mtu"), "Example"),
              "fabric:\n  cables:\n    - mtu: 4200");
  EXPECT_THAT(part_of(explain_key("fabric.cables"), "Example"),
              HasSubstr("fabric:\n  cables: [{ ends: "));
}

// Read here without the program, as people read the page.
TEST(ExplainedTerms, AreAllOfTheGlossary) {
  std::size_t count = 0;
  const std::regex row(R"(\n\| ([^|\n]+) \| ([^|\n]+) \|)");
  const auto page = whole_file(kSourceTree / "docs/reference/glossary.md");
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    const auto words = (*at)[1].str();
    for (const auto word : split(words, ',')) {
      const std::string plain(plain_text(word.substr(word.find_first_not_of(' '))));
      if (plain == "word") continue;
      ++count;
      const auto explanation = explain_word(plain);
      ASSERT_TRUE(explanation) << plain;
      EXPECT_THAT(part_of(explanation, explanation->kind == WordKind::kTerm ? "Means" : "Word"),
                  Not(IsEmpty()))
          << plain;
    }
  }
  EXPECT_EQ(count, glossary_words().size());
  for (const auto* word : {"rail", "cage", "gid", "Digest", "contested", "unknown"}) {
    EXPECT_EQ(explain_word(word)->kind, WordKind::kTerm) << word;
  }
}

TEST(ExplainedVariables, AreAllThatAFileMaySet) {
  for (const auto& variable : config::job_variables()) {
    expect_parts(std::string(variable.name), {"Means", "Takes", "Example"});
  }
  EXPECT_EQ(explain_word("nccl_ib_hca")->word, "NCCL_IB_HCA");
}

TEST(ExplainedWords, ThatCompletionOffersAreAllKnown) {
  for (const auto& table : word_tables()) {
    EXPECT_GE(table.words().size(), table.count());
    EXPECT_TRUE(table.find(table.example)) << table.example;
    for (const auto& word : table.words()) {
      const auto explanation = explain_word(word);
      ASSERT_TRUE(explanation) << word;
      // A word may be a key too, of which more is to be said.
      EXPECT_TRUE(explanation->kind == table.kind || table.kind == WordKind::kTerm) << word;
      EXPECT_FALSE(explanation->parts.empty()) << word;
    }
  }
}

TEST(ExplainedWords, HaveNoMarksOfMarkdown) {
  for (const auto& word : all_words()) {
    const auto explanation = explain_word(word);
    for (const auto& part : explanation->parts) {
      if (part.label == "Example") continue;
      EXPECT_THAT(part.text, Not(HasSubstr("]("))) << word;
      EXPECT_THAT(part.text, Not(HasSubstr("**"))) << word;
    }
  }
}

TEST(NearWords, AreThoseThatBeginSoThenTheNearest) {
  const std::vector<std::string> words{"SR-GATE-001", "SR-GATE-016", "SparkContested",
                                       "fabric.mtu"};
  EXPECT_THAT(near_words("sr-gate", words), ElementsAre("SR-GATE-001", "SR-GATE-016"));
  EXPECT_THAT(near_words("SparkContsted", words), ElementsAre("SparkContested"));
  EXPECT_THAT(near_words("fabric.mut", words), Contains("fabric.mtu"));
  EXPECT_THAT(near_words("quite another", words), IsEmpty());
  EXPECT_THAT(near_words(std::string(100000, 'x'), words), IsEmpty());
}

}  // namespace
}  // namespace spark::cli
