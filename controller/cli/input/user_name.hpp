#pragma once

#include <string>

#include <sys/types.h>

namespace spark {

/// Who asks: behind sudo, the one who called that.
std::string user_name();
/// The same by number.
uid_t user_id();

}  // namespace spark
