#pragma once
// post_http: one POST to an http:// URL, under a deadline that holds whatever the other end does.

#include <chrono>
#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "base/http_url.hpp"
#include "base/result.hpp"

namespace spark::daemon {

struct HttpPost {
  HttpUrl url;
  std::string content_type;
  std::string authorization;  ///< value of that header; empty: none
  std::string body;
};

/// What came back; of the body at most the first 64 KiB are taken, and its first line kept.
struct HttpAnswer {
  unsigned status = 0;
  std::string first_line;
  [[nodiscard]] bool is_success() const { return status >= 200 && status < 300; }
};

/// Calls `done` once, on the context, never from inside this call. Follows no redirect, uses no
/// proxy, and opens one connection a request. Errors: kTimeout, kSystem.
void post_http(boost::asio::io_context& context, HttpPost post, std::chrono::milliseconds deadline,
               std::function<void(Result<HttpAnswer>)> done);

}  // namespace spark::daemon
