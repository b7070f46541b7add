#pragma once
// What `each_field` overloads have in common. `each_field(value, visit)` calls `visit(name,
// member)` for all members, to write them or to read them.

#include <concepts>
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

/// An enum that documents hold by name. `names_of(T)`, declared beside the type, gives all names in
/// the order of the enumerators, the first of which is 0. Documents hold other enums by number.
template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) { names_of(value).size(); };

}  // namespace spark
