#pragma once
// advice_on_key: what somebody who tries a key that does not exist has to know about it.

#include <span>
#include <string_view>

namespace spark::config {

/// Why there is no such key, and the way to what was meant: for keys of netplan, of guides, of
/// tools and of the other file. Empty: nothing is known of that key. `keys_here` are those of the
/// map that it stands in, by which some are told apart.
std::string_view advice_on_key(std::string_view key, std::span<const std::string_view> keys_here);

}  // namespace spark::config
