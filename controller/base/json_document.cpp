#include "base/json_document.hpp"

#include <fmt/format.h>

namespace spark {

using nlohmann::json;

std::string json_text(const json& document, int indent) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

Result<json> parse_json(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …", or out_of_range.406
    // for a number that no double holds.
    const std::string_view what = error.what();
    return fail(ErrorCode::kInvalid, std::string(what.substr(what.find(' ') + 1)));
  }
}

Result<> check_schema(const json& document, std::string_view schema) {
  if (!document.is_object()) {
    return fail(ErrorCode::kInvalid, "at '/': expected an object");
  }
  const auto found = document.find("schema");
  return found != document.end() && *found == schema
             ? Result<>{}
             : fail(ErrorCode::kInvalid, fmt::format("at '/schema': expected '{}'", schema));
}

}  // namespace spark
