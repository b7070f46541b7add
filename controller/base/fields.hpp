#pragma once
// What `each_field` overloads have in common. `each_field(value, visit)` calls `visit(name,
// member)` for all members, to write them or to read them.

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace spark {

/// T is `Value`, or const `Value` when the members are only written out.
template <class T, class Value>
concept EitherConst = std::same_as<std::remove_const_t<T>, Value>;

/// A member that is always written, and that a document of an earlier version may lack: it then
/// keeps its value. Members that are optional or a list may lack without it.
template <class T>
struct MayLack {
  static constexpr bool kMayLack = true;
  T& member;
};

/// `visit("released", may_lack(journal.released))`.
template <class T>
MayLack<T> may_lack(T& member) {
  return {member};
}

/// A member that is written only when it is not empty.
template <class T>
struct UnlessEmpty {
  static constexpr bool kMayLack = true;
  T& member;
  [[nodiscard]] bool is_empty() const {
    if constexpr (requires { member.has_value(); }) {
      return !member.has_value();
    } else {
      return member.empty();
    }
  }
};

template <class T>
UnlessEmpty<T> unless_empty(T& member) {
  return {member};
}

/// A name of an enum, written only when there is one. A name that a newer version has is none.
template <class T>
struct IfKnown {
  static constexpr bool kMayLack = true;
  T& member;
};

/// `member`: optional.
template <class T>
IfKnown<T> if_known(T& member) {
  return {member};
}

/// A value that documents hold as one text. Its `kForm` says what such a text is.
template <class T>
concept TextValue = requires(const T& value, std::string_view text) {
  { value.text() } -> std::same_as<std::string>;
  { T::parse(text) } -> std::same_as<std::optional<T>>;
  { T::kForm } -> std::convertible_to<std::string_view>;
};

/// An enum that documents hold by name. `names_of(T)`, declared beside the type, gives all names in
/// the order of the enumerators, the first of which is 0. Documents hold other enums by number.
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { names_of(value).size(); };

/// Empty: no enumerator has that name.
template <NamedEnum T>
constexpr std::optional<T> enum_named(std::string_view name) {
  const auto& names = names_of(T{});
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<T>(found - names.begin());
}

}  // namespace spark
