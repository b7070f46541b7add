// Each text of the facts' schema has a class, and each class is of a text of that schema.

#include <fstream>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/share/fields.hpp"

namespace spark::cli {
namespace {

using nlohmann::json;

/// The paths of all texts that this schema allows.
class TextsOfSchema {
 public:
  TextsOfSchema() {
    const std::string folder = SPARK_SOURCE_DIR "/schema/output/";
    schema_ = json::parse(std::ifstream(folder + "facts.schema.json"));
    common_ = json::parse(std::ifstream(folder + "common.schema.json"));
    look_at(schema_, "");
  }

  std::set<std::string> texts;

 private:
  /// Null: the part is no reference.
  const json* referred(const json& part) {
    if (!part.contains("$ref")) return nullptr;
    const auto reference = part["$ref"].get<std::string>();
    const auto name = reference.substr(reference.rfind('/') + 1);
    return &(reference.starts_with('#') ? schema_ : common_)["definitions"][name];
  }

  static bool is_text(const json& part) {
    if (part.contains("const")) return part["const"].is_string();
    if (part.contains("enum")) return part["enum"].front().is_string();
    const auto type = part.value("type", json());
    return type == "string" || (type.is_array() && type.front() == "string");
  }

  void look_at(const json& reference, const std::string& path) {
    // What stands in the place of tables: errors, and findings of a file that is not valid.
    if (reference.value("$ref", "") == "#/definitions/unread") return;
    const auto* target = referred(reference);
    const auto& part = target != nullptr ? *target : reference;
    if (reference.value("$ref", "") == "#/definitions/text" || is_text(part)) {
      texts.insert(path);
      return;
    }
    for (const auto& one : part.value("anyOf", json::array())) look_at(one, path);
    if (part.contains("items")) look_at(part["items"], path + "[]");
    const auto members = part.value("properties", json::object());
    for (const auto& [name, member] : members.items()) {
      const bool is_of_failure =
          path.empty() && (name == "error" || name == "file" || name == "findings");
      if (!is_of_failure) look_at(member, path.empty() ? name : fmt::format("{}.{}", path, name));
    }
    if (part.contains("additionalProperties") && part["additionalProperties"].is_object()) {
      texts.insert(path + "{key}");
      look_at(part["additionalProperties"], path + "{}");
    }
  }

  json schema_;
  json common_;
};

TEST(FactFields, EachTextOfTheSchemaHasAClass) {
  const TextsOfSchema schema;
  EXPECT_GT(schema.texts.size(), 80U);
  for (const auto& path : schema.texts) {
    EXPECT_TRUE(class_of_field(path)) << path << ": give it a row in cli/share/fact_fields.cpp";
  }
}

TEST(FactFields, AnUnknownTextHasNone) { EXPECT_FALSE(class_of_field("links[].owner")); }

}  // namespace
}  // namespace spark::cli
