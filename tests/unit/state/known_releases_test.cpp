#include "state/known_releases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::state {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class KnownReleasesTest : public testing::Test {
 protected:
  KnownReleases known(const std::string& text) {
    EXPECT_TRUE(host_.files().write_durably(kReleasesFile, text, 0644));
    return read_known_releases(host_.files());
  }

  test::FakeHost host_;
};

TEST_F(KnownReleasesTest, WithoutAFileTheTableOfThisProgramCounts) {
  const auto known = read_known_releases(host_.files());
  EXPECT_THAT(known.fault, IsEmpty());
  EXPECT_EQ(known.releases.boot_a_good_one(), "boot 6.17.0-1032");
  EXPECT_EQ(known.releases.known("6.14.0-1015-nvidia"), nullptr);
}

TEST_F(KnownReleasesTest, WhatTheOwnerKnowsGoesBeforeIt) {
  const auto known = this->known(R"(releases:
  - release: 7.0.0-1021
    source: our own jobs
    date: "2026-10-02"
  - release: 6.17.0-1032-nvidia
    fault: hangs
    unless: quiet
    source: https://git.example.com/notes/7
    date: "2026-10"
)");
  EXPECT_THAT(known.fault, IsEmpty());
  EXPECT_EQ(known.releases.boot_a_good_one(), "boot 7.0.0-1021");
  const auto* bad = known.releases.known("6.17.0-1032-nvidia");
  ASSERT_NE(bad, nullptr);
  EXPECT_EQ(bad->fault, "hangs");
  EXPECT_EQ(bad->cure, "quiet");
  EXPECT_EQ(host::origin_text(*bad), "2026-10, https://git.example.com/notes/7");
  EXPECT_NE(known.releases.known("6.17.0-1008-nvidia"), nullptr);  // of which it says nothing
}

TEST_F(KnownReleasesTest, WhereNoneIsGoodNoReleaseIsNamed) {
  const auto known = this->known(
      "releases: [{release: 6.17.0-1032, fault: hangs, source: us, date: \"2026-10\"}]");
  EXPECT_EQ(known.releases.boot_a_good_one(), "boot one that your jobs are known to run with");
}

TEST_F(KnownReleasesTest, NothingOfAFileWithAnErrorCounts) {
  for (const auto& [text, fault] : {
           std::pair{"releases: [{release: 6.1.0-7, source: us, date: 2026-10-02}]", ":1:"},
           std::pair{"releases: [{release: 6.1.0-7, source: us}]", "date"},
           std::pair{"releases: [{release: 6.1 7, source: us, date: \"2026-10\"}]", "a release"},
           std::pair{"releases: [{release: 6.1.0-7, source: us, date: October}]", "a date"},
           std::pair{"- release: 6.1.0", "must be a map"},
           std::pair{"kernels: []", "kernels"},
           std::pair{"releases: [", "releases.yaml:1:"},
       }) {
    const auto known = this->known(text);
    EXPECT_THAT(known.fault, HasSubstr(fault)) << text;
    EXPECT_EQ(known.releases.boot_a_good_one(), "boot 6.17.0-1032") << text;
  }
  EXPECT_THAT(known("# nothing yet\n").fault, IsEmpty());
}

}  // namespace
}  // namespace spark::state
