#include "config/yaml/read_scalar.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::config {
namespace {

/// True for one scalar, else reported.
bool is_scalar(Findings& findings, const Value& value, std::string_view wanted) {
  if (value.kind == Value::Kind::kText) return true;
  if (value.kind == Value::Kind::kNull) {
    findings.add(SpecId::kEmptyValue, value.where, fmt::format("{} has no value", name_of(value)),
                 fmt::format("write {}, or delete the key", wanted));
  } else if (value.kind != Value::Kind::kRefused) {
    findings.add(SpecId::kWrongType, value.where,
                 fmt::format("{} must be {}, not {}", name_of(value), wanted, name_of(value.kind)),
                 "write one value, without brackets");
  }
  return false;
}

/// False, and reported, for a text that another reader takes for something else.
bool is_text_to_all(Findings& findings, std::string_view text, bool plain, Where where) {
  if (!plain || !looks_typed(text)) return true;
  findings.add(SpecId::kNeedsQuotes, where, fmt::format("{} needs quotes here", in_quotes(text)),
               fmt::format("other YAML readers take it for something else than text: write \"{}\"",
                           printable(text)));
  return false;
}

bool is_text_to_all(Findings& findings, const Value& value) {
  return is_text_to_all(findings, value.text, value.plain, value.where);
}

/// The characters of IPv4 and IPv6 addresses.
bool is_address_like(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789abcdefABCDEF.:") == std::string_view::npos;
}

bool is_prefix_like(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || !is_address_like(text.substr(0, slash))) return false;
  const auto length = text.substr(slash + 1);
  return length.size() <= 3 && parse_decimal(length).has_value();
}

std::string why_no_prefix(std::string_view text) {
  if (const auto ip = IpAddress::parse(text)) {
    return fmt::format("its network is unknown without a length: write {}/{}", ip->text(),
                       ip->is_v4() ? 24 : 64);
  }
  if (text.contains('%')) {
    return "what follows '%' names a link, and such an address is link-local: write a subnet of "
           "its "
           "own, as in 192.168.177.0/24";
  }
  const auto slash = text.find('/');
  if (slash != std::string_view::npos && IpAddress::parse(text.substr(slash + 1))) {
    return "write the length of the mask in bits: 255.255.255.0 is /24";
  }
  return "write address/length, as in 192.168.177.11/24 or 2001:db8::11/64";
}

/// "mtu: " before an example of what the key takes; in a list nothing.
std::string key_before(const Value& value) {
  return value.key.empty() ? "" : printable(value.key) + ": ";
}

std::string why_not(const TextForm& form, std::string_view text) {
  auto advice = form.advice != nullptr ? form.advice(text) : std::string{};
  return advice.empty() ? std::string(form.form) : advice;
}

/// A quantity: text with a unit, by one of the parsers of base/units.hpp.
template <class T>
std::optional<At<T>> quantity(Findings& findings, const Value& value, std::string_view wanted,
                              std::optional<T> (*parse)(std::string_view), std::string_view example,
                              const std::string& meant = "") {
  if (!is_scalar(findings, value, wanted)) return std::nullopt;
  if (const auto parsed = parse(value.text)) return At<T>{*parsed, value.where};
  if (is_all_digits(value.text)) {
    findings.add(SpecId::kQuantityForm, value.where,
                 fmt::format("{} has no unit", in_quotes(value.text)),
                 fmt::format("write {}, as in {}", wanted, example));
  } else {
    findings.add(SpecId::kQuantityForm, value.where,
                 fmt::format("{} is not {}", in_quotes(value.text), wanted),
                 meant.empty() ? fmt::format("write a number and its unit, as in {}", example)
                               : fmt::format("write {}", meant));
  }
  return std::nullopt;
}

}  // namespace

std::string name_of(const Value& value) {
  return value.key.empty() ? "this item" : in_quotes(value.key);
}

std::string_view name_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kMap:
      return "a map";
    case Value::Kind::kList:
      return "a list";
    default:
      return "one value";
  }
}

bool is_merge_key(Findings& findings, const Value& entry) {
  if (!entry.key_plain || entry.key != "<<") return false;
  findings.add(SpecId::kMergeKey, entry.key_where, "a merge key is not allowed",
               "write the keys out; what holds for every node belongs under 'host'");
  return true;
}

bool key_has_form(Findings& findings, const Value& entry, const TextForm& form) {
  if (is_merge_key(findings, entry)) return false;
  if (!is_text_to_all(findings, entry.key, entry.key_plain, entry.key_where)) return false;
  if (form.matches(entry.key)) return true;
  findings.add(SpecId::kKeyForm, entry.key_where,
               fmt::format("{} is not {}", in_quotes(entry.key), form.what),
               why_not(form, entry.key));
  return false;
}

std::optional<At<std::string>> read_text(Findings& findings, const Value& value) {
  if (!is_scalar(findings, value, "text") || !is_text_to_all(findings, value)) return std::nullopt;
  return At<std::string>{value.text, value.where};
}

std::optional<At<std::string>> read_text(Findings& findings, const Value& value,
                                         const TextForm& form) {
  if (!is_scalar(findings, value, form.what) || !is_text_to_all(findings, value)) {
    return std::nullopt;
  }
  if (!form.matches(value.text)) {
    findings.add(SpecId::kTextForm, value.where,
                 fmt::format("{} is not {}", in_quotes(without_passwords(value.text)), form.what),
                 why_not(form, value.text));
    return std::nullopt;
  }
  return At<std::string>{value.text, value.where};
}

std::optional<At<bool>> boolean(Findings& findings, const Value& value) {
  if (!is_scalar(findings, value, "true or false")) return std::nullopt;
  if (value.plain && value.text == "true") return At<bool>{true, value.where};
  if (value.plain && value.text == "false") return At<bool>{false, value.where};

  constexpr std::array<std::string_view, 12> kYes{"true", "True", "TRUE", "yes", "Yes", "YES",
                                                  "on",   "On",   "ON",   "y",   "Y",   "1"};
  constexpr std::array<std::string_view, 12> kNo{"false", "False", "FALSE", "no", "No", "NO",
                                                 "off",   "Off",   "OFF",   "n",  "N",  "0"};
  const bool yes = std::ranges::find(kYes, value.text) != kYes.end();
  const bool no = std::ranges::find(kNo, value.text) != kNo.end();
  const auto* const word = yes ? "true" : no ? "false" : "true or false";
  findings.add(SpecId::kNotBoolean, value.where,
               fmt::format("{} is not true or false", in_quotes(value.text)),
               value.plain ? fmt::format("write {}{}", key_before(value), word)
                           : fmt::format("write {} without quotes", word));
  return std::nullopt;
}

std::optional<At<std::uint64_t>> read_integer(Findings& findings, const Value& value,
                                              std::uint64_t least, std::uint64_t most,
                                              std::uint64_t example) {
  if (!is_scalar(findings, value, "a whole number")) return std::nullopt;
  const auto number = parse_decimal(value.text);
  const bool digits = is_all_digits(value.text) && (value.text.size() == 1 || value.text[0] != '0');
  if (!digits || !value.plain) {
    findings.add(SpecId::kNotInteger, value.where,
                 fmt::format("{} is not a whole number", in_quotes(value.text)),
                 digits
                     ? fmt::format("write {} without quotes", printable(value.text))
                     : fmt::format("write decimal digits only, without leading zeros, as in {}{}",
                                   key_before(value), example));
    return std::nullopt;
  }
  if (!number || *number < least || *number > most) {
    findings.add(SpecId::kOutOfRange, value.where,
                 fmt::format("{} is out of range", printable(value.text, 30)),
                 most == UINT64_MAX ? fmt::format("write {}{}", key_before(value), example)
                                    : fmt::format("{} is {} to {}", name_of(value), least, most));
    return std::nullopt;
  }
  return At<std::uint64_t>{*number, value.where};
}

std::optional<At<std::string>> read_integer_or_text(Findings& findings, const Value& value,
                                                    const TextForm& form) {
  if (value.kind == Value::Kind::kText && value.plain) {
    std::string_view digits = value.text;
    if (digits.starts_with('-')) digits.remove_prefix(1);
    if (parse_decimal(digits) && number_in<std::int64_t>(value.text)) {
      return At<std::string>{value.text, value.where};
    }
  }
  return read_text(findings, value, form);
}

std::optional<At<std::size_t>> read_word(Findings& findings, const Value& value,
                                         std::span<const std::string_view> words) {
  const std::string wanted = words.size() == 1 ? fmt::format("'{}'", words[0])
                                               : fmt::format("one of {}", fmt::join(words, ", "));
  if (!is_scalar(findings, value, wanted)) return std::nullopt;
  const auto found = std::ranges::find(words, value.text);
  if (found != words.end()) {
    return At<std::size_t>{static_cast<std::size_t>(found - words.begin()), value.where};
  }
  const auto meant = closest(value.text, words);
  findings.add(
      SpecId::kNotOneOf, value.where,
      meant ? fmt::format("unknown word {}, did you mean '{}'?", in_quotes(value.text), *meant)
            : fmt::format("unknown word {}", in_quotes(value.text)),
      fmt::format("{} is {}", name_of(value), wanted));
  return std::nullopt;
}

std::optional<At<IpAddress>> address(Findings& findings, const Value& value) {
  const auto text = read_text(findings, value);
  if (!text) return std::nullopt;
  if (const auto ip = IpAddress::parse(text->value)) return At<IpAddress>{*ip, value.where};
  if (is_address_like(text->value)) {
    findings.add(SpecId::kNoSuchAddress, value.where,
                 fmt::format("there is no address {}", in_quotes(text->value)),
                 "IPv4 has four numbers up to 255, IPv6 up to eight groups");
  } else {
    findings.add(SpecId::kTextForm, value.where,
                 fmt::format("{} is not an address", in_quotes(text->value)),
                 "write a number as in 192.0.2.10, without a prefix length; a name could lead "
                 "elsewhere tomorrow");
  }
  return std::nullopt;
}

std::optional<At<IpPrefix>> prefix(Findings& findings, const Value& value) {
  const auto text = read_text(findings, value);
  if (!text) return std::nullopt;
  if (const auto parsed = IpPrefix::parse(text->value)) return At<IpPrefix>{*parsed, value.where};
  if (is_prefix_like(text->value)) {
    findings.add(SpecId::kNoSuchAddress, value.where,
                 fmt::format("there is no address {}", in_quotes(text->value)),
                 "IPv4 has four numbers up to 255 and a length up to 32, IPv6 up to eight groups "
                 "and a length up to 128");
  } else {
    findings.add(SpecId::kPrefixForm, value.where,
                 fmt::format("{} is not an address with its prefix length", in_quotes(text->value)),
                 why_no_prefix(text->value));
  }
  return std::nullopt;
}

std::optional<At<std::uint64_t>> bit_rate(Findings& findings, const Value& value) {
  return quantity(findings, value, "a rate in bits a second", parse_bit_rate, "200G or 64Gb/s");
}

std::optional<At<std::chrono::milliseconds>> duration(Findings& findings, const Value& value) {
  return quantity(findings, value, "a duration", parse_duration, "20s or 500ms",
                  meant_duration(value.text));
}

}  // namespace spark::config
