#include "cli/user_name.hpp"

#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace spark {

std::string user_name() {
  if (const char* sudo_user = std::getenv("SUDO_USER")) {
    return sudo_user;
  }
  const auto* user = getpwuid(getuid());
  return user == nullptr ? std::to_string(getuid()) : user->pw_name;
}

}  // namespace spark
