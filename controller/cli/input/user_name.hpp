#pragma once

#include <string>

#include <sys/types.h>

namespace spark::cli {

/// The user of this program: under sudo, the user who called sudo.
std::string user_name();
/// The number of the same user.
uid_t user_id();

}  // namespace spark::cli
