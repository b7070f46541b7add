#include "daemon/ask_programs.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "fake/temporary_folder.hpp"

namespace spark::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class AskProgramsTest : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& body, unsigned mode = 0755) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
  }
  std::string ask() {
    return ask_programs(
        folder_.path().string(), {.node = "spark1", .links = {"r0", "r1"}, .digest = "d1"},
        [this](int /*priority*/, std::string_view line) { log_.emplace_back(line); }, geteuid());
  }

  test::TemporaryFolder folder_;
  std::vector<std::string> log_;
};

TEST_F(AskProgramsTest, AreThereOnceThereIsOne) {
  EXPECT_FALSE(has_ask_programs((folder_.path() / "none").string()));
  EXPECT_FALSE(has_ask_programs(folder_.path().string()));
  add("10-yes", "exit 0");
  EXPECT_TRUE(has_ask_programs(folder_.path().string()));
  EXPECT_TRUE(has_ask_programs((folder_.path() / "10-yes").string())) << "no directory: a no";
}

TEST_F(AskProgramsTest, AllHaveToSayYes) {
  EXPECT_EQ(ask(), "") << "there is no program";
  add("10-yes", "exit 0");
  EXPECT_EQ(ask(), "");
  add("20-no", "echo the queue is busy; exit 75");
  const auto why = ask();
  EXPECT_THAT(why, HasSubstr("20-no' says not now: the queue is busy"));
  EXPECT_THAT(log_, IsEmpty()) << "that is no error";
}

TEST_F(AskProgramsTest, WhatFailsIsANoAndAnError) {
  add("10-broken", "exit 3");
  EXPECT_THAT(ask(), HasSubstr("10-broken' ended with status 3"));
  EXPECT_THAT(log_, SizeIs(1));
}

TEST_F(AskProgramsTest, WhatOthersCanWriteIsNotRun) {
  add("10-open", "exit 0", 0777);
  EXPECT_THAT(ask(), HasSubstr("others can write it"));
  EXPECT_THAT(log_, SizeIs(1));
}

TEST_F(AskProgramsTest, TheyAreToldWhichRailsOfWhichFile) {
  add("10-tell", "echo $SPARK_NODE $SPARK_LINKS $SPARK_DIGEST; exit 75");
  EXPECT_THAT(ask(), HasSubstr(": spark1 r0 r1 d1"));
}

}  // namespace
}  // namespace spark::daemon
