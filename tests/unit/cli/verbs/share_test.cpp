// The verb `facts --share`: where the report and the listing go.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "host/view.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

using ::testing::HasSubstr;

class ShareVerb : public testing::Test {
 protected:
  ShareVerb() {
    test::add_spark(machine_);
    std::filesystem::create_directory(folder_);
  }
  ShareVerb(const ShareVerb&) = delete;
  ShareVerb& operator=(const ShareVerb&) = delete;
  ~ShareVerb() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("share-verb-" + std::to_string(::getpid()));
  test::FakeHost machine_;
};

TEST_F(ShareVerb, PrintsTheReportAndListsOnStderr) {
  const auto shared = run_typed(machine_, {"facts", "--share"});
  EXPECT_EQ(shared.code, ExitCode::kDone);
  EXPECT_EQ(nlohmann::json::parse(shared.out)["schema"], "spark-reconcile/facts/v1");
  EXPECT_THAT(shared.err, HasSubstr("replaced in this report:"));
}

TEST_F(ShareVerb, PrintsFactsThatAPlanCanReadAgain) {
  const auto shared = run_typed(machine_, {"facts", "--share"});
  const auto view = host::View::from_json(shared.out);
  EXPECT_TRUE(view) << view.error().what;
}

TEST_F(ShareVerb, WritesANewFileAndReplacesNone) {
  const std::string path = folder_ / "report.json";
  EXPECT_EQ(run_typed(machine_, {"facts", "--share", "-o", path}).code, ExitCode::kDone);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(nlohmann::json::parse(text).contains("links"));
  const auto again = run_typed(machine_, {"facts", "--share", "-o", path});
  EXPECT_EQ(again.code, ExitCode::kError);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
}

}  // namespace
}  // namespace spark::cli
