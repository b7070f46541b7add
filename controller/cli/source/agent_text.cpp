#include "cli/source/agent_text.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/agent.hpp"

namespace spark::cli {
namespace {

constexpr std::array<std::string_view, 4> kVerifyNames{"head", "range", "tag", "none"};
constexpr std::string_view kSectionHeader = "source:";
constexpr std::string_view kSectionIndent = "  ";

/// One key of the section with its value as YAML; a list has items instead.
struct SourceKey {
  std::string_view key;
  std::string value;
  std::vector<std::string> items;
  bool operator==(const SourceKey&) const = default;
};
using SourceKeys = std::vector<SourceKey>;

/// The forms of the language have no quote and no backslash.
std::string quoted(const std::string& text) { return fmt::format("\"{}\"", text); }

std::string seconds_text(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? fmt::format("{}s", time.count() / 1000)
                                  : fmt::format("{}ms", time.count());
}

/// What has its default is left out.
SourceKeys source_keys(const config::SourceSpec& source) {
  const config::SourceSpec fallback{};
  SourceKeys entries;
  const auto add = [&](std::string_view key, std::string value) {
    entries.push_back({.key = key, .value = std::move(value)});
  };
  add("url", source.url.value);
  if (source.branch != fallback.branch) add("branch", quoted(source.branch.value));
  if (source.path != fallback.path) add("path", quoted(source.path.value));
  add("verify", std::string(kVerifyNames.at(static_cast<std::size_t>(source.verify.value))));
  if (source.signers) add("signers", source.signers->value);
  if (source.revoked) add("revoked", source.revoked->value);
  if (source.tag != fallback.tag) add("tag", quoted(source.tag.value));
  if (source.from) add("from", quoted(source.from->value));
  if (!source.host_keys.empty()) {
    add("host_keys", "");
    for (const auto& key : source.host_keys) entries.back().items.push_back(quoted(key.value));
  }
  if (source.ca) add("ca", source.ca->value);
  if (source.proxy) add("proxy", quoted(source.proxy->value));
  if (source.every != fallback.every) add("every", seconds_text(source.every.value));
  if (source.settle != fallback.settle) add("settle", seconds_text(source.settle.value));
  return entries;
}

const SourceKey* source_key(const SourceKeys& entries, std::string_view key) {
  const auto found = std::ranges::find(entries, key, &SourceKey::key);
  return found == entries.end() ? nullptr : &*found;
}

bool is_said_alike(const SourceKey* a, const SourceKey* b) {
  return a != nullptr && b != nullptr ? *a == *b : a == b;
}

/// How the lines of a section are written.
struct SectionLayout {
  std::string_view indent = kSectionIndent;
  std::string_view end = "\n";
};

/// `comment`: stands behind the key's line.
std::string lines_for(const SourceKey& entry, const SectionLayout& layout,
                      std::string_view comment = {}) {
  auto text = fmt::format("{}{}:{}{}{}{}", layout.indent, entry.key, entry.value.empty() ? "" : " ",
                          entry.value, comment, layout.end);
  for (const auto& item : entry.items) {
    text += fmt::format("{}{}- {}{}", layout.indent, kSectionIndent, item, layout.end);
  }
  return text;
}

std::string section_for(const SourceKeys& entries, const SectionLayout& layout) {
  auto text = fmt::format("{}{}", kSectionHeader, layout.end);
  for (const auto& entry : entries) text += lines_for(entry, layout);
  return text;
}

std::string_view line_end(std::string_view line) {
  return line.ends_with("\r\n") ? "\r\n" : line.ends_with('\n') ? "\n" : "";
}

/// A line without its end and the blanks before that.
std::string_view content_in(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r\n") + 1);
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// Not a comment, and not empty.
bool has_content(std::string_view line) {
  const auto content = content_in(line);
  const auto indent = indent_of(content);
  return indent < content.size() && content[indent] != '#';
}

/// The comment behind a value, with the blanks before it; empty: there is none.
std::string_view comment_of(std::string_view line) {
  const auto content = content_in(line);
  char quote = '\0';
  for (std::size_t i = 1; i < content.size(); ++i) {
    const bool begins_word = content[i - 1] == ' ' || content[i - 1] == '\t';
    if (quote != '\0') {
      if (content[i] == quote) quote = '\0';
    } else if (begins_word && (content[i] == '"' || content[i] == '\'')) {
      quote = content[i];
    } else if (begins_word && content[i] == '#') {
      return content.substr(content.find_last_not_of(" \t", i - 1) + 1);
    }
  }
  return {};
}

/// The key that a line of the section has; empty: the line continues the value above it.
std::string_view key_in(std::string_view line, std::string_view indent) {
  const auto colon = line.find(':');
  if (indent_of(line) != indent.size() || line.substr(indent.size()).starts_with("- ") ||
      colon == std::string_view::npos) {
    return {};
  }
  auto key = content_in(line.substr(indent.size(), colon - indent.size()));
  if (key.size() > 1 && (key.front() == '"' || key.front() == '\'')) {
    key = key.substr(1, key.size() - 2);
  }
  return key;
}

/// All lines of a text, with their ends.
std::vector<std::string_view> whole_lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

/// The file, cut where its section begins and ends.
struct FileParts {
  std::string_view before;
  std::vector<std::string_view> section;  ///< empty: there is none
  std::string_view behind;
};

/// Errors: kInvalid where the file is not written as one key a line.
Result<FileParts> file_parts(std::string_view text) {
  const auto lines = whole_lines_of(text);
  for (const auto line : lines) {
    const auto content = content_in(line);
    if (content.starts_with('{') || content == "---" || content == "...") {
      return fail(ErrorCode::kInvalid,
                  "agent.yaml is not written as one key a line: write the section 'source' into it "
                  "by hand (docs/reference/agent-yaml.md)");
    }
  }
  const auto first = std::ranges::find_if(
      lines, [](std::string_view line) { return line.starts_with(kSectionHeader); });
  if (first == lines.end()) return FileParts{.before = text};
  auto end = first + 1;
  for (auto line = end; line != lines.end(); ++line) {
    if (!has_content(*line)) continue;
    if (indent_of(*line) == 0) break;
    end = line + 1;
  }
  const auto offset = [&](auto line) {
    return line == lines.end() ? text.size() : static_cast<std::size_t>(line->data() - text.data());
  };
  return FileParts{.before = text.substr(0, offset(first)),
                   .section = {first, end},
                   .behind = text.substr(offset(end))};
}

/// The section with the lines of those keys changed that said something else before.
std::string edited_section(std::span<const std::string_view> section, const SourceKeys& former,
                           const SourceKeys& wanted) {
  const auto keys = section.subspan(1);
  const auto first_key = std::ranges::find_if(keys, has_content);
  SectionLayout layout{.end = line_end(section.front())};
  if (layout.end.empty()) layout.end = "\n";
  if (first_key != keys.end()) layout.indent = first_key->substr(0, indent_of(*first_key));

  std::string text;
  const auto keep = [&](std::string_view line) {
    text += line;
    if (line_end(line).empty()) text += layout.end;
  };
  keep(section.front());
  std::set<std::string_view> seen;
  bool stays = true;
  for (const auto line : keys) {
    if (!has_content(line)) {
      keep(line);
      continue;
    }
    if (const auto key = key_in(line, layout.indent); !key.empty()) {
      const auto* entry = source_key(wanted, key);
      stays = is_said_alike(source_key(former, key), entry);
      seen.insert(key);
      if (!stays && entry != nullptr) text += lines_for(*entry, layout, comment_of(line));
    }
    if (stays) keep(line);
  }
  for (const auto& entry : wanted) {
    const bool is_new = !is_said_alike(source_key(former, entry.key), &entry);
    if (is_new && !seen.contains(entry.key)) text += lines_for(entry, layout);
  }
  // Of a file whose last line has no end.
  if (line_end(section.back()).empty()) text.resize(text.size() - layout.end.size());
  return text;
}

}  // namespace

std::string section_text(const config::SourceSpec& source) {
  return section_for(source_keys(source), {});
}

std::vector<std::string> keys_left(const config::SourceSpec& former,
                                   const config::SourceSpec& source) {
  const auto now = source_keys(source);
  std::vector<std::string> left;
  for (const auto& entry : source_keys(former)) {
    if (source_key(now, entry.key) == nullptr) left.emplace_back(entry.key);
  }
  return left;
}

Result<std::string> with_source(std::string_view text, const config::SourceSpec& source) {
  const auto parts = file_parts(text);
  if (!parts) return std::unexpected(parts.error());
  const auto wanted = source_keys(source);
  if (parts->section.empty()) {
    const bool has_end = text.empty() || text.ends_with('\n');
    const SectionLayout layout{.end = text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n"};
    return fmt::format("{}{}{}", text, has_end ? "" : layout.end, section_for(wanted, layout));
  }
  const auto header = content_in(parts->section.front());
  if (header.size() != kSectionHeader.size() + comment_of(header).size()) {
    return fail(ErrorCode::kInvalid,
                "the section 'source' of agent.yaml is not written as one key a line: write it so "
                "by hand (docs/reference/agent-yaml.md)");
  }
  const auto source_before = config::parse_agent(text).agent.source;
  const auto former = source_before ? source_keys(*source_before) : SourceKeys{};
  return fmt::format("{}{}{}", parts->before, edited_section(parts->section, former, wanted),
                     parts->behind);
}

Result<std::string> without_source(std::string_view text) {
  const auto parts = file_parts(text);
  if (!parts) return std::unexpected(parts.error());
  return fmt::format("{}{}", parts->before, parts->behind);
}

}  // namespace spark::cli
