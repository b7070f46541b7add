// What nodes of each version so far have sent each other: a later one still reads it.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "helpers/peers/frames.hpp"

namespace spark::helpers {
namespace {

using nlohmann::json;

std::filesystem::path recorded_versions() {
  return std::filesystem::path(SPARK_SOURCE_DIR) / "tests/recorded/peers";
}

std::string recorded(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All that stands in `one` stands in `other` too, which may have more members.
testing::AssertionResult is_kept(const json& one, const json& other, const std::string& place) {
  if (one.is_object()) {
    for (const auto& [name, value] : one.items()) {
      const auto found = other.find(name);
      if (found == other.end()) return testing::AssertionFailure() << place << "." << name;
      if (auto kept = is_kept(value, *found, place + "." + name); !kept) return kept;
    }
    return testing::AssertionSuccess();
  }
  if (one.is_array() && other.is_array() && one.size() == other.size()) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (auto kept = is_kept(one[i], other[i], place + "[]"); !kept) return kept;
    }
    return testing::AssertionSuccess();
  }
  if (one == other) return testing::AssertionSuccess();
  return testing::AssertionFailure() << place << ": " << one << " became " << other;
}

/// What a later version may add.
void add_members(json& value) {
  for (auto& member : value) {
    if (member.is_structured()) add_members(member);
  }
  if (value.is_object()) value["of_a_later_version"] = {{"a", 1}};
}

TEST(Recorded, AnswersOfEachVersionAreRead) {
  std::size_t versions = 0;
  for (const auto& version : std::filesystem::directory_iterator(recorded_versions())) {
    ++versions;
    SCOPED_TRACE(version.path());
    const auto hello = decode_hello(recorded(version.path() / "hello"));
    ASSERT_TRUE(hello);
    EXPECT_EQ(hello->node, "spark2");

    const auto text = recorded(version.path() / "details.json");
    const auto details = decode_details(text);
    ASSERT_TRUE(details) << details.error().what;
    EXPECT_TRUE(is_kept(json::parse(text),
                        json::parse(json_text(document_of(protocol::kDetailsSchema, *details))),
                        "details"));
    if (version.path().filename() == "0.2.0") {
      EXPECT_TRUE(details->problems.empty()) << "its sentences are no values";
      EXPECT_FALSE(details->reasons.empty());
    }

    const auto kept = recorded(version.path() / "report.json");
    const auto report =
        document_from_text<protocol::PeersReport>(protocol::kPeersReportSchema, kept);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_TRUE(is_kept(json::parse(kept),
                        json::parse(json_text(document_of(protocol::kPeersReportSchema, *report))),
                        "report"));
  }
  EXPECT_GE(versions, 1U);
}

TEST(Recorded, WhatALaterVersionAddsIsPassedOver) {
  for (const auto& version : std::filesystem::directory_iterator(recorded_versions())) {
    SCOPED_TRACE(version.path());
    auto details = json::parse(recorded(version.path() / "details.json"));
    const auto before = decode_details(details.dump());
    add_members(details);
    const auto after = decode_details(details.dump());
    ASSERT_TRUE(before && after) << after.error().what;
    EXPECT_EQ(*after, *before);

    constexpr std::string_view kMagic = "SPARKHI1";
    auto frame = recorded(version.path() / "hello");
    auto hello = json::parse(frame.substr(kMagic.size()));
    hello["of_a_later_version"] = 1;
    EXPECT_EQ(decode_hello(std::string(kMagic) + hello.dump()), decode_hello(frame));
  }
}

}  // namespace
}  // namespace spark::helpers
