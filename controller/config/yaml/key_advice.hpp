#pragma once
// advice_on_key: what somebody who tries a key that does not exist has to know about it.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/yaml/value.hpp"

namespace spark::config {

struct KeyAdvice {
  std::string text;        ///< why there is no such key, and what to write; empty: nothing is known
  std::string_view means;  ///< keys that nobody should call missing beside it, see has_key()
  bool is_name = false;    ///< the key is another word for `means`
};

/// Of an entry of `map`: for keys of netplan, of guides, of tools and of the other file.
/// `keys_here` are those that the map may have, by which some are told apart.
KeyAdvice advice_on_key(const Value& entry, const Value& map,
                        std::span<const std::string_view> keys_here);

/// What to write in place of an IPv4 address that is meant for a node: its number. Empty: the text
/// is no such address.
std::optional<std::string> advice_on_address_of_node(std::string_view text);

/// Whether `words`, with a blank between two, have the word.
bool has_key(std::string_view words, std::string_view word);

/// How many items a list has, and what to write; empty: nothing is known of that key.
std::string_view advice_on_count(std::string_view key);

}  // namespace spark::config
