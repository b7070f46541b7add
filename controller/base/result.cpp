#include "base/result.hpp"

#include <cerrno>
#include <system_error>

namespace spark {

ErrorCode error_code_of(int number) {
  switch (number) {
    case EPERM:
    case EACCES:
    case EROFS:
      return ErrorCode::kPermission;
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ESRCH:
    case EADDRNOTAVAIL:
      return ErrorCode::kNotFound;
    case EINVAL:
    case ERANGE:
    case EEXIST:
      return ErrorCode::kInvalid;
    case EBUSY:
    case EAGAIN:
      return ErrorCode::kBusy;
    case ETIMEDOUT:
      return ErrorCode::kTimeout;
    case EOPNOTSUPP:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
    case ENOSYS:
      return ErrorCode::kUnsupported;
    default:
      return ErrorCode::kSystem;
  }
}

std::unexpected<Error> fail_errno(int number, const std::string& what) {
  return fail(error_code_of(number), what + ": " + std::generic_category().message(number));
}

}  // namespace spark
