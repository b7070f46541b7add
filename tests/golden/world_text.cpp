#include "golden/world_text.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "config/yaml/document.hpp"
#include "host/processes.hpp"

namespace spark::test {

using config::Value;

namespace {

template <class T>
T parsed(const Value& value, const std::optional<T>& read, std::string_view what) {
  if (!read) refuse(value, fmt::format("'{}' is not {}", text(value), what));
  return *read;
}

}  // namespace

Value read_world_text(std::string_view text) {
  config::Findings findings;
  auto world = config::read_document(text, findings);
  const auto wrong = std::move(findings).take(world ? &*world : nullptr);
  if (!wrong.empty()) refuse(wrong.front().where.line, wrong.front().message);
  if (world->kind == Value::Kind::kNull) world->kind = Value::Kind::kMap;
  return *std::move(world);
}

void refuse(int line, const std::string& what) {
  throw std::invalid_argument(fmt::format("line {}: {}", line, what));
}

void refuse(const Value& value, const std::string& what) { refuse(value.where.line, what); }

void must(const Value& value, const Result<>& done) {
  if (!done) refuse(value, done.error().what);
}

const std::string& text(const Value& value) {
  if (value.kind != Value::Kind::kText) refuse(value, fmt::format("'{}' wants a text", value.key));
  return value.text;
}

bool is_word(const Value& value, std::string_view word) {
  return value.kind == Value::Kind::kText && value.text == word;
}

bool boolean(const Value& value) {
  if (!is_word(value, "true") && !is_word(value, "false")) {
    refuse(value, fmt::format("'{}' is not true or false", text(value)));
  }
  return is_word(value, "true");
}

IpAddress ip(const Value& value) {
  return parsed(value, IpAddress::parse(text(value)), "an address");
}

IpPrefix prefix(const Value& value) {
  return parsed(value, IpPrefix::parse(text(value)), "an address with its length");
}

std::uint64_t bytes(const Value& value) {
  return is_word(value, "unlimited") ? host::kUnlimited
         : is_word(value, "0")
             ? 0
             : parsed(value, parse_byte_size(text(value)), "a size, as 16GiB, or unlimited");
}

std::uint64_t whole_number(const Value& value) {
  return parsed(value, parse_decimal(text(value)), "a whole number");
}

void each_entry(const Value& map, const Read& read) {
  if (map.kind != Value::Kind::kMap) refuse(map, fmt::format("'{}' wants a map", map.key));
  std::set<std::string_view> seen;
  for (const auto& entry : map.children) {
    if (!seen.insert(entry.key).second) {
      refuse(entry.key_where.line, fmt::format("'{}' is there twice", entry.key));
    }
    read(entry);
  }
}

void each_item(const Value& list, const Read& read) {
  if (list.kind != Value::Kind::kList) refuse(list, fmt::format("'{}' wants a list", list.key));
  std::ranges::for_each(list.children, read);
}

void read_map(const Value& map, std::initializer_list<Key> keys) {
  each_entry(map, [&](const Value& entry) {
    if (std::ranges::find(keys, entry.key, &Key::name) == keys.end()) {
      refuse(entry.key_where.line, fmt::format("unknown key '{}'", entry.key));
    }
  });
  for (const auto& key : keys) {
    const auto entry = std::ranges::find(map.children, key.name, &Value::key);
    if (entry != map.children.end()) key.read(*entry);
  }
}

}  // namespace spark::test
