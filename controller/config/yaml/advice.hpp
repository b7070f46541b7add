#pragma once
// What somebody most likely meant who wrote something else, and what to write.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/yaml/place.hpp"
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

/// Of a value that must be a map: a list of names, of NAME=VALUE or of maps with a name.
std::string advice_on_map(const Value& value);

/// Of a value that must be a list: one item, items with commas between them, or a map of items.
std::string advice_on_list(const Value& value);

/// "mtu:9000": without a blank after the colon, YAML reads one text and no key.
struct GluedKey {
  std::string_view key;
  std::string_view value;
};

/// The parts of a text that looks like that. A cage of a node ("spark1:0") and a URL do not.
std::optional<GluedKey> glued_key(std::string_view text);

/// "write mtu: 9000, with a blank after the colon".
std::string advice_on(const GluedKey& glued);

/// A mistake that the parser notices at some later place.
struct LikelyMistake {
  Where where;
  std::string message;
  std::string reason;
};

/// What made the parser stop at a key on this line, counted from 1. Empty: nothing that is known.
std::optional<LikelyMistake> likely_mistake(std::string_view text, int line);

}  // namespace spark::config
