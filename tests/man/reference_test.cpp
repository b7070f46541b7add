// docs/reference/verbs.md, messages.md and variables.md are what the tables of the program make.
// SPARK_UPDATE_GOLDEN=1 writes them again.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/explain/words.hpp"
#include "cli/input/verb.hpp"
#include "config/yaml/job_variables.hpp"
#include "man/reference_pages.hpp"

namespace spark::test::man {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kReference = SPARK_SOURCE_DIR "/docs/reference";

std::string text_of_page(const std::string& name) {
  std::ifstream file(kReference / name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReferencePages, AreThoseOfTheTables) {
  for (const auto& [name, text] : reference_pages()) {
    if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) std::ofstream(kReference / name) << text;
    EXPECT_EQ(text_of_page(name), text)
        << name << ": SPARK_UPDATE_GOLDEN=1 build/dev/tests/man_tests writes it again";
  }
}

TEST(ReferencePages, HaveEveryVerbAndEveryIdOfTheClusterFile) {
  const auto verbs = verbs_page();
  for (const auto* verb : cli::verbs()) {
    EXPECT_THAT(verbs, HasSubstr("\n## " + std::string(verb->name) + "\n"));
  }
  const auto messages = messages_page();
  for (const auto& id : cli::id_words()) {
    if (!id.starts_with("SR-SPEC-")) continue;
    EXPECT_THAT(messages, HasSubstr("\n- " + id + ": "));
  }
}

TEST(ReferencePages, HaveEveryVariableOfJobs) {
  const auto page = variables_page();
  for (const auto& variable : config::job_variables()) {
    EXPECT_THAT(page, HasSubstr("\n- `" + std::string(variable.name) + "`: "));
  }
}

}  // namespace
}  // namespace spark::test::man
