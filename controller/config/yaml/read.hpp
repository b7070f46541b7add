#pragma once
// Readers from the tree to plain structs: each key of a map is one line of a table, and each reader
// reports what it refuses and goes on, so that one run finds everything.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/yaml/diagnostic_list.hpp"
#include "config/yaml/document.hpp"
#include "config/yaml/read_scalar.hpp"

namespace spark::config {

/// One key that a map may have, and what reads its value into a T.
template <class T>
struct Key {
  std::string_view name;
  void (*read)(Findings& findings, const Value& value, T& out);
  std::string_view example;  ///< of a required key; empty: the key may be absent
};

template <class Member>
struct MemberOf;
template <class T, class M>
struct MemberOf<M T::*> {
  using Owner = T;
  using Type = M;
};

/// The struct that a table of keys fills.
template <class Table>
struct OwnerOf;
template <class T, std::size_t kSize>
struct OwnerOf<std::array<Key<T>, kSize>> {
  using Type = T;
};

/// A key that `kRead` reads into a member: into an At<> or std::optional<At<>> with its place, into
/// anything else without.
template <auto kMember, auto kRead>
constexpr auto key(std::string_view name) {
  using Owner = typename MemberOf<decltype(kMember)>::Owner;
  using Type = typename MemberOf<decltype(kMember)>::Type;
  return Key<Owner>{name, [](Findings& findings, const Value& value, Owner& out) {
                      auto read = kRead(findings, value);
                      if (!read) return;
                      if constexpr (std::is_assignable_v<Type&, decltype(*read)>) {
                        out.*kMember = *std::move(read);
                      } else {
                        out.*kMember = std::move(read->value);
                      }
                    }};
}

/// A key that `kRead` reads straight into a member: void(Findings&, const Value&, Member&).
template <auto kMember, auto kRead>
constexpr auto section(std::string_view name) {
  using Owner = typename MemberOf<decltype(kMember)>::Owner;
  return Key<Owner>{name, [](Findings& findings, const Value& value, Owner& out) {
                      kRead(findings, value, out.*kMember);
                    }};
}

template <class T>
constexpr Key<T> required(Key<T> key, std::string_view example) {
  key.example = example;
  return key;
}

/// Tracks the keys of one map: which are known, which came, which are missing.
class KeyTable {
 public:
  static constexpr std::size_t kMost = 24;  ///< keys of one map of the language

  KeyTable(Findings& findings, const Value& map) : findings_(findings), map_(map) {}
  /// `example` as in Key.
  void know(std::string_view name, std::string_view example);
  /// The number of an entry's key among those known; empty when it was refused.
  std::optional<std::size_t> admit(const Value& entry);
  void report_missing() const;
  /// Whether the key is there, or another stands there for it, which is reported already.
  [[nodiscard]] bool is_given(std::string_view name) const;

 private:
  struct Known {
    std::string_view name;
    std::string_view example;
    const Value* entry = nullptr;
    bool is_meant = false;  ///< by a key that was refused
  };
  void refuse(const Value& entry);

  Findings& findings_;
  const Value& map_;
  std::array<Known, kMost> known_;
  std::size_t size_ = 0;
};

/// False, and reported, when the value is not of that kind.
bool is_map(Findings& findings, const Value& value);
bool is_list(Findings& findings, const Value& value);
/// The same of a whole file: false also where it says nothing, and then nothing is reported.
/// `example`: what shows such a file, a sentence.
bool is_map_of_file(Findings& findings, const Value& root, std::string_view example);

/// Reports an entry whose key an earlier entry has. `advice`: what to write.
void report_duplicate(Findings& findings, const Value& entry, const Value& first,
                      std::string_view advice);

/// A struct and the table of the keys that fill it.
template <class T>
struct Part {
  T& out;
  std::span<const Key<T>> keys;
};

template <class T, std::size_t kSize>
Part<T> part_of(T& out, const std::array<Key<T>, kSize>& keys) {
  return {out, keys};
}

/// Reads one map into several structs: each key belongs to the table that knows it.
template <class... T>
KeyTable read_map(Findings& findings, const Value& map, Part<T>... parts) {
  KeyTable book(findings, map);
  if (!is_map(findings, map)) return book;
  const auto know = [&](const auto& part) {
    for (const auto& key : part.keys) book.know(key.name, key.example);
  };
  (know(parts), ...);
  for (const Value& entry : map.children) {
    auto number = book.admit(entry);
    if (!number) continue;
    const auto read_here = [&](const auto& part) {
      const bool here = *number < part.keys.size();
      if (here) {
        part.keys[*number].read(findings, entry, part.out);
      } else {
        *number -= part.keys.size();
      }
      return here;
    };
    static_cast<void>((read_here(parts) || ...));  // admitted: one of them knows it
  }
  book.report_missing();
  return book;
}

template <class T, std::size_t kSize>
KeyTable read_map(Findings& findings, const Value& map, T& out,
                  const std::array<Key<T>, kSize>& keys) {
  return read_map(findings, map, part_of(out, keys));
}

/// A key whose value is a map that fills the same struct.
template <const auto& kKeys>
constexpr auto inner(std::string_view name) {
  using Table = std::remove_cvref_t<decltype(kKeys)>;
  using Owner = typename OwnerOf<Table>::Type;
  return Key<Owner>{name, [](Findings& findings, const Value& value, Owner& out) {
                      read_map(findings, value, out, kKeys);
                    }};
}

/// Calls `read(entry)` for each entry of a map whose keys are names that the file chooses.
template <class Read>
void read_open_map(Findings& findings, const Value& map, const TextForm& key_form, Read read) {
  if (!is_map(findings, map)) return;
  std::unordered_map<std::string_view, const Value*> seen;
  for (const Value& entry : map.children) {
    const auto [first, is_new] = seen.try_emplace(entry.key, &entry);
    if (!is_new) {
      report_duplicate(findings, entry, *first->second, "keep one, or give one another name");
    } else if (key_has_form(findings, entry, key_form)) {
      read(entry);
    }
  }
}

/// False, and reported, when a list has fewer or more items.
bool has_count(Findings& findings, const Value& list, std::size_t least, std::size_t most);

/// Reader of a list, each item read by `kRead`.
template <auto kRead, std::size_t kLeast = 0, std::size_t kMost = SIZE_MAX>
auto list_of(Findings& findings, const Value& value) {
  using Item = typename decltype(kRead(findings, value))::value_type;
  std::optional<std::vector<Item>> items;
  if (!is_list(findings, value) || !has_count(findings, value, kLeast, kMost)) return items;
  items.emplace().reserve(value.children.size());
  for (const Value& child : value.children) {
    if (auto item = kRead(findings, child)) items->push_back(*std::move(item));
  }
  return items;
}

}  // namespace spark::config
