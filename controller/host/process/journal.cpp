#include "host/process/journal.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "host/process/child.hpp"

namespace spark::host {

Result<std::string> read_kernel_journal(WallTime since, WallTime until) {
  constexpr const char* kJournalctl = "/usr/bin/journalctl";
  constexpr std::chrono::seconds kDeadline{3};
  constexpr std::size_t kMostBytes = std::size_t{1024} * 1024;
  const auto at = [](std::chrono::sys_seconds time) {
    return fmt::format("@{}", time.time_since_epoch().count());
  };
  std::string text;
  const auto output = run_child(
      {kJournalctl, "--quiet", "--no-pager", "--output=json", "--output-fields=MESSAGE",
       "--lines=500", "--since=" + at(std::chrono::floor<std::chrono::seconds>(since)),
       "--until=" + at(std::chrono::ceil<std::chrono::seconds>(until)), "_TRANSPORT=kernel"},
      kDeadline, {.on_out = [&text](std::string_view bytes) {
        text += bytes.substr(0, kMostBytes - text.size());
      }});
  if (!output) return std::unexpected(output.error());
  if (output->status != 0) {
    return fail(ErrorCode::kPermission,
                fmt::format("run '{}': {}", kJournalctl, in_quotes(output->err)));
  }
  return text;
}

}  // namespace spark::host
