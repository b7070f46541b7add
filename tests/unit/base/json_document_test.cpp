#include "base/json_document.hpp"

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/moment.hpp"

namespace spark {
namespace {

using nlohmann::json;

enum class Colour : std::uint8_t { kRed, kGreen };
constexpr std::array<std::string_view, 2> kColours{"red", "green"};
constexpr const auto& names_of(Colour /*any*/) { return kColours; }

struct Part {
  std::string name;
  Colour colour = Colour::kRed;
};

template <EitherConst<Part> T, class Visit>
void each_field(T& part, Visit visit) {
  visit("name", part.name);
  visit("colour", part.colour);
}

struct Document {
  std::map<std::string, Part> parts;
  std::vector<int> numbers;
  std::optional<std::chrono::milliseconds> within;
  double share = 0;
  bool added_later = true;
  std::string note;
  Moment at;
};

template <EitherConst<Document> T, class Visit>
void each_field(T& document, Visit visit) {
  visit("parts", document.parts);
  visit("numbers", document.numbers);
  visit("within_ms", document.within);
  visit("share", document.share);
  visit("added_later", may_lack(document.added_later));
  visit("note", unless_empty(document.note));
  visit("at", document.at);
}

constexpr const char* kSchema = "spark-reconcile/example/v1";
constexpr const char* kText =
    R"({"added_later":false,"at":{"boot_ms":7,"wall_ms":1769851800000},"note":"n","numbers":[1,-2],)"
    R"("parts":{"a":{"colour":"green","name":"b"}},"schema":"spark-reconcile/example/v1",)"
    R"("share":0.5,"within_ms":60000})";

/// The text above, with one piece replaced.
std::string text_with(const std::string& piece, const std::string& other) {
  std::string text = kText;
  return text.replace(text.find(piece), piece.size(), other);
}

std::string what_is_wrong_with(const std::string& text) {
  const auto document = document_from_text<Document>(kSchema, text);
  return document ? "" : document.error().what;
}

TEST(JsonDocument, IsTheSameTextAfterItWasRead) {
  const auto document = document_from_text<Document>(kSchema, kText);
  ASSERT_TRUE(document) << document.error().what;
  EXPECT_EQ(document->parts.at("a").colour, Colour::kGreen);
  EXPECT_EQ(document->at.boot, std::chrono::milliseconds(7));
  EXPECT_EQ(json_text(document_of(kSchema, *document)), kText);
}

TEST(JsonDocument, SaysWhereItIsWrong) {
  EXPECT_EQ(what_is_wrong_with("{").substr(0, 34), "parse error at line 1, column 2: s");
  EXPECT_EQ(what_is_wrong_with("[]"), "at '/': expected an object");
  EXPECT_EQ(what_is_wrong_with(text_with("example/v1", "example/v2")),
            "at '/schema': expected 'spark-reconcile/example/v1'");
  EXPECT_EQ(what_is_wrong_with("{}"), "at '/schema': expected 'spark-reconcile/example/v1'");
  EXPECT_EQ(what_is_wrong_with(text_with("\"green\"", "\"blue\"")),
            "at '/parts/a/colour': expected one of red, green");
  EXPECT_EQ(what_is_wrong_with(text_with("\"b\"", "7")), "at '/parts/a/name': expected a text");
  EXPECT_EQ(what_is_wrong_with(text_with("-2", "1.5")).substr(0, 26), "at '/numbers/1': expected ");
  EXPECT_EQ(what_is_wrong_with(text_with("0.5", "null")), "at '/share': expected a number");
  EXPECT_EQ(what_is_wrong_with(text_with("\"share\"", "\"part\"")),
            "at '/share': expected this key");
}

TEST(JsonDocument, MayLackWhatAnEarlierVersionDidNotWrite) {
  const auto document =
      document_from_text<Document>(kSchema, text_with("\"added_later\":false,", ""));
  ASSERT_TRUE(document) << document.error().what;
  EXPECT_TRUE(document->added_later);
}

TEST(JsonDocument, LeavesOutWhatIsEmptyWhereItSaysSo) {
  const auto document = document_from_text<Document>(kSchema, text_with("\"note\":\"n\",", ""));
  ASSERT_TRUE(document) << document.error().what;
  EXPECT_EQ(document->note, "");
  EXPECT_FALSE(document_of(kSchema, *document).contains("note"));
}

TEST(JsonDocument, PassesOverWhatALaterVersionAdded) {
  EXPECT_EQ(what_is_wrong_with(text_with("\"note\"", "\"new\":{\"x\":1},\"note\"")), "");
  Part part;
  JsonReader strict;
  strict.read(json{{"name", "b"}, {"colour", "red"}, {"new", 1}}, part);
  EXPECT_EQ(strict.problem(), "at '/': expected no other keys");
}

TEST(JsonDocument, HasTimesWithWhichOneCanCount) {
  const auto document =
      document_from_text<Document>(kSchema, text_with("60000", "9223372036854775807"));
  ASSERT_TRUE(document) << document.error().what;
  EXPECT_EQ(document->within->count(), 8'640'000'000'000'000);
}

TEST(JsonWriter, KeepsBytesThatAreNoText) {
  const Part part{.name = "caf\xe9", .colour = Colour::kRed};
  const auto again = value_from<Part>(JsonWriter::write(part));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->name, part.name);
  EXPECT_EQ(json_text(TextJsonWriter::write(part)),
            "{\"colour\":\"red\",\"name\":\"caf\xef\xbf\xbd\"}")
      << "U+FFFD: a text has to be a text";
}

// A mebibyte of brackets took ninety times as much memory of the daemon, and a second.
TEST(JsonDocument, OfTooManyLevelsIsRefused) {
  const auto lists = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(parse_json(lists(64)));
  EXPECT_EQ(parse_json(lists(65)).error(),
            (Error{ErrorCode::kInvalid, "it has more than 64 levels"}));
  EXPECT_FALSE(parse_json(std::string(65, '[')));
  const auto flat = "[[]" + std::string(100, ',') + "]";
  EXPECT_NE(parse_json(flat).error().what, "it has more than 64 levels");
  EXPECT_TRUE(parse_json("[\"" + std::string(100, '[') + R"(\"[\\", "["])"));
}

}  // namespace
}  // namespace spark
