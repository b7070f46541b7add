// looks_typed: the types that YAML readers see in texts without quotes. YAML 1.1: yaml.org/type
// (float as PyYAML and libyaml's users read it: an IPv4 address is text to them). YAML 1.2: the
// core schema, section 10.3.2.

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/yaml/read_scalar.hpp"

namespace spark::config {
namespace {

bool is_digit_or_underscore(char c) { return is_ascii_digit(c) || c == '_'; }

bool is_word_of_yaml(std::string_view text) {
  constexpr std::array<std::string_view, 32> kWords{
      "",    "~",   "null", "Null", "NULL",  "y",     "Y",    "yes", "Yes",  "YES", "n",
      "N",   "no",  "No",   "NO",   "true",  "True",  "TRUE", "on",  "On",   "ON",  "false",
      "off", "Off", "OFF",  "<<",   "False", "FALSE", ".nan", "=",   ".NaN", ".NAN"};
  return std::ranges::find(kWords, text) != kWords.end();
}

bool is_infinity(std::string_view text) {
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

/// Takes characters of a sort off the head; true when there was one at least.
template <class IsOfSort>
bool take(std::string_view& text, IsOfSort is_of_sort) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_of_sort);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count > 0;
}

bool take_char(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// 0x1F, 0b10, 0o17: after the sign.
bool is_based_number(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return false;
  const std::string_view digits = text[1] == 'x'   ? "0123456789abcdefABCDEF_"
                                  : text[1] == 'o' ? "01234567_"
                                  : text[1] == 'b' ? "01_"
                                                   : "";
  return text.find_first_not_of(digits, 2) == std::string_view::npos;
}

/// 42, 0755, 1_000, 1.5, .5, 5., 1e5, 12:30:45, 12:30:45.6: after the sign.
bool is_decimal_number(std::string_view text) {
  const bool whole = !text.starts_with('_') && take(text, is_digit_or_underscore);
  bool sexagesimal = false;
  while (whole && take_char(text, ":")) {
    if (!take(text, is_ascii_digit)) return false;
    sexagesimal = true;
  }
  bool fraction = false;
  if (take_char(text, ".")) fraction = take(text, is_digit_or_underscore);
  if (!whole && !fraction) return false;
  if (!sexagesimal && take_char(text, "eE")) {
    take_char(text, "+-");
    if (!take(text, is_ascii_digit)) return false;
  }
  return text.empty();
}

/// 2001-12-14, also with a time after it.
bool is_date(std::string_view text) {
  const auto take_digits = [&](std::size_t least, std::size_t most) {
    const std::size_t before = text.size();
    take(text, is_ascii_digit);
    const std::size_t taken = before - text.size();
    return taken >= least && taken <= most;
  };
  return take_digits(4, 4) && take_char(text, "-") && take_digits(1, 2) && take_char(text, "-") &&
         take_digits(1, 2) && (text.empty() || take_char(text, "Tt \t"));
}

}  // namespace

bool looks_typed(std::string_view plain) {
  if (is_word_of_yaml(plain) || is_date(plain)) return true;
  take_char(plain, "+-");
  return is_infinity(plain) || is_based_number(plain) || is_decimal_number(plain);
}

}  // namespace spark::config
