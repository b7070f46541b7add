#pragma once
// likely_mistake, glued_key: what somebody most likely did who wrote a text that YAML reads
// otherwise, or not at all.

#include <optional>
#include <string>
#include <string_view>

#include "config/yaml/place.hpp"

namespace spark::config {

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
