#pragma once
// Errors are values: every function that can fail returns Result<T>.

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/fields.hpp"

namespace spark {

/// What the caller can do about an error, not where it came from.
enum class ErrorCode : std::uint8_t {
  kSystem,       ///< the kernel or a library refused; `what` carries its own words
  kInvalid,      ///< the request itself is wrong: it needs a new file or new arguments
  kNotFound,     ///< the thing named does not exist (now)
  kPermission,   ///< not allowed: run as root, or the kernel keeps this for another namespace
  kBusy,         ///< someone else holds it: try again on the next pass
  kTimeout,      ///< the deadline passed: try again on the next pass
  kUnsupported,  ///< this kernel or this version cannot do it
};

inline constexpr std::array<std::string_view, 7> kErrorCodes = {
    "system", "invalid", "not_found", "permission", "busy", "timeout", "unsupported"};
constexpr const auto& names_of(ErrorCode /*any*/) { return kErrorCodes; }

/// One failure. `what` is one lower-case clause, names in single quotes, the cause last:
/// "set mtu of 'eth0': Invalid argument".
struct Error {
  ErrorCode code = ErrorCode::kSystem;
  std::string what;
  bool operator==(const Error&) const = default;
};

template <EitherConst<Error> T, class Visit>
void each_field(T& error, Visit visit) {
  visit("code", error.code);
  visit("what", error.what);
}

template <class T = void>
using Result = std::expected<T, Error>;

/// Builds the error half of a Result, so that call sites read as one line.
inline std::unexpected<Error> fail(ErrorCode code, std::string what) {
  return std::unexpected(Error{code, std::move(what)});
}

/// The code that an errno value stands for. `number` is positive (EPERM, ENOENT, ...).
ErrorCode error_code_of(int number);

/// Error from an errno value: "<what>: <strerror(number)>". `number` is positive.
std::unexpected<Error> fail_errno(int number, const std::string& what);

}  // namespace spark
