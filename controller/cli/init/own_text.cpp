#include <fmt/format.h>

#include "cli/init/file_parts.hpp"

namespace spark::cli {

Result<config::Parsed> parse_own_text(const std::string& text) {
  auto parsed = config::parse(text);
  for (const auto& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("the file would be refused: {} [{}]; {}", diagnostic.message,
                              diagnostic.id, diagnostic.reason));
    }
  }
  return parsed;
}

}  // namespace spark::cli
