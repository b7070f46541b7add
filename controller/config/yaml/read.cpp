#include "config/yaml/read.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/yaml/key_advice.hpp"
#include "config/yaml/likely_mistake.hpp"

namespace spark::config {
namespace {

bool is_secret_name(std::string_view key) {
  constexpr std::array<std::string_view, 12> kNames{
      "secret",      "dhchap_secret", "dhchap-secret", "dhchap_ctrl_secret",
      "ctrl_secret", "password",      "passwd",        "passphrase",
      "psk",         "tls_key",       "private_key",   "token"};
  return std::ranges::find(kNames, key) != kNames.end();
}

/// A key that an earlier version took, or that people take for it.
struct Renamed {
  std::string_view key;
  std::string_view now;
  std::string_view why;
  std::string_view example;
};

/// Null: it was not renamed, or not to a key that is known here.
const Renamed* renamed_to(std::string_view key, std::span<const std::string_view> keys_here) {
  static constexpr std::string_view kOfNode = "a node's number in its subnets is called so";
  static constexpr std::array kRenamed{
      Renamed{"host", "number", kOfNode, "11"},       Renamed{"ip", "number", kOfNode, "11"},
      Renamed{"address", "number", kOfNode, "11"},    Renamed{"addresses", "number", kOfNode, "11"},
      Renamed{"ip_address", "number", kOfNode, "11"},
  };
  const auto found = std::ranges::find(kRenamed, key, &Renamed::key);
  const bool is_here =
      found != kRenamed.end() && std::ranges::find(keys_here, found->now) != keys_here.end();
  return is_here ? &*found : nullptr;
}

/// With the line to write instead.
std::string advice_on(const Renamed& renamed, const Value& entry) {
  constexpr std::size_t kMostDigits = 19;
  const auto& text = entry.children.empty() ? entry.text : entry.children.front().text;
  if (auto advice = advice_on_address_of_node(text)) return *std::move(advice);
  const bool is_number = !entry.text.empty() && entry.text.size() <= kMostDigits &&
                         std::ranges::all_of(entry.text, is_ascii_digit);
  return fmt::format("{}: {}: {}", renamed.why, renamed.now,
                     is_number ? std::string_view(entry.text) : renamed.example);
}

/// "{mtu:9000}" is a key without a value.
std::optional<GluedKey> glued_in_flow(const Value& entry) {
  const bool may_be = entry.key_plain && entry.kind == Value::Kind::kNull;
  return may_be ? glued_key(entry.key) : std::nullopt;
}

bool is_of_kind(Findings& findings, const Value& value, Value::Kind kind, std::string_view what,
                std::string_view nothing, std::string_view how) {
  if (value.kind == kind) return true;
  if (value.kind == Value::Kind::kNull) {
    findings.add(SpecId::kEmptyValue, value.where, fmt::format("{} has no value", name_of(value)),
                 fmt::format("write {} where nothing is meant, or delete the line", nothing));
  } else if (value.kind != Value::Kind::kRefused) {
    const bool may_be_glued = kind == Value::Kind::kMap && value.plain;
    const auto glued = may_be_glued ? glued_key(value.text) : std::nullopt;
    findings.add(SpecId::kWrongType, value.where,
                 fmt::format("{} must be {}, not {}", name_of(value), what, name_of(value.kind)),
                 glued ? advice_on(*glued) : std::string(how));
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
      report_duplicate(findings_, entry, *found->entry);
      return std::nullopt;
    }
    found->entry = &entry;
    return static_cast<std::size_t>(found - known.begin());
  }
  if (is_merge_key(findings_, entry)) return std::nullopt;
  if (is_secret_name(entry.key)) {
    findings_.add(SpecId::kInlineSecret, entry.key_where,
                  fmt::format("a secret does not belong in this file: {}", in_quotes(entry.key)),
                  "the file lives in git: put the secret into a file that root alone can read on "
                  "the node,\nand write its path: secret_file: /etc/nvme/NAME.secret");
    return std::nullopt;
  }
  if (const auto glued = glued_in_flow(entry)) {
    findings_.add(SpecId::kUnknownKey, entry.key_where,
                  fmt::format("a blank is missing after '{}:'", printable(glued->key)),
                  advice_on(*glued));
    return std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const Known& key : known) names.push_back(key.name);
  const auto* renamed = renamed_to(entry.key, names);
  const bool is_said = renamed != nullptr && std::ranges::find(map_.children, renamed->now,
                                                               &Value::key) != map_.children.end();
  const auto advice = renamed == nullptr ? std::string(advice_on_key(entry.key, names))
                      : is_said ? fmt::format("'{}' says it already: delete this key", renamed->now)
                                : advice_on(*renamed, entry);
  const auto meant = renamed == nullptr
                         ? (advice.empty() ? closest(entry.key, names) : std::nullopt)
                     : is_said ? std::nullopt
                               : std::optional(renamed->now);
  findings_.add(
      SpecId::kUnknownKey, entry.key_where,
      meant ? fmt::format("unknown key {}, did you mean '{}'?", in_quotes(entry.key), *meant)
            : fmt::format("unknown key {}", in_quotes(entry.key)),
      advice.empty() ? fmt::format("keys here: {}", fmt::join(names, ", ")) : advice);
  return std::nullopt;
}

void KeyTable::report_missing() const {
  for (const Known& key : std::span(known_.data(), size_)) {
    if (key.example.empty() || key.entry != nullptr) continue;
    findings_.add_about(map_, SpecId::kMissingKey,
                        map_.key.empty()
                            ? fmt::format("missing key '{}'", key.name)
                            : fmt::format("missing key '{}' in {}", key.name, in_quotes(map_.key)),
                        fmt::format("add it, as in {}", key.example));
  }
}

std::optional<std::string> advice_on_address_of_node(std::string_view text) {
  const auto ip = IpAddress::parse(text.substr(0, text.find('/')));
  if (!ip || !ip->is_v4()) return std::nullopt;
  return fmt::format(
      "a node's addresses come from its number and the subnets of its cables, and its address "
      "on the LAN stays with its manager; write number: {}",
      ip->bytes().back());
}

bool is_map(Findings& findings, const Value& value) {
  return is_of_kind(findings, value, Value::Kind::kMap, "a map of keys and values", "{}",
                    "write 'key: value' lines below it, or { key: value, ... }");
}

bool is_list(Findings& findings, const Value& value) {
  return is_of_kind(findings, value, Value::Kind::kList, "a list", "[]",
                    "write its items after '- ' on lines of their own, or in [ ]");
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
                                 count == 1 ? "" : "s", wanted));
  return false;
}

void report_duplicate(Findings& findings, const Value& entry, const Value& first) {
  findings.add(SpecId::kDuplicateKey, entry.key_where,
               fmt::format("duplicate key {}", in_quotes(entry.key)),
               "readers of YAML differ in which of the two they take: keep one",
               {{first.key_where, "first here"}});
}

}  // namespace spark::config
