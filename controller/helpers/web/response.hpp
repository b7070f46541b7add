#pragma once
// Response: the answer to a request, whatever carries it.

#include <string>
#include <utility>
#include <vector>

namespace spark::helpers {

struct Response {
  int status = 200;
  std::string type;  ///< Content-Type
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  ///< besides those of the server
};

}  // namespace spark::helpers
