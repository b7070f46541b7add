#include "helpers/web/routes.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/export/metrics.hpp"
#include "drawing/svg_canvas.hpp"
#include "helpers/web/page.hpp"
#include "node_state/status_json.hpp"
#include "node_state/verdict_reason.hpp"

namespace spark::helpers {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kHtml = "text/html; charset=utf-8";

/// Nothing of the page runs, nothing comes from elsewhere, and no other page frames it.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'";

/// A header loads it again. Who needs longer to read it has `/still` (WCAG 2.2.1, G75).
Response page(std::string_view path, int status, std::string body) {
  Response response{.status = status,
                    .type = kHtml,
                    .body = std::move(body),
                    .headers = {{"Content-Security-Policy", kPolicy}}};
  if (path == "/") response.headers.emplace_back("Refresh", std::to_string(kReloadSeconds));
  return response;
}

Response style() {
  return {.type = "text/css; charset=utf-8",
          .body = std::string(style_css()) + drawing::svg_style(".map")};
}

Response not_found() {
  return {.status = 404,
          .type = kPlain,
          .body = "not found; there are /, /still, /status.json, /metrics, /healthz and /readyz\n"};
}

}  // namespace

Response site(std::string_view path, const node_state::NodeState& state, const Moment& now,
              const ShownCluster* cluster) {
  if (is_page(path)) {
    return page(path, 200,
                page_html(state, now, cluster, path == "/" ? Reload::kOften : Reload::kNever));
  }
  if (path == "/style.css") return style();
  if (path == "/status.json") {
    return {.type = "application/json", .body = node_state::status_json(state, now)};
  }
  if (path == "/metrics") {
    return {.type = "text/plain; version=0.0.4; charset=utf-8",
            .body = daemon::metrics_text(state, now)};
  }
  if (path == "/healthz") return {.type = kPlain, .body = "ok\n"};
  if (path == "/readyz") {
    return {.status = state.verdict == gate::Verdict::kReady ? 200 : 503,
            .type = kPlain,
            .body = fmt::format("{}: {}\n", gate::name_of(state.verdict),
                                printable(written(node_state::why_of(state))))};
  }
  return not_found();
}

Response site_without_state(std::string_view path, std::string_view why) {
  if (is_page(path)) return page(path, 503, page_without_state(why));
  if (path == "/style.css") return style();
  if (path == "/status.json" || path == "/metrics" || path == "/healthz" || path == "/readyz") {
    return {.status = 503, .type = kPlain, .body = fmt::format("unknown: {}\n", printable(why))};
  }
  return not_found();
}

}  // namespace spark::helpers
