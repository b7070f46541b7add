#include <concepts>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "host/view.hpp"
#include "host/view_fields.hpp"

namespace spark {
namespace {

using nlohmann::json;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto point = decode_utf8(text);
    if (!point) return false;
    text.remove_prefix(point->size);
  }
  return true;
}

/// Values become JSON. The overloads call each other, hence a struct.
struct Writer {
  static json write(bool value) { return value; }
  static json write(std::integral auto value) { return value; }
  static json write(IpFamily family) { return static_cast<int>(family); }
  static json write(ErrorCode code) { return kErrorCodes.at(static_cast<std::size_t>(code)); }
  static json write(const IpAddress& ip) { return ip.text(); }
  static json write(const IpPrefix& prefix) { return prefix.text(); }

  /// Files may hold any bytes, JSON text may not.
  static json write(const std::string& text) {
    if (is_utf8(text)) {
      return text;
    }
    std::string hex;
    for (const char c : text) {
      hex += fmt::format("{:02x}", static_cast<std::uint8_t>(c));
    }
    return {{"hex", hex}};
  }

  template <class T>
  static json write(const std::optional<T>& value) {
    return value ? write(*value) : json();
  }

  template <class T>
  static json write(const std::vector<T>& values) {
    auto list = json::array();
    for (const auto& value : values) {
      list.push_back(write(value));
    }
    return list;
  }

  template <class T>
    requires requires(const T& value) { each_field(value, [](auto&&...) {}); }
  static json write(const T& value) {
    auto object = json::object();
    each_field(value, [&](const char* name, const auto& member) { object[name] = write(member); });
    return object;
  }

  template <class T>
  static json write(const Result<T>& result) {
    return result ? write(*result) : json{{"error", write(result.error())}};
  }

  template <class T>
  static json write(const std::map<std::string, T>& table) {
    auto object = json::object();
    for (const auto& [key, value] : table) {
      object[key] = write(value);
    }
    return object;
  }

  template <class T>
  static json write(const std::map<IpAddress, T>& table) {
    auto object = json::object();
    for (const auto& [key, value] : table) {
      object[key.text()] = write(value);
    }
    return object;
  }
};

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
    if (was_read(table)) {
      object[name] = Writer::write(table);
    }
  });
  // Names of files may hold any bytes too; as keys they lose those that are no UTF-8.
  return object.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace spark
