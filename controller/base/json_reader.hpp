#pragma once
// JsonReader: JSON becomes values, those with `each_field` from objects. The reverse of JsonWriter.

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "base/json_integer.hpp"
#include "base/result.hpp"

namespace spark {

/// JSON becomes values. Keeps the first thing that is wrong, and where; what was read after it
/// means nothing.
class JsonReader {
 public:
  using json = nlohmann::json;

  enum class Absent : bool { kIsWrong, kIsFine };
  /// Keys that no member has. A later version may have written them.
  enum class OtherKeys : bool { kRefused, kPassedOver };

  JsonReader() = default;
  explicit JsonReader(OtherKeys other_keys, Absent absent = Absent::kIsWrong)
      : other_keys_(other_keys), absent_(absent) {}

  [[nodiscard]] const std::string& problem() const { return problem_; }

  void read(const json& from, bool& to) {
    if (expect(from.is_boolean(), "true or false")) to = from.get<bool>();
  }

  template <std::integral T>
  void read(const json& from, T& to) {
    using Limits = std::numeric_limits<T>;
    const bool fits = is_integer_of<T>(from);
    if (expect(fits, fmt::format("a number from {} to {}", Limits::min(), Limits::max()))) {
      to = from.get<T>();
    }
  }

  void read(const json& from, IpFamily& to) {
    if (expect(from == 4 || from == 6, "4 or 6")) to = from == 4 ? IpFamily::kV4 : IpFamily::kV6;
  }

  template <std::floating_point T>
  void read(const json& from, T& to) {
    if (expect(from.is_number(), "a number")) to = from.get<T>();
  }

  void read(const json& from, std::chrono::milliseconds& to) {
    std::int64_t count = 0;
    read(from, count);
    to = clamped(std::chrono::milliseconds(count));
  }

  void read(const json& from, std::chrono::nanoseconds& to) {
    std::int64_t count = 0;
    read(from, count);
    to = std::chrono::nanoseconds(count);
  }

  void read(const json& from, std::chrono::sys_time<std::chrono::milliseconds>& to) {
    std::chrono::milliseconds since_1970{};
    read(from, since_1970);
    to = std::chrono::sys_time<std::chrono::milliseconds>(since_1970);
  }

  template <NamedEnum T>
  void read(const json& from, T& to) {
    const auto named = enum_named<T>(text_in(from));
    if (expect(named.has_value(), fmt::format("one of {}", fmt::join(names_of(to), ", ")))) {
      to = *named;
    }
  }

  /// Reads an enumerator from its number; `is_value`, declared beside its type, knows the valid
  /// ones.
  template <class T>
    requires(std::is_enum_v<T> && !NamedEnum<T>)
  void read(const json& from, T& to) {
    int number = -1;
    read(from, number);
    if (expect(is_value(static_cast<T>(number)), "a known number")) to = static_cast<T>(number);
  }

  template <TextValue T>
  void read(const json& from, T& to) {
    const auto value = T::parse(text_in(from));
    if (expect(value.has_value(), T::kForm)) to = *value;
  }

  void read(const json& from, std::string& to) {
    if (from.is_object() && from.size() == 1 && from.contains("hex")) {
      read_hex(text_in(from["hex"]), to);
    } else if (expect(from.is_string(), "a text")) {
      to = from.get<std::string>();
    }
  }

  template <class T>
  void read(const json& from, std::optional<T>& to) {
    to.reset();
    if (!from.is_null()) read(from, to.emplace());
  }

  template <class T>
  void read(const json& from, std::vector<T>& to) {
    if (!expect(from.is_array(), "a list")) return;
    to.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      within(std::to_string(i), [&] { read(from[i], to.emplace_back()); });
    }
  }

  template <class T>
  void read(const json& from, std::set<T>& to) {
    std::vector<T> values;
    read(from, values);
    to = {std::move_iterator(values.begin()), std::move_iterator(values.end())};
  }

  template <class T>
  void read(const json& from, std::deque<T>& to) {
    std::vector<T> values;
    read(from, values);
    to.assign(std::move_iterator(values.begin()), std::move_iterator(values.end()));
  }

  template <class First, class Second>
  void read(const json& from, std::pair<First, Second>& to) {
    if (expect(from.is_array() && from.size() == 2, "a list of two")) {
      read(from[0], to.first);
      read(from[1], to.second);
    }
  }

  template <class T>
  void read(const json& from, MayLack<T> to) {
    read(from, to.member);
  }

  template <class T>
  void read(const json& from, UnlessEmpty<T> to) {
    read(from, to.member);
  }

  template <NamedEnum T>
  void read(const json& from, IfKnown<std::optional<T>> to) {
    to.member = enum_named<T>(text_in(from));
  }

  template <class T>
    requires requires(T& value) { each_field(value, [](auto&&...) {}); }
  void read(const json& from, T& to) {
    read_members(from, absent_, [&](auto visit) { each_field(to, visit); });
  }

  template <class T>
  void read(const json& from, Result<T>& to) {
    if (from.is_object() && from.size() == 1 && from.contains("error")) {
      Error error;
      within("error", [&] { read(from["error"], error); });
      to = std::unexpected(std::move(error));
    } else {
      read(from, to.emplace());
    }
  }

  template <class T>
  void read(const json& from, std::map<std::string, T>& to) {
    read_table(from, [&](const std::string& key, const json& value) { read(value, to[key]); });
  }

  template <class T>
  void read(const json& from, std::map<IpAddress, T>& to) {
    read_table(from, [&](const std::string& key, const json& value) {
      const auto ip = IpAddress::parse(key);
      if (expect(ip.has_value(), "an IP address as key")) read(value, to[*ip]);
    });
  }

  /// Reads the members that `each_member` hands to its visitor.
  void read_members(const json& from, Absent absent, auto each_member) {
    if (!expect(from.is_object(), "an object")) return;
    std::size_t known = 0;
    each_member([&](const char* name, auto&& member) {
      within(name, [&] {
        const bool there = from.contains(name);
        if (there) {
          ++known;
          read(from[name], member);
        }
        const bool may_lack =
            absent == Absent::kIsFine || kMayLack<std::remove_cvref_t<decltype(member)>>;
        static_cast<void>(expect(there || may_lack, "this key"));
      });
    });
    static_cast<void>(
        expect(known == from.size() || other_keys_ == OtherKeys::kPassedOver, "no other keys"));
  }

 private:
  /// What was added since an earlier version is optional or a list, or says so in `each_field`.
  template <class T>
  static constexpr bool kMayLack = requires(T& member) {
    member.has_value();
  } || requires(T& member) { member.emplace_back(); } || requires { T::kMayLack; };

  bool expect(bool holds, std::string_view what) {
    if (!holds && problem_.empty()) {
      problem_ = fmt::format("at '{}': expected {}", path_.empty() ? "/" : path_, what);
    }
    return holds;
  }

  /// Runs `read_part` with `part` at the end of the path that errors name (RFC 6901).
  void within(std::string_view part, auto read_part) {
    const auto length = path_.size();
    path_.append("/").append(part);
    read_part();
    path_.resize(length);
  }

  void read_table(const json& from, auto read_entry) {
    if (expect(from.is_object(), "an object")) {
      for (auto entry = from.begin(); entry != from.end(); ++entry) {
        within(entry.key(), [&] { read_entry(entry.key(), *entry); });
      }
    }
  }

  static std::string text_in(const json& from) {
    return from.is_string() ? from.get<std::string>() : "";
  }

  void read_hex(const std::string& hex, std::string& to) {
    bool valid = hex.size() % 2 == 0;
    for (std::size_t i = 0; valid && i < hex.size(); i += 2) {
      std::uint8_t byte = 0;
      const auto* const end = hex.data() + i + 2;
      const auto [stop, error] = std::from_chars(hex.data() + i, end, byte, 16);
      valid = error == std::errc{} && stop == end;
      to += static_cast<char>(byte);
    }
    static_cast<void>(expect(valid, "pairs of hexadecimal digits"));
  }

  OtherKeys other_keys_ = OtherKeys::kRefused;
  Absent absent_ = Absent::kIsWrong;  ///< a member that may not lack
  std::string path_;
  std::string problem_;
};

}  // namespace spark
