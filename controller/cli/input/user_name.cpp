#include "cli/input/user_name.hpp"

#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

#include "base/units.hpp"

namespace spark::cli {

std::string user_name() {
  if (const char* sudo_user = std::getenv("SUDO_USER")) {
    return sudo_user;
  }
  const auto* user = getpwuid(getuid());
  return user == nullptr ? std::to_string(getuid()) : user->pw_name;
}

uid_t user_id() {
  const char* sudo_uid = std::getenv("SUDO_UID");
  const auto number = sudo_uid == nullptr ? std::nullopt : parse_decimal(sudo_uid);
  // Only root is believed: what others set in their environment says nothing of sudo.
  return number && geteuid() == 0 ? static_cast<uid_t>(*number) : getuid();
}

bool is_no_root() { return geteuid() != 0 || user_id() != 0; }

}  // namespace spark::cli
