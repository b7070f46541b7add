#pragma once
// JsonWriter: values become JSON, those with `each_field` as objects.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "host/json/view_fields.hpp"

namespace spark::host {

/// The overloads call each other, hence a struct.
struct JsonWriter {
  using json = nlohmann::json;

  static json write(bool value) { return value; }
  static json write(std::integral auto value) { return value; }
  static json write(IpFamily family) { return static_cast<int>(family); }
  static json write(ErrorCode code) { return kErrorCodes.at(static_cast<std::size_t>(code)); }
  /// As its number.
  template <class T>
    requires std::is_enum_v<T>
  static json write(T value) {
    return static_cast<int>(value);
  }
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

  template <class First, class Second>
  static json write(const std::pair<First, Second>& pair) {
    return json::array({write(pair.first), write(pair.second)});
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

 private:
  static bool is_utf8(std::string_view text) {
    while (!text.empty()) {
      const auto point = decode_utf8(text);
      if (!point) return false;
      text.remove_prefix(point->size);
    }
    return true;
  }
};

}  // namespace spark::host
