#include "cli/doctor/finding.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::cli {

Finding not_applicable(std::string_view name, std::string_view why) {
  return {.name = std::string(name),
          .what = fmt::format("not applicable: {}", why),
          .remedy = {},
          .is_applicable = false};
}

Findings findings_of_unread(std::string_view name, const std::vector<Error>& unread) {
  const auto is_forbidden = [](const Error& error) { return error.code == ErrorCode::kPermission; };
  Findings findings;
  const auto add = [&](std::string_view what, std::string_view more, std::string_view remedy) {
    findings.push_back({std::string(name), Severity::kLook,
                        fmt::format("what stands there is not known: {}{}", what, more),
                        std::string(remedy)});
  };
  const auto first = std::ranges::find_if(unread, is_forbidden);
  if (first != unread.end()) {
    const auto others = std::ranges::count_if(unread, is_forbidden) - 1;
    add(first->what, others == 0 ? "" : fmt::format(", and {} more", others),
        "run it as root: `sudo spark-reconcile doctor`");
  }
  for (const auto& error : unread) {
    if (is_forbidden(error)) continue;
    add(error.what, "", "fix the file that is there");
  }
  return findings;
}

}  // namespace spark::cli
