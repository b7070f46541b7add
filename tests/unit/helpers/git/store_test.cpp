#include "helpers/git/store.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace spark::helpers {
namespace {

namespace fs = std::filesystem;

class Store : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "store.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text = "text") const {
    fs::create_directories(fs::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << text;
  }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(root_ + "/" + name); }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream file(root_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string root_;
};

TEST_F(Store, TidyingRemovesWhatAKilledGitLeaves) {
  for (const auto* name : {"refs/offer/head.lock", "objects/pack/tmp_pack_a",
                           "objects/pack/pack-1.keep", "objects/pack/pack-1.pack"}) {
    write(name);
  }
  const auto contents = tidy_store(root_);
  EXPECT_EQ(contents.packs.size(), 1U);
  EXPECT_EQ(contents.bytes, 4U);
  EXPECT_FALSE(has("refs/offer/head.lock") || has("objects/pack/tmp_pack_a") ||
               has("objects/pack/pack-1.keep"));
}

TEST_F(Store, KeepingPacksRemovesTheOthersWithTheirIndexes) {
  write("objects/pack/pack-1.pack");
  write("objects/pack/pack-1.idx");
  const auto known = tidy_store(root_).packs;
  write("objects/pack/pack-2.pack");
  write("objects/pack/pack-2.idx");
  keep_packs(root_, known);
  EXPECT_TRUE(has("objects/pack/pack-1.pack") && has("objects/pack/pack-1.idx"));
  EXPECT_FALSE(has("objects/pack/pack-2.pack") || has("objects/pack/pack-2.idx"));
}

TEST_F(Store, ReplacingLeavesTheFormerOneBeside) {
  write("repository/HEAD", "former");
  write("repository.new/HEAD", "new");
  ASSERT_TRUE(replace_store(root_ + "/repository", root_ + "/repository.new"));
  EXPECT_EQ(text_of("repository/HEAD"), "new");
  EXPECT_EQ(text_of("repository.new/HEAD"), "former");
}

TEST_F(Store, ReplacingPutsTheFirstOneThere) {
  write("repository.new/HEAD", "new");
  ASSERT_TRUE(replace_store(root_ + "/repository", root_ + "/repository.new"));
  EXPECT_EQ(text_of("repository/HEAD"), "new");
  EXPECT_FALSE(has("repository.new"));
}

TEST_F(Store, IsOfTheUrlThatWasNoted) {
  EXPECT_EQ(url_of_store(root_), "");
  ASSERT_TRUE(note_url_of_store(root_, "https://git.example.org/lab.git"));
  EXPECT_EQ(url_of_store(root_), "https://git.example.org/lab.git");
}

}  // namespace
}  // namespace spark::helpers
