#include "daemon/web/routes.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "daemon/export/metrics.hpp"
#include "daemon/export/status_json.hpp"
#include "daemon/web/page.hpp"

namespace spark::daemon {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";

/// Nothing of the page runs, nothing comes from elsewhere, and no other page frames it.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'";

}  // namespace

Response site(std::string_view path, const NodeState& state, const Moment& now) {
  if (path == "/") {
    return {.type = "text/html; charset=utf-8",
            .body = page_html(state, now),
            .headers = {{"Content-Security-Policy", kPolicy}}};
  }
  if (path == "/style.css") {
    return {.type = "text/css; charset=utf-8", .body = std::string(style_css())};
  }
  if (path == "/status.json") {
    return {.type = "application/json", .body = status_json(state, now)};
  }
  if (path == "/metrics") {
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_text(state, now)};
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
  return {.status = 404,
          .type = kPlain,
          .body = "not found; there are /, /status.json, /metrics, /healthz and /readyz\n"};
}

}  // namespace spark::daemon
