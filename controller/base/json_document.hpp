#pragma once
// Documents in JSON: text that becomes a value with `each_field`, and the reverse.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_reader.hpp"
#include "base/json_writer.hpp"
#include "base/result.hpp"

namespace spark {

/// Bytes that are not UTF-8 are replaced. `indent` -1: on one line.
std::string json_text(const nlohmann::json& document, int indent = -1);

/// Errors: kInvalid: "parse error at line 1, column 2: …", "it has more than 64 levels".
Result<nlohmann::json> parse_json(const std::string& text);

/// Errors: kInvalid when it is no object with that "schema".
Result<> check_schema(const nlohmann::json& document, std::string_view schema);

/// The value that `document` describes. Keys that T does not have are passed over; a member that is
/// absent where that is fine keeps its value.
/// Errors: kInvalid, saying where the document is wrong: "at '/node': expected a text".
template <class T>
Result<T> value_from(const nlohmann::json& document,
                     JsonReader::Absent absent = JsonReader::Absent::kIsWrong) {
  T value;
  JsonReader reader(JsonReader::OtherKeys::kPassedOver, absent);
  reader.read(document, value);
  if (!reader.problem().empty()) return fail(ErrorCode::kInvalid, reader.problem());
  return value;
}

/// The same for a text. Errors: also those of parse_json.
template <class T>
Result<T> value_from_text(const std::string& text) {
  const auto document = parse_json(text);
  return document ? value_from<T>(*document) : std::unexpected(document.error());
}

/// The same for a text with a "schema". Errors: also those of check_schema.
template <class T>
Result<T> document_from_text(std::string_view schema, const std::string& text,
                             JsonReader::Absent absent = JsonReader::Absent::kIsWrong) {
  const auto document = parse_json(text);
  if (!document) return std::unexpected(document.error());
  if (auto known = check_schema(*document, schema); !known) return std::unexpected(known.error());
  return value_from<T>(*document, absent);
}

/// `value` with its "schema".
template <class T>
nlohmann::json document_of(std::string_view schema, const T& value) {
  auto document = TextJsonWriter::write(value);
  document["schema"] = schema;
  return document;
}

}  // namespace spark
