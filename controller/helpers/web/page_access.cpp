#include "helpers/web/page_access.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "base/html.hpp"
#include "base/page_token.hpp"
#include "base/text.hpp"
#include "helpers/web/response.hpp"
#include "helpers/web/routes.hpp"

namespace spark::helpers {
namespace {

struct LoginPage {
  std::string said;         ///< about the last try, or why there is no form; empty: nothing
  bool takes_token = true;  ///< else there is no form
};

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

/// One HTML page without a script, that names neither the node nor the cluster.
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

constexpr const char* kPlainText = "text/plain; charset=utf-8";
constexpr std::string_view kCookieName = "spark_page";
constexpr std::size_t kMostPortDigits = 5;
constexpr int kCookieSeconds = 30 * 24 * 60 * 60;

/// What somebody shows to be let in.
struct Shown {
  std::optional<TokenDigest> digest;  ///< empty: it has no form of one, and is wrong
  bool is_cookie = false;
};

std::optional<TokenDigest> digest_if_token(std::string_view text) {
  return is_token(text) ? std::optional(TokenDigest::of(text)) : std::nullopt;
}

/// The token of "Bearer TOKEN" (RFC 6750); empty: it is of another scheme, or absent.
std::optional<std::string_view> bearer_in(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer";
  if (ascii_lower(authorization.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  authorization.remove_prefix(kScheme.size());
  if (!authorization.empty() && authorization.front() != ' ') return std::nullopt;
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return authorization;
}

/// Browsers send a cookie to all ports of a host (RFC 6265, 8.5), so its name has the port that the
/// browser went to: of the other end of a tunnel, where there is one.
std::string cookie_name(std::string_view host) {
  const auto colon = host.rfind(':');
  const auto port = colon == std::string_view::npos ? "" : host.substr(colon + 1);
  const bool is_port =
      !port.empty() && port.size() <= kMostPortDigits && std::ranges::all_of(port, is_ascii_digit);
  return is_port ? fmt::format("{}_{}", kCookieName, port) : std::string(kCookieName);
}

/// The value of our cookie, the first where there are several; empty: there is none.
std::optional<std::string_view> cookie_in(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const auto end = std::min(cookies.find(';'), cookies.size());
    auto one = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) {
      return one.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

/// Empty: nothing was shown, which is no try.
std::optional<Shown> shown_by(const Request& request) {
  if (const auto bearer = bearer_in(request.authorization)) {
    return Shown{.digest = digest_if_token(*bearer)};
  }
  if (const auto cookie = cookie_in(request.cookie, cookie_name(request.host))) {
    return Shown{.digest = TokenDigest::parse(*cookie), .is_cookie = true};
  }
  return std::nullopt;
}

std::string cookie_text(const Request& request, std::string_view value, int seconds) {
  return fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}",
                     cookie_name(request.host), value, seconds);
}

bool is_for_people(const Request& request) {
  return request.path == kLoginPath || is_page(request.path);
}

Response plain(int status, std::string_view why) {
  return {.status = status, .type = kPlainText, .body = fmt::format("{}\n", why)};
}

/// For people with a form where they ask for a page, else in a line.
Response refusal_with(const Request& request, int status, std::string_view line,
                      const LoginPage& page) {
  return is_for_people(request) ? login_response(status, page) : plain(status, line);
}

Response asks(const Request& request, bool was_wrong) {
  auto response =
      refusal_with(request, 401, was_wrong ? "this is not the token" : "it needs the token",
                   {.said = was_wrong ? "This is not the token." : "", .takes_token = true});
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

Response has_to_wait(const Request& request, std::chrono::seconds left) {
  auto response = refusal_with(
      request, 429, fmt::format("too many wrong tries: try again in {} s", left.count()),
      {.said =
           fmt::format("Too many wrong tries from this address. Try again in {} s.", left.count()),
       .takes_token = true});
  response.headers.emplace_back("Retry-After", std::to_string(left.count()));
  return response;
}

/// Why is for this machine's own people: `doctor` says it.
Response is_closed(const Request& request) {
  constexpr std::string_view kWhy =
      "nobody is let in from elsewhere until this node's token can be used";
  return refusal_with(request, 503,
                      fmt::format("{}; `spark-reconcile doctor` there says why", kWhy),
                      {.said = "Nobody is let in from elsewhere until this node's token can be "
                               "used. On the node, `spark-reconcile doctor` says why.",
                       .takes_token = false});
}

Response to_the_page() {
  return {.status = 303,
          .type = kPlainText,
          .body = "the page is at /\n",
          .headers = {{"Location", "/"}}};
}

/// A browser says where a form was sent from (Fetch, "append a request Origin header"; Fetch
/// Metadata, which is absent over http but for localhost). Who says nothing is no browser.
bool is_of_another_site(const Request& request) {
  // The browser's own word, which no page can set. A proxy may have changed the Host.
  if (!request.fetch_site.empty()) {
    return request.fetch_site != "same-origin" && request.fetch_site != "none";
  }
  if (request.origin.empty()) return false;
  for (const std::string_view scheme : {"http://", "https://"}) {  // https: of a proxy before this
    if (request.origin.starts_with(scheme)) {
      return ascii_lower(request.origin.substr(scheme.size())) != ascii_lower(request.host);
    }
  }
  return true;
}

bool is_form_type(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return ascii_lower(type) == "application/x-www-form-urlencoded";
}

/// What a form encodes (WHATWG URL, application/x-www-form-urlencoded); bytes as they are.
std::string form_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    constexpr std::size_t kDigits = 2;
    constexpr int kHex = 16;
    unsigned char byte = 0;
    const auto* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + kDigits < text.size() &&
        std::from_chars(digits, digits + kDigits, byte, kHex).ptr == digits + kDigits) {
      decoded += static_cast<char>(byte);
      i += kDigits;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

/// The token in the form, without blanks around it, which come along where it is pasted.
std::string token_of_form(std::string_view body) {
  constexpr std::string_view kField = "token=";
  while (!body.empty()) {
    const auto end = std::min(body.find('&'), body.size());
    const auto field = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (!field.starts_with(kField)) continue;
    auto token = form_decoded(field.substr(kField.size()));
    constexpr std::string_view kBlanks = " \t\r\n";
    token.erase(token.find_last_not_of(kBlanks) + 1);
    token.erase(0, token.find_first_not_of(kBlanks));
    return token;
  }
  return {};
}

}  // namespace

std::optional<Response> PageAccess::answer(const Request& request, const PageToken& token,
                                           WrongTries::Clock::time_point now) {
  if (!request.is_form && request.path == "/style.css") return std::nullopt;
  if (!request.is_form && request.path == "/healthz") return std::nullopt;
  if (!token.digest) return is_closed(request);
  if (request.is_form) return log_in(request, *token.digest, now);
  const auto shown = shown_by(request);
  if (!shown) return asks(request, false);
  if (const auto left = tries_.wait(request.from, now); left.count() > 0) {
    return has_to_wait(request, left);
  }
  if (shown->digest && *shown->digest == *token.digest) {
    tries_.was_right(request.from);
    return request.path == kLoginPath ? std::optional(to_the_page()) : std::nullopt;
  }
  tries_.was_wrong(request.from, now);
  auto response = asks(request, !shown->is_cookie);
  // Else each page that stands open would try it again.
  if (shown->is_cookie) response.headers.emplace_back("Set-Cookie", cookie_text(request, "", 0));
  return response;
}

Response PageAccess::log_in(const Request& request, const TokenDigest& right,
                            WrongTries::Clock::time_point now) {
  // First: another site must not have the owner's browser use up the tries.
  if (is_of_another_site(request)) return plain(403, "this form is not of this page");
  if (!is_form_type(request.type)) return plain(415, "it takes application/x-www-form-urlencoded");
  auto token = token_of_form(request.body);
  if (token.empty()) return asks(request, false);
  if (const auto left = tries_.wait(request.from, now); left.count() > 0) {
    return has_to_wait(request, left);
  }
  const auto shown = digest_if_token(token);
  explicit_bzero(token.data(), token.size());
  if (!shown || *shown != right) {
    tries_.was_wrong(request.from, now);
    return asks(request, true);
  }
  tries_.was_right(request.from);
  auto response = to_the_page();
  response.headers.emplace_back("Set-Cookie", cookie_text(request, right.text(), kCookieSeconds));
  return response;
}

Response health_alone(const Response& answer) {
  return {.status = answer.status,
          .type = kPlainText,
          .body = answer.status == 200 ? "ok\n" : "unknown\n"};
}

}  // namespace spark::helpers
