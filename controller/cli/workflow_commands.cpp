#include "cli/workflow_commands.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::cli {
namespace {

std::string_view name_of_level(Annotation::Level level) {
  switch (level) {
    case Annotation::Level::kNotice:
      return "notice";
    case Annotation::Level::kWarning:
      return "warning";
    case Annotation::Level::kError:
      return "error";
  }
  return "notice";
}

/// As the runner reads them back (ActionCommand.cs in actions/runner): in a property, ':' and ','
/// end it.
std::string escaped(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : text) {
    const bool ends_property = is_property && (c == ':' || c == ',');
    if (c == '%' || c == '\r' || c == '\n' || ends_property) {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void add_property(std::string& list, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  list += fmt::format("{}{}={}", list.empty() ? " " : ",", name, escaped(value, true));
}

std::string number_or_none(int number) { return number == 0 ? "" : std::to_string(number); }

/// What came by stdin has no file that an annotation could stand at.
std::string file_of(const ClusterFile& file) {
  return file.name.starts_with('<') ? std::string() : file.name;
}

std::string message_of(const config::Diagnostic& diagnostic) {
  auto text = printable(diagnostic.message);
  for (const auto line : lines_of(diagnostic.reason)) text += "\n" + printable(line);
  for (const auto& related : diagnostic.related) {
    text += fmt::format("\nline {}: {}", related.where.line, printable(related.message));
  }
  return text;
}

}  // namespace

std::string workflow_command(const Annotation& annotation) {
  std::string properties;
  add_property(properties, "file", annotation.file);
  if (!annotation.file.empty()) {
    add_property(properties, "line", number_or_none(annotation.where.line));
    add_property(properties, "col", number_or_none(annotation.where.column));
  }
  add_property(properties, "title", annotation.title);
  return fmt::format("::{}{}::{}\n", name_of_level(annotation.level), properties,
                     escaped(annotation.message, false));
}

std::string commands_of_findings(const ClusterFile& file, bool only_errors) {
  std::string commands;
  for (const auto& diagnostic : file.parsed.diagnostics) {
    const bool is_error = diagnostic.severity == config::Severity::kError;
    if (!is_error && only_errors) continue;
    commands += workflow_command(
        {.level = is_error ? Annotation::Level::kError : Annotation::Level::kWarning,
         .file = file_of(file),
         .where = diagnostic.where,
         .title = diagnostic.id,
         .message = message_of(diagnostic)});
  }
  return commands;
}

std::string commands_of_refusals(const plan::Plan& plan, const ClusterFile& file) {
  std::string commands;
  for (const auto& refusal : plan.refusals) {
    commands += workflow_command({.level = Annotation::Level::kError,
                                  .file = file_of(file),
                                  .where = refusal.where,
                                  .title = fmt::format("{} {}", plan.node, refusal.id),
                                  .message = printable(refusal.what)});
  }
  return commands;
}

}  // namespace spark::cli
