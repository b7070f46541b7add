#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "helpers/git/store.hpp"

namespace spark::helpers {
namespace {

namespace fs = std::filesystem;
using Refs = std::map<std::string, std::string>;

const std::string kOne(40, '1');
const std::string kTwo(40, '2');

class ReadRefs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "refs.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << text;
  }
  [[nodiscard]] Refs read(std::size_t most = 10) const {
    return read_refs(root_, "refs/offer/", most);
  }

  std::string root_;
};

TEST_F(ReadRefs, FindsThoseInFilesAndThoseThatArePacked) {
  write("packed-refs", "# pack-refs with: peeled fully-peeled sorted\n" + kOne +
                           " refs/offer/tags/v1\n^" + kTwo + "\n" + kOne + " refs/heads/main\n");
  write("refs/offer/head", kTwo + "\n");
  write("refs/heads/main", kTwo + "\n");
  EXPECT_EQ(read(), (Refs{{"refs/offer/head", kTwo}, {"refs/offer/tags/v1", kOne}}));
}

TEST_F(ReadRefs, BelievesTheFileBeforeThePackedLine) {
  write("packed-refs", kOne + " refs/offer/head\n");
  write("refs/offer/head", kTwo + "\n");
  EXPECT_EQ(read(), (Refs{{"refs/offer/head", kTwo}}));
}

TEST_F(ReadRefs, LeavesOutWhatIsNoRef) {
  write("refs/offer/symbolic", "ref: refs/offer/head\n");
  write("refs/offer/head.lock", kOne + "\n");
  write("refs/offer/short", "1234\n");
  write("packed-refs", "garbage\n" + kOne + "\n" + kOne + "  refs/offer/two-blanks\n");
  EXPECT_EQ(read(), Refs{});
}

TEST_F(ReadRefs, ShowsThatThereAreMoreThanAsked) {
  for (int i = 0; i < 9; ++i) write("refs/offer/tags/" + std::to_string(i), kOne + "\n");
  EXPECT_EQ(read(9).size(), 9U);
  EXPECT_EQ(read(5).size(), 6U);
}

TEST_F(ReadRefs, FindsNothingWhereThereIsNothing) { EXPECT_EQ(read(), Refs{}); }

}  // namespace
}  // namespace spark::helpers
