#include "cli/source/agent_text.hpp"

#include <array>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::cli {
namespace {

constexpr std::array<std::string_view, 4> kVerifyNames{"head", "range", "tag", "none"};

/// The forms of the language have no quote and no backslash.
std::string quoted(const std::string& text) { return fmt::format("\"{}\"", text); }

std::string seconds_text(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? fmt::format("{}s", time.count() / 1000)
                                  : fmt::format("{}ms", time.count());
}

bool begins_section(std::string_view line) { return line.starts_with("source:"); }

/// A line that belongs to the key above it: indented, a comment, or empty.
bool goes_on(std::string_view line) {
  return line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == '#';
}

}  // namespace

std::string section_text(const config::SourceSpec& source) {
  const config::SourceSpec fallback{};
  std::string text = "source:\n";
  const auto add = [&](std::string_view key, std::string_view value) {
    text += fmt::format("  {}: {}\n", key, value);
  };
  add("url", source.url.value);
  if (source.branch != fallback.branch) add("branch", quoted(source.branch.value));
  if (source.path != fallback.path) add("path", quoted(source.path.value));
  add("verify", kVerifyNames.at(static_cast<std::size_t>(source.verify.value)));
  if (source.signers) add("signers", source.signers->value);
  if (source.revoked) add("revoked", source.revoked->value);
  if (source.tag != fallback.tag) add("tag", quoted(source.tag.value));
  if (source.from) add("from", quoted(source.from->value));
  if (!source.host_keys.empty()) {
    text += "  host_keys:\n";
    for (const auto& key : source.host_keys) text += fmt::format("    - {}\n", quoted(key.value));
  }
  if (source.ca) add("ca", source.ca->value);
  if (source.proxy) add("proxy", quoted(source.proxy->value));
  if (source.every != fallback.every) add("every", seconds_text(source.every.value));
  if (source.settle != fallback.settle) add("settle", seconds_text(source.settle.value));
  return text;
}

Result<std::string> with_section(std::string_view text, std::string_view section) {
  std::string result;
  bool is_in_section = false;
  bool was_placed = false;
  for (const auto line : lines_of(text)) {
    if (line.starts_with('{') || line == "---" || line == "...") {
      return fail(ErrorCode::kInvalid,
                  "agent.yaml is not written as one key a line: write the section 'source' into it "
                  "by hand (docs/reference/agent-yaml.md)");
    }
    if (begins_section(line)) {
      is_in_section = true;
      was_placed = true;
      result += section;
      continue;
    }
    is_in_section = is_in_section && goes_on(line);
    if (!is_in_section) result += fmt::format("{}\n", line);
  }
  if (!was_placed) result += section;
  return result;
}

}  // namespace spark::cli
