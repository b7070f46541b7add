#pragma once
// The text of a world.yaml, read strictly: whatever is wrong ends it, with its line.

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "config/yaml/value.hpp"

namespace spark::test {

/// The top-level map. A text of comments alone is an empty one.
config::Value read_world_text(std::string_view text);

/// Throws std::invalid_argument: "line 3: unknown key 'mtuu'".
[[noreturn]] void refuse(int line, const std::string& what);
[[noreturn]] void refuse(const config::Value& value, const std::string& what);
/// Refuses a value that asks for what the world does not do.
void must(const config::Value& value, const Result<>& done);

const std::string& text(const config::Value& value);
bool is_word(const config::Value& value, std::string_view word);
bool boolean(const config::Value& value);
IpAddress ip(const config::Value& value);
IpPrefix prefix(const config::Value& value);
/// "16GiB", "0" or "unlimited".
std::uint64_t bytes(const config::Value& value);
std::uint64_t whole_number(const config::Value& value);
template <std::unsigned_integral T>
T number(const config::Value& value) {
  return static_cast<T>(whole_number(value));
}

using Read = std::function<void(const config::Value&)>;

/// Of a map whose keys are names that the text chooses.
void each_entry(const config::Value& map, const Read& read);
void each_item(const config::Value& list, const Read& read);

struct Key {
  std::string_view name;
  Read read;
};

/// Reads in the order of `keys`, since a world is built in one order, whatever that of the text is.
/// Refuses a key that is not among them.
void read_map(const config::Value& map, std::initializer_list<Key> keys);

/// Reads a value into a variable.
template <class T>
Read into(T& variable, T (*read)(const config::Value&)) {
  return [&variable, read](const config::Value& value) { variable = read(value); };
}
inline Read into(std::string& variable) {
  return [&variable](const config::Value& value) { variable = text(value); };
}

}  // namespace spark::test
