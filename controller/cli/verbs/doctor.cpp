// The verb `doctor`: checks what prevents this node from being managed, and prints the fix.

#include "cli/doctor/doctor.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"

namespace spark::cli {
namespace {

std::string line_of(const Finding& finding, const Terminal& terminal) {
  constexpr std::size_t kNameColumns = 9;
  const auto sign =
      finding.good ? terminal.paint(Tone::kGood, "✓") : terminal.paint(Tone::kBad, "!");
  return fmt::format("  {} {}  {}\n{}", sign, padded(finding.name, kNameColumns),
                     printable(finding.what),
                     finding.good ? "" : fmt::format("      → {}\n", printable(finding.remedy)));
}

}  // namespace

ExitCode doctor(const Command& command) {
  const auto findings = find_problems(command);
  const bool good = std::ranges::all_of(findings, &Finding::good);
  const auto code = good ? ExitCode::kDone : ExitCode::kError;
  if (command.arguments.json) {
    auto list = nlohmann::json::array();
    for (const auto& [name, fine, what, remedy] : findings) {
      list.push_back({{"name", name}, {"good", fine}, {"what", what}, {"remedy", remedy}});
    }
    print_json(command.terminal, "doctor", config::Cluster{}, "", code,
               {{"findings", std::move(list)}});
    return code;
  }
  std::string text;
  for (const auto& finding : findings) {
    text += line_of(finding, command.terminal);
  }
  command.terminal.print_always(text);
  return code;
}

}  // namespace spark::cli
