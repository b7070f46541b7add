#include "cli/input/named_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "fake/temporary_folder.hpp"

namespace spark::cli {
namespace {

/// A folder with cluster.yaml in it.
class NamedFile : public testing::Test {
 protected:
  NamedFile() { std::ofstream(at("cluster.yaml")) << "version: 1\n"; }

  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(NamedFile, ThatIsAbsentMayBeMeantByANearName) {
  const auto error = fault_of_input(at("cluster.yml"), ENOENT);
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_EQ(error.what, "there is no file '" + at("cluster.yml") + "': did you mean '" +
                            at("cluster.yaml") + "'?");
}

TEST_F(NamedFile, ThatIsAbsentIsListedWhereNoNameIsNear) {
  EXPECT_TRUE(fault_of_input(at("x"), ENOENT).what.ends_with("` shows which there are"));
}

TEST_F(NamedFile, NamesTheDirectoryThatIsAbsent) {
  EXPECT_TRUE(fault_of_input(at("absent/further/cluster.yaml"), ENOENT)
                  .what.starts_with("there is no directory '" + at("absent") + "': `ls "));
  EXPECT_EQ(fault_of_output(at("absent/c.yaml"), ENOENT, "-o").what,
            "there is no directory '" + at("absent") + "': `mkdir -p " + at("absent") + "`");
}

TEST_F(NamedFile, NamesTheFileThatIsTakenForADirectory) {
  EXPECT_EQ(fault_of_input(at("cluster.yaml/x"), ENOTDIR).what,
            "'" + at("cluster.yaml") + "' is no directory: name the file itself");
}

TEST_F(NamedFile, NamesWhereALinkLeads) {
  std::filesystem::create_symlink(at("gone.yaml"), at("link.yaml"));
  EXPECT_EQ(fault_of_input(at("link.yaml"), ENOENT).what,
            "'" + at("link.yaml") + "' is a symbolic link to '" + at("gone.yaml") +
                "', which is not there");
}

TEST_F(NamedFile, IsNoUrlAndHasNoTilde) {
  EXPECT_EQ(fault_of_input("https://x.org/c.yaml", ENOENT).what,
            "'https://x.org/c.yaml' is a URL, and the name of a file is taken here: `curl -fsSO "
            "https://x.org/c.yaml` fetches it");
  EXPECT_EQ(fault_of_input("~/cluster.yaml", ENOENT).what,
            "there is no file '~/cluster.yaml': in quotes a shell leaves ~ as it is, so leave the "
            "quotes out");
}

TEST_F(NamedFile, ThatNeedsOtherRightsHasNoWordsOfTheKernel) {
  const auto read = fault_of_input("/root/x.yaml", EACCES);
  EXPECT_EQ(read.code, ErrorCode::kPermission) << "report_error adds the line for root";
  EXPECT_EQ(read.what, "you may not read '/root/x.yaml'");
  EXPECT_EQ(fault_of_output("/etc/p.json", EACCES, "--out").what,
            "you may not write in '/etc': give --out another place, as --out ~/p.json");
  EXPECT_EQ(fault_of_output("c.yaml", EACCES, "-o").what,
            "you may not write in this directory: give -o another place, as -o ~/c.yaml");
}

TEST_F(NamedFile, ThatIsADirectoryIsSaidToBeOne) {
  EXPECT_EQ(fault_of_input("/etc", EISDIR).what,
            "'/etc' is a directory: name the file in it, as /etc/cluster.yaml");
  EXPECT_EQ(fault_of_output("/run", EISDIR, "-o").what,
            "'/run' is a directory: give -o the name of a new file in it");
}

TEST_F(NamedFile, OfARootIsADirectory) {
  const Error error{ErrorCode::kNotFound, "open the root"};
  EXPECT_EQ(fault_of_root(at("absent"), error).what,
            "there is no directory '" + at("absent") + "': --root takes one that is there");
  EXPECT_EQ(fault_of_root(at("cluster.yaml"), error).what,
            "'" + at("cluster.yaml") + "' is no directory: --root takes one");
}

}  // namespace
}  // namespace spark::cli
