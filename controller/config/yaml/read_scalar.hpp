#pragma once
// Readers of single values. The place of a value decides its type. A value that another YAML reader
// would take for another type is refused, so that all readers see one file.

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/ip.hpp"
#include "config/yaml/diagnostic_list.hpp"
#include "config/yaml/document.hpp"

namespace spark::config {

/// The form of one sort of text. `cluster.schema.json` has the same form as a pattern.
struct TextForm {
  std::string_view what;  ///< "a node name"
  std::string_view form;  ///< what it consists of, for the author of the file
  bool (*matches)(std::string_view text);
  /// What to write instead of a text that does not match, where that is known; empty: `form` says
  /// it.
  std::string (*advice)(std::string_view text) = nullptr;
};

/// True when a reader of YAML 1.1 or 1.2 would take this text, written without quotes, for null, a
/// boolean, a number, a date or a merge key.
bool looks_typed(std::string_view plain);

/// "'mtu'" for a map's value, "this item" in a list.
std::string name_of(const Value& value);

/// "a map", "a list" or "one value".
std::string_view name_of(Value::Kind kind);

/// True, and reported, when an entry's key is the merge key.
bool is_merge_key(Findings& findings, const Value& entry);

/// False, and reported, when an entry's key is not a name of that form to every YAML reader.
bool key_has_form(Findings& findings, const Value& entry, const TextForm& form);

/// Any text that every YAML reader sees as text.
std::optional<At<std::string>> read_text(Findings& findings, const Value& value);
std::optional<At<std::string>> read_text(Findings& findings, const Value& value,
                                         const TextForm& form);
std::optional<At<bool>> boolean(Findings& findings, const Value& value);
/// `example` is shown for a value that is none.
std::optional<At<std::uint64_t>> read_integer(Findings& findings, const Value& value,
                                              std::uint64_t least, std::uint64_t most,
                                              std::uint64_t example);
/// A whole number, also below 0, or text of a form: as text.
std::optional<At<std::string>> read_integer_or_text(Findings& findings, const Value& value,
                                                    const TextForm& form);
/// The number of the word in `words`.
std::optional<At<std::size_t>> read_word(Findings& findings, const Value& value,
                                         std::span<const std::string_view> words);

std::optional<At<IpAddress>> address(Findings& findings, const Value& value);
std::optional<At<IpPrefix>> prefix(Findings& findings, const Value& value);
/// Bits a second.
std::optional<At<std::uint64_t>> bit_rate(Findings& findings, const Value& value);
std::optional<At<std::chrono::milliseconds>> duration(Findings& findings, const Value& value);

template <const TextForm& kForm>
std::optional<At<std::string>> text(Findings& findings, const Value& value) {
  return read_text(findings, value, kForm);
}

template <std::unsigned_integral T, T kLeast, T kMost, T kExample>
std::optional<At<T>> integer(Findings& findings, const Value& value) {
  const auto number = read_integer(findings, value, kLeast, kMost, kExample);
  if (!number) return std::nullopt;
  return At<T>{static_cast<T>(number->value), number->where};
}

/// Reader of an enumeration; `kWords` is an array of pairs: word, value.
template <const auto& kWords>
auto word(Findings& findings, const Value& value) {
  using T = typename std::remove_cvref_t<decltype(kWords)>::value_type::second_type;
  static constexpr auto kKnown = [] {
    std::array<std::string_view, kWords.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kWords[i].first;
    return names;
  }();
  std::optional<At<T>> read;
  if (const auto number = read_word(findings, value, kKnown)) {
    read = At<T>{kWords[number->value].second, number->where};
  }
  return read;
}

}  // namespace spark::config
