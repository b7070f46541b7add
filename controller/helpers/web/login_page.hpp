#pragma once
// login_page: the form that a stranger gets in place of the page.

#include <string>

#include "helpers/web/response.hpp"

namespace spark::helpers {

struct LoginPage {
  std::string said;         ///< about the last try, or why there is no form; empty: nothing
  bool takes_token = true;  ///< else there is no form
};

/// One HTML page without a script, that names neither the node nor the cluster.
Response login_response(int status, const LoginPage& page);

}  // namespace spark::helpers
