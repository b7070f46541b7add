#pragma once
// Response: the answer to a request, whatever carries it.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ip.hpp"

namespace spark::helpers {

struct Response {
  int status = 200;
  std::string type;  ///< Content-Type
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  ///< besides those of the server
};

// Request: what of a request decides about its answer, whatever carried it.

/// The texts are the server's, and hold until it is answered. A header that is absent is empty.
struct Request {
  bool is_form = false;   ///< POST, with a body; else GET or HEAD
  std::string_view path;  ///< without the query, which nobody reads
  IpAddress from;         ///< the other end of the connection
  std::string_view host;
  std::string_view authorization;
  std::string_view cookie;
  std::string_view origin;
  std::string_view fetch_site;  ///< Sec-Fetch-Site
  std::string_view type;        ///< Content-Type
  std::string_view body;
};

}  // namespace spark::helpers
