#include "base/json_document.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace spark {

using nlohmann::json;

namespace {

/// Of lists and objects in one another. No document of ours has half as many; a mebibyte of
/// brackets would take ninety times as much memory.
constexpr std::size_t kMostLevels = 64;

/// As far as the text is JSON.
bool has_too_many_levels(std::string_view text) {
  std::size_t levels = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (byte == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (byte == '\\') ++at;
    } else if (byte == '[' || byte == '{') {
      if (++levels > kMostLevels) return true;
    } else if ((byte == ']' || byte == '}') && levels > 0) {
      --levels;
    }
  }
  return false;
}

}  // namespace

std::string json_text(const json& document, int indent) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

Result<json> parse_json(const std::string& text) {
  if (has_too_many_levels(text)) {
    return fail(ErrorCode::kInvalid, fmt::format("it has more than {} levels", kMostLevels));
  }
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
  if (!document.is_object()) return fail(ErrorCode::kInvalid, "at '/': expected an object");
  const auto found = document.find("schema");
  return found != document.end() && *found == schema
             ? Result<>{}
             : fail(ErrorCode::kInvalid, fmt::format("at '/schema': expected '{}'", schema));
}

}  // namespace spark
