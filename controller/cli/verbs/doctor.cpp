// The verb `doctor`: checks what prevents this node from being managed, and prints the fix.

#include "cli/doctor/doctor.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

std::string line_of(const Finding& finding, const Terminal& terminal) {
  constexpr std::size_t kNameColumns = 9;
  const auto sign =
      finding.good ? terminal.paint(Tone::kGood, "✓") : terminal.paint(Tone::kBad, "!");
  const auto head = fmt::format("  {} {}  ", sign, padded(finding.name, kNameColumns));
  const std::string_view remedy_head = "      → ";
  if (!terminal.width()) {
    return fmt::format("{}{}\n{}", head, printable(finding.what),
                       finding.good
                           ? std::string()
                           : fmt::format("{}{}\n", remedy_head, printable(finding.remedy)));
  }
  const auto text = hanging(head, printable(finding.what), *terminal.width());
  return finding.good ? text
                      : text + hanging(remedy_head, printable(finding.remedy), *terminal.width());
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
  print_next(command.terminal, command.arguments, good ? "Is it ready?" : "Then again",
             command_line_for(good ? "gate" : "doctor", command.arguments));
  return code;
}

}  // namespace spark::cli
