// stories/*.yaml: what nodes recorded around the end of a job, as an owner told it, and what may be
// said of it. One "network" where it was not, and the answer is worth nothing.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/moment.hpp"
#include "base/units.hpp"
#include "golden/golden_files.hpp"
#include "golden/world_text.hpp"
#include "jobs/answer.hpp"

namespace spark::test {
namespace {

using config::Value;

const Value& member(const Value& map, std::string_view key) {
  const auto* const found = config::child_of(map, key);
  if (found == nullptr) refuse(map, fmt::format("'{}' is missing", key));
  return *found;
}

std::string text_or_none(const Value& map, std::string_view key) {
  const auto* const found = config::child_of(map, key);
  return found == nullptr ? std::string() : text(*found);
}

/// "03:11:58", of one day.
jobs::Time time_of(const Value& value) {
  const auto time = wall_from_utc(fmt::format("2026-01-31T{}Z", text(value)));
  if (!time) refuse(value, "is no time of a day");
  return *time;
}

/// "2100ms", "-130s".
std::chrono::milliseconds signed_duration(const Value& value) {
  const bool is_negative = text(value).starts_with('-');
  const auto duration = parse_duration(text(value).substr(is_negative ? 1 : 0));
  if (!duration) refuse(value, "is no duration");
  return is_negative ? -*duration : *duration;
}

jobs::Recorded recorded_of(const Value& value) {
  jobs::Recorded sign{.at = time_of(member(value, "at")),
                      .sign = jobs::Sign::kChanged,
                      .link = text_or_none(value, "link"),
                      .peer = text_or_none(value, "peer"),
                      .lasted = {},
                      .text = text_or_none(value, "text")};
  const auto& name = text(member(value, "sign"));
  const auto found = std::ranges::find(protocol::kSigns, name);
  if (found == protocol::kSigns.end()) refuse(value, fmt::format("'{}' is no sign", name));
  sign.sign = static_cast<jobs::Sign>(found - protocol::kSigns.begin());
  if (const auto* const lasted = config::child_of(value, "lasted")) {
    sign.lasted = signed_duration(*lasted);
  }
  return sign;
}

jobs::NodeSigns node_of(const Value& value) {
  jobs::NodeSigns node{.node = text(member(value, "node")),
                       .ahead = std::chrono::milliseconds(0),
                       .covered = {},
                       .signs = {}};
  if (const auto* const ahead = config::child_of(value, "ahead")) {
    node.ahead = is_word(*ahead, "unknown") ? std::nullopt : std::optional(signed_duration(*ahead));
  }
  for (const auto& span : member(value, "covered").children) {
    node.covered.push_back(
        {.from = time_of(span.children.at(0)), .to = time_of(span.children.at(1))});
  }
  for (const auto& sign : member(value, "signs").children) node.signs.push_back(recorded_of(sign));
  return node;
}

jobs::Question question_of(const Value& story) {
  jobs::Question question{.at = time_of(member(story, "at")), .job = {}, .ways = {}, .nodes = {}};
  if (const auto* const job = config::child_of(story, "job")) {
    question.job = {.began = time_of(member(*job, "began")),
                    .last_seen = question.at,
                    .ended = question.at,
                    .links = {}};
    if (const auto* const seen = config::child_of(*job, "last_seen")) {
      question.job->last_seen = time_of(*seen);
    }
    for (const auto& link : member(*job, "links").children) {
      question.job->links.push_back(text(link));
    }
  }
  for (const auto& way : member(story, "ways").children) {
    const auto& link = text(member(way, "link"));
    question.ways.push_back(
        {.link = link,
         .rail = config::rail_of_dgx_name(link),
         .peer = text(member(way, "peer")),
         .peer_link = text(member(way, "peer_link")),
         .peer_rail = config::rail_of_dgx_name(text(member(way, "peer_link")))});
  }
  for (const auto& node : member(story, "nodes").children) {
    question.nodes.push_back(node_of(node));
  }
  return question;
}

std::vector<std::filesystem::path> stories() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder() / "stories")) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(Stories, AreAnsweredAsFarAsTheRecordGoes) {
  std::size_t open = 0;
  for (const auto& path : stories()) {
    const auto story = read_world_text(read_golden(path));
    const auto answer = jobs::was_it_the_network(question_of(story));
    const auto kind = jobs::kAnswerKinds.at(static_cast<std::size_t>(answer.kind));
    EXPECT_EQ(kind, text(member(story, "answer"))) << path;
    EXPECT_EQ(answer.line, text(member(story, "line"))) << path;
    open += answer.kind == jobs::Answer::Kind::kFault ? 0 : 1;
  }
  EXPECT_GE(open, 8U) << "stories in which the network is not to blame";
}

TEST(Stories, AClockThatIsOffIsSaid) {
  const auto story =
      read_world_text(read_golden(golden_folder() / "stories/clocks_two_minutes_apart.yaml"));
  const auto answer = jobs::was_it_the_network(question_of(story));
  EXPECT_EQ(answer.notes.front(),
            "the clock of spark2 was 2 min ahead: its times are shown by this node's");
}

TEST(Stories, TheRecordIsShownInTheOrderOfTime) {
  const auto story = read_world_text(read_golden(golden_folder() / "stories/peer_rebooted.yaml"));
  const auto answer = jobs::was_it_the_network(question_of(story));
  ASSERT_EQ(answer.lines.size(), 5U);
  EXPECT_EQ(answer.lines.front().text, "rail 0 of spark1 had its echo back");
  EXPECT_EQ(answer.lines.back().text, "spark2 started");
  EXPECT_EQ(answer.lines.back().at, *wall_from_utc("2026-01-31T03:13:05Z"));
}

}  // namespace
}  // namespace spark::test
