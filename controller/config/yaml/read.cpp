#include "config/yaml/read.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/yaml/advice.hpp"

namespace spark::config {
namespace {

bool is_secret_name(std::string_view key) {
  constexpr std::array<std::string_view, 12> kNames{
      "secret",      "dhchap_secret", "dhchap-secret", "dhchap_ctrl_secret",
      "ctrl_secret", "password",      "passwd",        "passphrase",
      "psk",         "tls_key",       "private_key",   "token"};
  return std::ranges::find(kNames, key) != kNames.end();
}

/// "{mtu:9000}" is a key without a value.
std::optional<GluedKey> glued_in_flow(const Value& entry) {
  const bool may_be = entry.key_plain && entry.kind == Value::Kind::kNull;
  return may_be ? glued_key(entry.key) : std::nullopt;
}

bool is_of_kind(Findings& findings, const Value& value, Value::Kind kind, std::string_view what,
                std::string_view nothing, std::string (*advice_on)(const Value& value)) {
  if (value.kind == kind) return true;
  if (value.kind == Value::Kind::kNull) {
    findings.add(SpecId::kEmptyValue, value.where, fmt::format("{} has no value", name_of(value)),
                 fmt::format("write {} where nothing is meant, or delete the key", nothing));
  } else if (value.kind != Value::Kind::kRefused) {
    findings.add(SpecId::kWrongType, value.where,
                 fmt::format("{} must be {}, not {}", name_of(value), what, name_of(value.kind)),
                 advice_on(value));
  }
  return false;
}

}  // namespace

void KeyTable::know(std::string_view name, std::string_view example) {
  assert(size_ < kMost);
  known_.at(size_++) = {name, example, nullptr};
}

std::optional<std::size_t> KeyTable::admit(const Value& entry) {
  const std::span known(known_.data(), size_);
  const auto found = std::ranges::find(known, entry.key, &Known::name);
  if (found != known.end()) {
    if (found->entry != nullptr) {
      report_duplicate(findings_, entry, *found->entry, "keep one");
      return std::nullopt;
    }
    found->entry = &entry;
    return static_cast<std::size_t>(found - known.begin());
  }
  if (!is_merge_key(findings_, entry)) refuse(entry);
  return std::nullopt;
}

void KeyTable::refuse(const Value& entry) {
  const auto is_meant = [this](std::string_view names) {
    for (Known& key : std::span(known_.data(), size_)) {
      key.is_meant = key.is_meant || has_key(names, key.name);
    }
  };
  if (is_secret_name(entry.key)) {
    findings_.add(SpecId::kInlineSecret, entry.key_where,
                  fmt::format("a secret does not belong in this file: {}", in_quotes(entry.key)),
                  "the file lives in git: put the secret into a file that root alone can read on "
                  "the node,\nand write its path: secret_file: /etc/nvme/NAME.secret");
    return;
  }
  if (const auto glued = glued_in_flow(entry)) {
    is_meant(glued->key);
    findings_.add(SpecId::kUnknownKey, entry.key_where,
                  fmt::format("a blank is missing after '{}:'", printable(glued->key)),
                  advice_on(*glued));
    return;
  }
  std::vector<std::string_view> names;
  for (const Known& key : std::span(known_.data(), size_)) names.push_back(key.name);
  const auto advice = advice_on_key(entry, map_, names);
  const auto meant = advice.is_name        ? std::optional(advice.means)
                     : advice.text.empty() ? closest(entry.key, names)
                                           : std::nullopt;
  is_meant(meant.value_or(advice.means));
  findings_.add(
      SpecId::kUnknownKey, entry.key_where,
      meant ? fmt::format("unknown key {}, did you mean '{}'?", in_quotes(entry.key), *meant)
            : fmt::format("unknown key {}", in_quotes(entry.key)),
      advice.text.empty() ? fmt::format("keys here: {}", fmt::join(names, ", ")) : advice.text);
}

void KeyTable::report_missing() const {
  for (const Known& key : std::span(known_.data(), size_)) {
    if (key.example.empty() || is_given(key.name)) continue;
    findings_.add_about(map_, SpecId::kMissingKey,
                        map_.key.empty()
                            ? fmt::format("missing key '{}'", key.name)
                            : fmt::format("missing key '{}' in {}", key.name, in_quotes(map_.key)),
                        fmt::format("add it, as in {}", key.example));
  }
}

bool KeyTable::is_given(std::string_view name) const {
  const std::span known(known_.data(), size_);
  const auto found = std::ranges::find(known, name, &Known::name);
  return found != known.end() && (found->entry != nullptr || found->is_meant);
}

bool is_map(Findings& findings, const Value& value) {
  return is_of_kind(findings, value, Value::Kind::kMap, "a map of keys and values", "{}",
                    advice_on_map);
}

bool is_list(Findings& findings, const Value& value) {
  return is_of_kind(findings, value, Value::Kind::kList, "a list", "[]", advice_on_list);
}

bool is_map_of_file(Findings& findings, const Value& root, std::string_view example) {
  if (root.kind == Value::Kind::kText || root.kind == Value::Kind::kList) {
    findings.add(
        SpecId::kWrongType, root.where,
        fmt::format("the file must be a map of keys and values, not {}", name_of(root.kind)),
        std::string(example));
  }
  return root.kind == Value::Kind::kMap;
}

bool has_count(Findings& findings, const Value& list, std::size_t least, std::size_t most) {
  const std::size_t count = list.children.size();
  if (count >= least && count <= most) return true;
  const std::string wanted = least == most   ? fmt::format("exactly {}", least)
                             : count < least ? fmt::format("at least {}", least)
                                             : fmt::format("at most {}", most);
  findings.add_about(list, SpecId::kItemCount,
                     fmt::format("{} has {} item{}, and needs {}", name_of(list), count,
                                 count == 1 ? "" : "s", wanted),
                     std::string(advice_on_count(list.key)));
  return false;
}

void report_duplicate(Findings& findings, const Value& entry, const Value& first,
                      std::string_view advice) {
  findings.add(SpecId::kDuplicateKey, entry.key_where,
               fmt::format("duplicate key {}", in_quotes(entry.key)),
               fmt::format("readers of YAML differ in which of the two they take: {}", advice),
               {{first.key_where, "first here"}});
}

}  // namespace spark::config
