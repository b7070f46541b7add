#include "cli/input/verb_manual.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

/// A line a paragraph.
std::string description_in(std::string_view manual) {
  std::string text;
  for (const auto line : lines_of(manual.substr(0, manual.find("\n\nEXIT STATUS\n")))) {
    if (line.empty()) {
      text += "\n\n";
      continue;
    }
    if (!text.empty() && !text.ends_with('\n')) text += ' ';
    text += line;
  }
  return text;
}

/// Its lines; none: the manual has no such section.
std::vector<std::string_view> section(std::string_view manual, std::string_view heading) {
  const auto line = fmt::format("\n\n{}\n", heading);
  const auto at = manual.find(line);
  if (at == std::string_view::npos) return {};
  manual.remove_prefix(at + line.size());
  return lines_of(manual.substr(0, manual.find("\n\n")));
}

/// A line, and those that stand below it, each ended by `separator`.
std::vector<std::pair<std::string, std::string>> items(const std::vector<std::string_view>& lines,
                                                       char separator) {
  constexpr std::string_view kBelow = "    ";
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto line : lines) {
    if (!line.starts_with(kBelow)) {
      found.emplace_back(line, "");
    } else {
      auto& below = found.back().second;
      if (!below.empty()) below += separator;
      below += line.substr(kBelow.size());
    }
  }
  return found;
}

}  // namespace

VerbManual manual_of(const VerbSpec& verb) {
  const auto text = manual_text(verb.name);
  VerbManual manual{.text = description_in(text)};
  for (auto& [word, meaning] : items(section(text, "EXIT STATUS"), ' ')) {
    int code = 0;
    std::from_chars(word.data(), word.data() + word.size(), code);
    manual.exits.push_back({static_cast<ExitCode>(code), std::move(meaning)});
  }
  for (auto& [about, commands] : items(section(text, "EXAMPLES"), '\n')) {
    manual.examples.push_back({std::move(about), std::move(commands)});
  }
  for (auto& [path, about] : items(section(text, "FILES"), ' ')) {
    manual.files.push_back({std::move(path), std::move(about)});
  }
  for (const auto line : section(text, "SEE ALSO")) {
    for (const auto name : split(line, ',')) manual.see_also.push_back(fold_blanks(name));
  }
  return manual;
}

UsedFile cluster_file_used() { return {protocol::kDefaultFile, "the cluster file"}; }

}  // namespace spark::cli
