#include "helpers/web/login_page.hpp"

#include <fmt/format.h>

#include "base/html.hpp"

namespace spark::helpers {
namespace {

/// As that of the page, and the form may be sent to this server.
constexpr const char* kLoginPolicy =
    "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'";

std::string said_html(const std::string& said) {
  if (said.empty()) return {};
  return fmt::format("<p id=\"said\" class=\"said bad\" role=\"alert\">{}</p>\n", prose(said));
}

/// A password manager keeps a token under the name of a user, which nobody has to see here.
std::string form_html(const LoginPage& page) {
  if (!page.takes_token) return {};
  return fmt::format(
      R"(<form method="post" action="/login">
<input name="user" type="text" value="spark-reconcile" autocomplete="username" hidden>
<label for="token">Token of this node</label>
<input id="token" name="token" type="password" required maxlength="256" autocomplete="current-password" autocapitalize="none" spellcheck="false"{}>
<button type="submit">Show the page</button>
</form>
<p class="quiet">It is in the file that <code>token_file</code> of <code>agent.yaml</code> names on the node. This connection is not encrypted.</p>
)",
      page.said.empty() ? "" : R"( aria-invalid="true" aria-describedby="said")");
}

}  // namespace

Response login_response(int status, const LoginPage& page) {
  auto body = fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>spark-reconcile</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
<section class="card login">
<h1>spark-reconcile</h1>
{}{}</section>
</main>
</body>
</html>
)",
      said_html(page.said), form_html(page));
  // no-referrer, as elsewhere, would have the browser name no origin of the form (Fetch).
  return {
      .status = status,
      .type = "text/html; charset=utf-8",
      .body = std::move(body),
      .headers = {{"Content-Security-Policy", kLoginPolicy}, {"Referrer-Policy", "same-origin"}}};
}

}  // namespace spark::helpers
