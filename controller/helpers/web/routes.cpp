#include "helpers/web/routes.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "daemon/export/metrics.hpp"
#include "daemon/export/status_json.hpp"
#include "helpers/web/page.hpp"

namespace spark::helpers {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kHtml = "text/html; charset=utf-8";

/// Nothing of the page runs, nothing comes from elsewhere, and no other page frames it.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'";

Response style() { return {.type = "text/css; charset=utf-8", .body = std::string(style_css())}; }

Response not_found() {
  return {.status = 404,
          .type = kPlain,
          .body = "not found; there are /, /status.json, /metrics, /healthz and /readyz\n"};
}

}  // namespace

Response site(std::string_view path, const daemon::NodeState& state, const Moment& now) {
  if (path == "/") {
    return {.type = kHtml,
            .body = page_html(state, now),
            .headers = {{"Content-Security-Policy", kPolicy}}};
  }
  if (path == "/style.css") {
    return style();
  }
  if (path == "/status.json") {
    return {.type = "application/json", .body = daemon::status_json(state, now)};
  }
  if (path == "/metrics") {
    return {.type = "text/plain; version=0.0.4; charset=utf-8",
            .body = daemon::metrics_text(state, now)};
  }
  if (path == "/healthz") {
    return {.type = kPlain, .body = "ok\n"};
  }
  if (path == "/readyz") {
    return {
        .status = state.verdict == gate::Verdict::kReady ? 200 : 503,
        .type = kPlain,
        .body = fmt::format("{}: {}\n", gate::name_of(state.verdict), printable(why_of(state)))};
  }
  return not_found();
}

Response site_without_state(std::string_view path, std::string_view why) {
  if (path == "/") {
    return {.status = 503,
            .type = kHtml,
            .body = page_without_state(why),
            .headers = {{"Content-Security-Policy", kPolicy}}};
  }
  if (path == "/style.css") {
    return style();
  }
  if (path == "/status.json" || path == "/metrics" || path == "/healthz" || path == "/readyz") {
    return {.status = 503, .type = kPlain, .body = fmt::format("unknown: {}\n", printable(why))};
  }
  return not_found();
}

}  // namespace spark::helpers
