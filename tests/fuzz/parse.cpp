// Any bytes as a cluster.yaml: parse ends soon, within its limits, and what it reports can be
// shown.

#include "config/parse/parse.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = spark::config::parse(text);
  for (const auto& diagnostic : parsed.diagnostics) {
    const auto shown = spark::config::render(diagnostic, "fuzz.yaml", text);
    // A terminal obeys control characters: none of the file's may reach it.
    for (std::string_view rest = shown; !rest.empty();) {
      const auto point = spark::decode_utf8(rest);
      if (!point || (spark::is_hidden(point->value) && point->value != '\n')) std::abort();
      rest.remove_prefix(point->size);
    }
  }
  return 0;
}
