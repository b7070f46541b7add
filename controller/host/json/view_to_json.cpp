#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/json_writer.hpp"
#include "host/json/view_fields.hpp"
#include "host/view.hpp"

namespace spark::host {
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
