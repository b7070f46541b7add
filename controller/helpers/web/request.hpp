#pragma once
// Request: what of a request decides about its answer, whatever carried it.

#include <string_view>

#include "base/ip.hpp"

namespace spark::helpers {

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
