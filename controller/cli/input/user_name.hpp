#pragma once

#include <string>

#include <sys/types.h>

namespace spark::cli {

/// The user of this program: under sudo, the user who called sudo.
std::string user_name();
/// The number of the same user.
uid_t user_id();
/// Who types the next command is not root: this program is not, or sudo started it.
bool is_no_root();

}  // namespace spark::cli
