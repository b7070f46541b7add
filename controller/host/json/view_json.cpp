#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/json_reader.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "host/json/view_fields.hpp"
#include "host/view.hpp"

namespace spark::host {
namespace {

using nlohmann::json;

constexpr std::size_t kMostViewBytes = std::size_t{8} * 1024 * 1024;

Result<json> parse_text(const std::string& text) {
  if (text.size() > kMostViewBytes) {
    return fail(ErrorCode::kInvalid,
                fmt::format("facts: longer than {} MiB", kMostViewBytes / 1024 / 1024));
  }
  auto facts = parse_json(text);
  if (!facts) return fail(ErrorCode::kInvalid, "facts: " + facts.error().what);
  return facts;
}

/// Takes away what stands beside the tables. Errors: kInvalid when it says that these are no facts,
/// or such as a later version writes.
Result<> open_envelope(json& facts) {
  if (!facts.is_object()) {
    return {};  // which the reader refuses with its place
  }
  const auto schema = facts.find("schema");
  if (schema != facts.end() && *schema != kFactsSchema) {
    const auto name = schema->is_string() ? schema->get<std::string>() : schema->dump();
    return fail(ErrorCode::kInvalid,
                name.starts_with("spark-reconcile/facts/")
                    ? fmt::format("facts of a newer version: they are '{}', and this version reads "
                                  "'{}'; use the newer program, or take the facts again",
                                  name, kFactsSchema)
                    : fmt::format("facts: this is {}, and not what `spark-reconcile facts` writes",
                                  spark::in_quotes(name)));
  }
  for (const auto name : kFactsEnvelope) facts.erase(std::string(name));
  return {};
}

}  // namespace

Result<View> View::from_json(const std::string& text) {
  auto parsed = parse_text(text);
  if (!parsed) return std::unexpected(parsed.error());
  if (auto opened = open_envelope(*parsed); !opened) return std::unexpected(opened.error());
  View view;
  JsonReader reader;
  reader.read_members(*parsed, JsonReader::Absent::kIsFine,
                      [&](auto visit) { each_table(view, visit); });
  if (!reader.problem().empty()) return fail(ErrorCode::kInvalid, "facts: " + reader.problem());
  return view;
}

namespace {

using nlohmann::json;

template <class T>
bool was_read(const std::optional<Result<T>>& table) {
  return table.has_value();
}

template <class Key, class T>
bool was_read(const std::map<Key, Result<T>>& table) {
  return !table.empty();
}

}  // namespace

std::string View::to_json() const {
  auto object = json::object();
  each_table(*this, [&](const char* name, const auto& table) {
    if (was_read(table)) object[name] = JsonWriter::write(table);
  });
  // Names of files may hold any bytes too; as keys they lose those that are no UTF-8.
  return json_text(object, 2);
}

}  // namespace spark::host
