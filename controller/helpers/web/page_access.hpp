#pragma once
// PageAccess: who off this machine is shown what spark-web knows.

#include <optional>

#include "helpers/web/page_token.hpp"
#include "helpers/web/response.hpp"

namespace spark::helpers {

/// The path of the form, the only one that takes a POST.
inline constexpr const char* kLoginPath = "/login";

/// The token comes as `Authorization: Bearer TOKEN`, or in the form, which gives a cookie for it.
/// Never in a URL: those are kept in histories and logs. Pure.
class PageAccess {
 public:
  /// Empty: the site answers. Everybody has /style.css, and of /healthz whether there is one.
  std::optional<Response> answer(const Request& request, const PageToken& token,
                                 WrongTries::Clock::time_point now);

 private:
  Response log_in(const Request& request, const TokenDigest& right,
                  WrongTries::Clock::time_point now);

  WrongTries tries_;
};

/// What a stranger gets of the site's answer to /healthz: its status alone.
Response health_alone(const Response& answer);

}  // namespace spark::helpers
