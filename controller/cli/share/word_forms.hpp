#pragma once
// What a word is, by its form or as one of formats and programs.

#include <optional>
#include <string>
#include <string_view>

namespace spark::cli {

bool is_decimal(std::string_view text);
/// Long enough to be one machine's: ten digits are still a size or a time.
bool is_serial(std::string_view text);
/// "200G", "30s", "64KiB".
bool is_quantity(std::string_view word);
/// A name that the kernel or udev gives by slot or number (systemd.net-naming-scheme(7)), or a
/// public word; not what is made of a MAC address.
bool is_name_of_slot(std::string_view name);
/// "enxa088c2010203": the MAC address that such a name is made of, with colons.
std::optional<std::string> mac_in_name(std::string_view name);
/// Of a library's environment: "NCCL_DEBUG".
bool is_variable(std::string_view word);

/// Words of formats and programs, which say nothing of whose machine it is. A word that is none of
/// these is replaced in a report, so a missing one costs a reader something, and gives nothing
/// away.
bool is_public_word(std::string_view word);

}  // namespace spark::cli
