// The verb `doctor`: checks what prevents this node from being managed, and prints the fix.

#include "cli/doctor/doctor.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "cli/command.hpp"
#include "cli/doctor/causes.hpp"
#include "cli/doctor/examination_json.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/doctor_bundle.hpp"

namespace spark::cli {
namespace {

struct DoctorArguments {
  std::string bundle;  ///< path of the new file
  bool keep_names = false;
};

/// How a severity looks on the screen.
struct SeverityRow {
  const char* sign;
  Tone tone;
};

constexpr std::array kSeverityRows{
    SeverityRow{"✓", Tone::kGood},
    SeverityRow{"!", Tone::kChange},
    SeverityRow{"✗", Tone::kBad},
};

const SeverityRow& row_of_severity(Severity severity) {
  return kSeverityRows.at(static_cast<std::size_t>(severity));
}

constexpr std::string_view kBelowFinding = "      ";
constexpr std::size_t kNameColumns = 9;

std::string line_of(const Finding& finding, const Terminal& terminal) {
  const auto& row = row_of_severity(finding.severity);
  const auto head = fmt::format("  {} {}  ", terminal.paint(row.tone, row.sign),
                                padded(finding.name, kNameColumns));
  const auto remedy_head = fmt::format("{}→ ", kBelowFinding);
  const bool good = is_good(finding);
  const auto remedy = typed_in(printable(finding.remedy), terminal);
  if (!terminal.width()) {
    return fmt::format("{}{}\n{}", head, printable(finding.what),
                       good ? std::string() : fmt::format("{}{}\n", remedy_head, remedy));
  }
  const auto text = hanging(head, printable(finding.what), *terminal.width());
  return good ? text : text + hanging(remedy_head, remedy, *terminal.width());
}

/// "lock, journal, ledger": each row of which all findings are good. Empty: none.
std::string good_rows(const Findings& findings) {
  std::vector<std::string> names;
  for (const auto& finding : findings) {
    const bool is_known = std::ranges::find(names, finding.name) != names.end();
    if (finding.is_applicable && !is_known) names.push_back(finding.name);
  }
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.name == name && !is_good(finding);
    });
  });
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "program   ✓ lock, journal, ledger".
std::string line_of_good(const std::string& head, const std::string& names,
                         const Terminal& terminal) {
  const auto begin = fmt::format("{}{} ", head, terminal.paint(Tone::kGood, "✓"));
  return terminal.width() ? hanging(begin, names, *terminal.width())
                          : fmt::format("{}{}\n", begin, names);
}

std::string text_of(const Examination& examination, const Command& command) {
  const bool shows_all = command.arguments.verbosity > 0;
  const auto causes = causes_of(examination);
  std::map<const Finding*, std::size_t> followers;
  for (const auto& [finding, cause] : causes) ++followers[cause];
  std::string text;
  for (const auto& [section, findings] : examination.sections) {
    const auto name = command.terminal.paint(Tone::kStrong, name_of(section));
    const auto good = shows_all ? std::string() : good_rows(findings);
    if (!shows_all && std::ranges::all_of(findings, is_good)) {
      const auto head = padded(name, kNameColumns) + " ";
      if (!good.empty()) text += line_of_good(head, good, command.terminal);
      continue;
    }
    std::string lines;
    for (const auto& finding : findings) {
      if ((causes.contains(&finding) || is_good(finding)) && !shows_all) continue;
      lines += line_of(finding, command.terminal);
      const auto found = followers.find(&finding);
      if (found != followers.end() && !shows_all) {
        lines += fmt::format("{}{} more {} from this: -v shows {}\n", kBelowFinding, found->second,
                             found->second == 1 ? "follows" : "follow",
                             found->second == 1 ? "it" : "them");
      }
    }
    if (!good.empty()) lines += line_of_good("  ", good, command.terminal);
    if (!lines.empty()) text += fmt::format("{}\n{}", name, lines);
  }
  return text;
}

/// "2 to fix, 1 to look at".
std::string count_text(const Examination& examination) {
  const auto causes = causes_of(examination);
  std::map<Severity, std::size_t> counts;
  for (const auto& [section, findings] : examination.sections) {
    for (const auto& finding : findings) {
      if (!causes.contains(&finding)) ++counts[finding.severity];
    }
  }
  const auto fix = counts[Severity::kPrevents];
  const auto look = counts[Severity::kLook];
  if (fix + look == 0) return "nothing needs doing";
  return fmt::format("{}{}{}", fix == 0 ? "" : fmt::format("{} to fix", fix),
                     fix == 0 || look == 0 ? "" : ", ",
                     look == 0 ? "" : fmt::format("{} to look at", look));
}

ExitCode doctor(const Command& command) {
  const auto& own = own_options<DoctorArguments>(command);
  if (!own.bundle.empty()) {
    return write_bundle(command, own.bundle,
                        own.keep_names ? BundleNames::kKept : BundleNames::kReplaced);
  }
  const auto examination = examine(command);
  const bool good = std::ranges::all_of(examination.sections, [](const SectionFindings& section) {
    return std::ranges::all_of(section.findings, is_good);
  });
  const auto code = good ? ExitCode::kDone : ExitCode::kError;
  if (command.arguments.json) {
    print_json(command.terminal, "doctor", config::Cluster{}, "", code,
               {{"findings", findings_json(examination)}});
  } else {
    command.terminal.print_always(text_of(examination, command));
    command.terminal.print_always(count_text(examination) + "\n");
    print_next(command.terminal, command.arguments, good ? "Is it ready?" : "Then again",
               command_line_for(good ? "gate" : "doctor", command.arguments));
  }
  if (examination.has_hung) {
    // Its thread uses what the end of main() destroys.
    static_cast<void>(command.terminal.finish());
    std::_Exit(static_cast<int>(code));
  }
  return code;
}

constexpr auto kDoctorOptions = std::to_array<OptionRow>({
    {"--bundle", &Value::kFile, in<&DoctorArguments::bundle>(),
     "write what helps others to judge this machine into this new file; names, addresses "
     "and ids are replaced, and listed"},
    {"--keep-names", &Value::kNone, in<&DoctorArguments::keep_names>(),
     "with --bundle: replace nothing"},
    {"-y,--yes", &Value::kNone, in<&Arguments::yes>(),
     "with --bundle: ask nothing; a terminal asks before the bundle is written"},
});

constexpr auto kDoctorMeant = std::to_array<Meaning>({
    {"--fix,--repair,--heal,--apply",
     "it changes nothing, and prints each fix as a command; what the file asks for is set "
     "by `sudo spark-reconcile apply`"},
    {"fix,repair",
     "it changes nothing, and prints each fix as a command; what the file asks for is set "
     "by `sudo spark-reconcile apply`"},
});

std::string advise_doctor(const ExtraWord& extra) {
  return extra.argument.text == "-" ? "it reads the file more than once, and stdin only once" : "";
}

std::string contradiction_of_doctor(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<DoctorArguments>(arguments);
  if (arguments.file == "-") {
    return "doctor reads the file more than once, and stdin only once: `spark-reconcile doctor -f "
           "cluster.yaml`";
  }
  return own.bundle.empty() && (own.keep_names || arguments.yes)
             ? "--keep-names and --yes of doctor go with --bundle: `sudo spark-reconcile doctor "
               "--bundle FILE`"
             : "";
}

}  // namespace

extern const VerbSpec kDoctorVerb{
    .name = "doctor",
    .group = VerbGroup::kLook,
    .about = "check what prevents this node from being managed, and print the fix",
    .first_week = 5,
    .options = own_rows<DoctorArguments>(kDoctorOptions),
    .meant = kDoctorMeant,
    .advise = advise_doctor,
    .check = contradiction_of_doctor,
    .run = doctor};

}  // namespace spark::cli
