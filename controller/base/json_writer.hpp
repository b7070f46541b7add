#pragma once
// JsonWriter: values become JSON, those with `each_field` as objects.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "base/result.hpp"
#include "base/sentence.hpp"
#include "base/text.hpp"

namespace spark {

/// What becomes of a text that is not UTF-8: an object that JsonReader makes the same text of, or
/// still a text, in which `json_text` replaces what is no character.
enum class NotUtf8 : bool { kHex, kReplaced };

/// The overloads call each other, hence a struct.
template <NotUtf8 kNotUtf8>
struct BasicJsonWriter {
  using json = nlohmann::json;

  static json write(bool value) { return value; }
  static json write(std::integral auto value) { return value; }
  static json write(std::floating_point auto value) { return value; }
  static json write(std::chrono::milliseconds duration) { return duration.count(); }
  static json write(std::chrono::nanoseconds duration) { return duration.count(); }
  /// Milliseconds since 1970.
  static json write(std::chrono::sys_time<std::chrono::milliseconds> wall) {
    return wall.time_since_epoch().count();
  }
  static json write(IpFamily family) { return static_cast<int>(family); }
  static json write(NamedEnum auto value) {
    return names_of(value).at(static_cast<std::size_t>(value));
  }
  /// As its number.
  template <class T>
    requires(std::is_enum_v<T> && !NamedEnum<T>)
  static json write(T value) {
    return static_cast<int>(value);
  }
  static json write(const TextValue auto& value) { return write(value.text()); }
  static json write(const Sentence& sentence) { return write(written(sentence)); }

  /// Files may hold any bytes, JSON text may not.
  static json write(const std::string& text) {
    if (kNotUtf8 == NotUtf8::kReplaced || is_utf8(text)) return text;
    std::string hex;
    for (const char c : text) hex += fmt::format("{:02x}", static_cast<std::uint8_t>(c));
    return {{"hex", hex}};
  }

  template <class T>
  static json write(const std::optional<T>& value) {
    return value ? write(*value) : json();
  }

  template <class T>
  static json write(const std::vector<T>& values) {
    auto list = json::array();
    for (const auto& value : values) list.push_back(write(value));
    return list;
  }

  template <class T>
  static json write(const std::set<T>& values) {
    return write(std::vector<T>(values.begin(), values.end()));
  }

  template <class T>
  static json write(const std::deque<T>& values) {
    return write(std::vector<T>(values.begin(), values.end()));
  }

  template <class First, class Second>
  static json write(const std::pair<First, Second>& pair) {
    return json::array({write(pair.first), write(pair.second)});
  }

  template <class T>
    requires requires(const T& value) { each_field(value, [](auto&&...) {}); }
  static json write(const T& value) {
    auto object = json::object();
    each_field(value, [&](const char* name, const auto& member) {
      if (is_written(member)) object[name] = write(member);
    });
    return object;
  }

  template <class T>
  static json write(MayLack<T> member) {
    return write(member.member);
  }

  template <class T>
  static json write(UnlessEmpty<T> member) {
    return write(member.member);
  }

  template <class T>
  static json write(IfKnown<T> member) {
    return write(member.member);
  }

  template <class T>
  static json write(const Result<T>& result) {
    return result ? write(*result) : json{{"error", write(result.error())}};
  }

  template <class T>
  static json write(const std::map<std::string, T>& table) {
    auto object = json::object();
    for (const auto& [key, value] : table) object[key] = write(value);
    return object;
  }

  template <class T>
  static json write(const std::map<IpAddress, T>& table) {
    auto object = json::object();
    for (const auto& [key, value] : table) object[key.text()] = write(value);
    return object;
  }

 private:
  template <class T>
  static bool is_written(const T& /*member*/) {
    return true;
  }
  template <class T>
  static bool is_written(const UnlessEmpty<T>& member) {
    return !member.is_empty();
  }
  template <class T>
  static bool is_written(const IfKnown<T>& member) {
    return member.member.has_value();
  }

  static bool is_utf8(std::string_view text) {
    while (!text.empty()) {
      const auto point = decode_utf8(text);
      if (!point) return false;
      text.remove_prefix(point->size);
    }
    return true;
  }
};

/// Without loss.
using JsonWriter = BasicJsonWriter<NotUtf8::kHex>;
/// For documents in which a text has to be a text: people, other programs and earlier builds read
/// them.
using TextJsonWriter = BasicJsonWriter<NotUtf8::kReplaced>;

}  // namespace spark
