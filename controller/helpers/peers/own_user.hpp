#pragma once
// become_peers_user: what a verb of root started gives root up before it reads what a network sent.

#include "base/result.hpp"

namespace spark::helpers {

/// As root: becomes the user of spark-peers, who has no capability, and may lock as much memory as
/// the service. Others stay who they are. Errors: kNotFound: there is no such user.
Result<> become_peers_user();

}  // namespace spark::helpers
