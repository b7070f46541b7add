// Each whole cluster file that a page shows is one that the program accepts.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "config/parse/parse.hpp"

namespace spark::test::man {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages_of_docs() {
  const fs::path root = SPARK_SOURCE_DIR;
  std::vector<fs::path> pages{root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  return pages;
}

/// The blocks of YAML that begin as a cluster file does.
std::vector<std::string> cluster_files_in(const fs::path& page) {
  std::ifstream file(page, std::ios::binary);
  EXPECT_TRUE(file) << page;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> blocks;
  bool inside = false;
  for (const auto line : lines_of(text)) {
    if (line == "```yaml") blocks.emplace_back();
    inside = line == "```yaml" || (inside && line != "```");
    if (inside && line != "```yaml") blocks.back().append(line).append("\n");
  }
  std::erase_if(blocks, [](const std::string& block) {
    return block.find("version: 1\n") == std::string::npos;
  });
  return blocks;
}

TEST(PagesOfDocs, ShowClusterFilesThatAreValid) {
  std::size_t files = 0;
  for (const auto& page : pages_of_docs()) {
    for (const auto& text : cluster_files_in(page)) {
      ++files;
      for (const auto& finding : config::parse(text).diagnostics) {
        ADD_FAILURE() << page << ": " << config::render(finding, "cluster.yaml", text);
      }
    }
  }
  EXPECT_GE(files, 6U) << "README.md, cluster-yaml.md, three below docs/start, and the guides";
}

}  // namespace
}  // namespace spark::test::man
