#include "cli/text/answer_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"

namespace spark::cli {
namespace {

using std::chrono::milliseconds;

jobs::AnswerLine line_at(const std::string& clock, jobs::Sign sign, const std::string& text) {
  return {.at = *wall_from_utc("2026-11-28T" + clock + "Z"),
          .node = "spark2",
          .link = "enP2p1s0f0np0",
          .sign = sign,
          .text = text};
}

/// The carrier of a rail was lost; a third node does not answer.
NetworkAnswer carrier_lost() {
  const std::string echo = "rail 0 of spark2 had its echo back";
  return {
      .answer = {.kind = jobs::Answer::Kind::kFault,
                 .line = "rail 1 of spark2 lost its carrier at 03:11:58 for 2.1 s; the job ended 3 "
                         "s later.",
                 .notes = {"the clock of spark2 was 2 min ahead: its times are shown by this "
                           "node's"},
                 .lines = {line_at("03:11:37", jobs::Sign::kEcho, echo),
                           line_at("03:11:47", jobs::Sign::kEcho, echo),
                           line_at("03:11:57", jobs::Sign::kEcho, echo),
                           line_at("03:11:58", jobs::Sign::kCarrierLost,
                                   "rail 1 of spark2 lost its carrier for 2.1 s"),
                           line_at("03:12:07", jobs::Sign::kEcho, echo)}},
      .nodes = {{.node = "spark1", .ahead = milliseconds(0), .why = ""},
                {.node = "spark2", .ahead = milliseconds(120'000), .why = ""},
                {.node = "spark3", .ahead = {}, .why = "spark3 does not answer"}}};
}

TEST(AnswerText, HasTheAnswerFirstAndThenTheLinesInTheOrderOfTime) {
  const Terminal terminal(nullptr, nullptr, Color::kNever, false, 80);
  const auto text = answer_text(carrier_lost(), terminal) + lines_text(carrier_lost(), terminal);
  EXPECT_EQ(text,
            "rail 1 of spark2 lost its carrier at 03:11:58 for 2.1 s; the job ended 3 s\n"
            "later.\n"
            "what spark3 recorded is not known: spark3 does not answer\n"
            "the clock of spark2 was 2 min ahead: its times are shown by this node's\n"
            "\n"
            "03:11:37  rail 0 of spark2 had its echo back, 3 times until 03:11:57\n"
            "03:11:58  rail 1 of spark2 lost its carrier for 2.1 s\n"
            "03:12:07  rail 0 of spark2 had its echo back\n");
  for (const auto line : lines_of(text)) EXPECT_LE(columns(line), 80U) << line;
}

TEST(AnswerText, WithoutALineIsTheAnswerAlone) {
  const Terminal terminal(nullptr, nullptr, Color::kNever, false);
  const NetworkAnswer asked{.answer = {.line = "Nothing is known."}, .nodes = {}};
  EXPECT_EQ(answer_text(asked, terminal), "Nothing is known.\n");
  EXPECT_EQ(lines_text(asked, terminal), "");
}

TEST(AnswerJson, HasEachLineWithItsPartsAndWhatEachNodeKnew) {
  const auto shown = answer_json(carrier_lost());
  EXPECT_EQ(shown["answer"]["kind"], "fault");
  EXPECT_EQ(shown["lines"].size(), 5U);
  EXPECT_EQ(shown["lines"][3]["at"], "2026-11-28T03:11:58Z");
  EXPECT_EQ(shown["lines"][3]["sign"], "carrier_lost");
  EXPECT_EQ(shown["nodes"][1]["ahead_ms"], 120'000);
  EXPECT_EQ(shown["nodes"][2]["known"], false);
  EXPECT_EQ(shown["nodes"][2]["ahead_ms"], nullptr);
}

}  // namespace
}  // namespace spark::cli
