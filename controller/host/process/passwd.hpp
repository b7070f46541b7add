#pragma once
// Users by the text of /etc/passwd (passwd(5)): no name service is asked, which may take seconds.

#include <optional>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace spark::host {

/// The name of the user with that number, a part of `passwd`; empty: it has none.
std::optional<std::string_view> user_name(std::string_view number, std::string_view passwd);
struct UserIds {
  uid_t user = 0;
  gid_t group = 0;  ///< the user's own
  bool operator==(const UserIds&) const = default;
};

/// Those of the user of that name; empty: there is none.
std::optional<UserIds> user_ids(std::string_view name, std::string_view passwd);

/// A name of root that can log in. The files of others are in their hands: root opens none.
struct Login {
  std::string_view name;
  std::string_view home;
};
/// In the order of the file; parts of `passwd`.
std::vector<Login> logins_of_root(std::string_view passwd);

}  // namespace spark::host
