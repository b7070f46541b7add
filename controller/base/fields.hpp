#pragma once
// What `each_field` overloads have in common. `each_field(value, visit)` calls `visit(name,
// member)` for all members, to write them or to read them.

#include <concepts>
#include <type_traits>

namespace spark {

/// T is `Value`, or const `Value` when the members are only written out.
template <class T, class Value>
concept EitherConst = std::same_as<std::remove_const_t<T>, Value>;

}  // namespace spark
