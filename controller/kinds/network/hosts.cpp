#include "kinds/network/hosts.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace spark::kinds {
namespace {

constexpr const char* kHostsFile = "/etc/hosts";
constexpr std::string_view kBegin =
    "# begin spark-reconcile: from cluster.yaml, edits here are overwritten";
// The begin line itself says how the file was before the block, so that removing the block needs no
// other record.
constexpr std::string_view kWasEmpty = "; the file was empty";
constexpr std::string_view kWasUnended = "; the line above had no end";
constexpr std::string_view kEnd = "# end spark-reconcile\n";
constexpr std::string_view kBeginMark = "# begin spark-reconcile";
constexpr std::string_view kEndMark = "# end spark-reconcile";

/// Where the block stands in the text, marker lines included.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string lines;
};

/// A marker, and not a line of someone else's that only begins like one.
bool is_marker(std::string_view line, std::string_view mark) {
  constexpr std::string_view kAfterMark = ": \t\r\n";
  return line.starts_with(mark) &&
         (line.size() == mark.size() || kAfterMark.contains(line[mark.size()]));
}

std::size_t after_line(std::string_view text, std::size_t at) {
  const auto newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

/// Where the lines that are this marker begin.
std::vector<std::size_t> find_markers(std::string_view text, std::string_view mark) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < text.size(); at = after_line(text, at)) {
    if (is_marker(text.substr(at), mark)) found.push_back(at);
  }
  return found;
}

/// Errors: kInvalid when the markers are not one pair: what is ours cannot be told.
Result<std::optional<Block>> find_block(const std::string& text) {
  const auto begins = find_markers(text, kBeginMark);
  const auto ends = find_markers(text, kEndMark);
  if (begins.empty() && ends.empty()) return std::nullopt;
  if (begins.size() != 1 || ends.size() != 1 || ends.front() < begins.front()) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: the lines '{}' and '{}' do not enclose one block: remove what is "
                            "left of it by hand",
                            kHostsFile, kBeginMark, kEndMark));
  }
  const auto first = after_line(text, begins.front());
  return Block{begins.front(), after_line(text, ends.front()),
               text.substr(first, ends.front() - first)};
}

std::string_view begin_line(std::string_view block) { return block.substr(0, block.find('\n')); }

/// The block with those lines, for a file that says `text` without it; empty: there is no file.
std::string new_block(const std::optional<std::string>& text, const std::string& lines) {
  std::string_view was;
  if (text && text->empty()) {
    was = kWasEmpty;
  } else if (text && !text->ends_with('\n')) {
    was = kWasUnended;
  }
  return fmt::format("{}{}\n{}{}", kBegin, was, lines, kEnd);
}

/// The same block with other lines.
std::string with_lines(std::string_view block, const std::string& lines) {
  return fmt::format("{}\n{}{}", begin_line(block), lines, kEnd);
}

/// Where the line begins that has so many before it; where there are fewer, the end.
std::size_t start_of_line(std::string_view text, std::uint64_t line) {
  std::size_t at = 0;
  for (std::uint64_t passed = 0; passed < line && at < text.size(); ++passed) {
    at = after_line(text, at);
  }
  return at;
}

std::string with_block_at(std::string text, std::size_t at, const std::string& block) {
  if (at > 0 && text[at - 1] != '\n') text.insert(at++, 1, '\n');
  return text.insert(at, block);
}

/// Empty: the file goes too, since the block alone made it.
std::optional<std::string> without_block(std::string text, const Block& block) {
  const auto begin = std::string(begin_line(std::string_view(text).substr(block.begin)));
  text.erase(block.begin, block.end - block.begin);
  if (begin.ends_with(kWasUnended) && block.begin == text.size() && text.ends_with('\n')) {
    text.pop_back();
  }
  return text.empty() && !begin.ends_with(kWasEmpty) ? std::nullopt : std::optional(text);
}

/// What the file says after the change.
std::optional<std::string> changed_text(const std::optional<std::string>& text,
                                        const std::optional<Block>& old,
                                        const std::optional<Stated<Hosts>>& value) {
  if (!value) return old ? without_block(*text, *old) : text;
  if (old) {
    const auto found = text->substr(old->begin, old->end - old->begin);
    return std::string(*text).replace(
        old->begin, found.size(), value->details.block.value_or(with_lines(found, value->lines)));
  }
  const auto standing = text.value_or("");
  const auto at =
      value->details.line ? start_of_line(standing, *value->details.line) : standing.size();
  return with_block_at(standing, at, value->details.block.value_or(new_block(text, value->lines)));
}

/// A name of a line of hosts(5).
struct HostName {
  IpAddress ip;
  std::string name;  ///< in lower case
  int line = 0;      ///< from 1
};

std::vector<HostName> names_in(std::string_view text) {
  std::vector<HostName> names;
  int number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    std::istringstream words{std::string(line.substr(0, line.find('#')))};
    std::string word;
    words >> word;
    const auto ip = IpAddress::parse(word);
    while (ip && words >> word) names.push_back({*ip, ascii_lower(word), number});
  }
  return names;
}

/// A lookup gives the first line that has a name first, of each family (nss_files). `before`: what
/// stands before the lines that are wanted.
std::optional<Skipped> overruled(std::string_view before, std::string_view lines) {
  const auto others = names_in(before);
  std::vector<std::string> whats;
  for (const auto& ours : names_in(lines)) {
    const auto first = std::ranges::find_if(others, [&](const HostName& other) {
      return other.name == ours.name && other.ip.family() == ours.ip.family();
    });
    if (first == others.end() || first->ip == ours.ip) continue;
    whats.push_back(
        fmt::format("line {} gives {} as {}", first->line, ours.name, first->ip.text()));
  }
  if (whats.empty()) return std::nullopt;
  return Skipped{
      Skipped::Why::kNotEnforced, "SR-HOSTS-002",
      fmt::format("{} has other addresses before ours, and a lookup gives those first: {}. "
                  "Take the names out of these lines",
                  kHostsFile, fmt::join(whats, ", "))};
}

}  // namespace

Desired<Hosts> Hosts::desired(const config::Node& node) {
  Desired<Hosts> desired;
  if (!node.hosts || node.hosts->value.empty()) return desired;
  std::string lines;
  for (const auto& [ip, name] : node.hosts->value) lines += fmt::format("{} {}\n", ip.text(), name);
  desired.want({kHostsFile}, {{.lines = std::move(lines)}}, {node.hosts->where});
  return desired;
}

Result<Observed<Hosts>> Hosts::observe(host::View& view, const Desired<Hosts>& wanted,
                                       const Context& /*context*/) {
  const auto& text = view.file(kHostsFile);
  if (!text) return std::unexpected(text.error());
  const auto block = find_block(text->value_or(""));
  Observed<Hosts> observed;
  if (!block) {
    if (!wanted.state.empty()) {
      observed.skipped.emplace(
          Key{kHostsFile}, Skipped{Skipped::Why::kNotEnforced, "SR-HOSTS-001", block.error().what});
    }
    return observed;
  }
  if (*block) {
    const auto& whole = **text;
    const auto newlines = std::ranges::count(whole.substr(0, (*block)->begin), '\n');
    observed.state.emplace(
        Key{kHostsFile},
        Stated<Hosts>{{.lines = (*block)->lines},
                      {.line = static_cast<std::uint64_t>(newlines),
                       .block = whole.substr((*block)->begin, (*block)->end - (*block)->begin)}});
  }
  const auto wanted_block = wanted.state.find(Key{kHostsFile});
  if (wanted_block != wanted.state.end()) {
    const auto before = text->value_or("").substr(0, *block ? (*block)->begin : std::string::npos);
    if (auto why = overruled(before, wanted_block->second.lines)) {
      observed.shortfalls.emplace(Key{kHostsFile}, *std::move(why));
    }
  }
  if (observed.state == wanted.state) return observed;
  if (auto why = irreplaceable(view, kHostsFile)) {
    if (*block && wanted.state.empty()) {
      observed.state.clear();
      observed.left_unchanged.push_back({fmt::format("our block in {}", kHostsFile), why->reason});
    } else {
      observed.skipped.emplace(Key{kHostsFile}, std::move(*why));
    }
  }
  return observed;
}

std::vector<Change<Hosts>> Hosts::diff(const State<Hosts>& desired, const State<Hosts>& actual) {
  return difference<Hosts>(desired, actual);
}

Result<> Hosts::apply(const Change<Hosts>& change, host::Host& host) {
  const auto text = host.files.read(change.key.path);
  if (!text) return std::unexpected(text.error());
  const auto block = find_block(text->value_or(""));
  if (!block) return std::unexpected(block.error());
  const auto changed = changed_text(*text, *block, change.after);
  return changed ? host.files.write_durably(change.key.path, *changed, 0644)
                 : host.files.remove(change.key.path);
}

std::string Hosts::label(const Value& value) {
  std::string text;
  for (const char c : value.lines.substr(0, value.lines.find_last_not_of('\n') + 1)) {
    text += c == '\n' ? std::string(", ") : std::string(1, c);
  }
  return text;
}

}  // namespace spark::kinds
