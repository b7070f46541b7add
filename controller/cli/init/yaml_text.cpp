#include "cli/init/yaml_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "config/yaml/read_scalar.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidth = 80;
constexpr std::string_view kCommentGap = "   ";  // before a comment behind a line

std::string blanks(int depth) {
  return std::string(kIndent * static_cast<std::size_t>(std::max(depth, 0)), ' ');
}

/// Behind which column the comments of the run of lines that begins at `from` stand.
template <class Lines>
std::size_t comment_column(const Lines& lines, std::size_t from, std::size_t& end) {
  std::size_t widest = 0;
  for (end = from; end < lines.size() && !lines[end].comment.empty(); ++end) {
    widest = std::max(widest, columns(lines[end].text));
  }
  return widest;
}

}  // namespace

void YamlText::line(std::string text, std::string_view comment) {
  auto whole = blanks(depth_) + std::move(text);
  auto words = printable(comment);
  // What does not fit behind the line stands above it.
  constexpr std::size_t kMark = 2;
  if (!words.empty() && columns(whole) + kCommentGap.size() + kMark + columns(words) > kWidth) {
    this->comment(words);
    words.clear();
  }
  lines_.push_back({std::move(whole), std::move(words)});
}

void YamlText::comment(std::string_view text) {
  const auto start = blanks(depth_) + "#";
  std::string line = start;
  const auto words = printable(text);
  for (std::size_t at = 0; at < words.size();) {
    const auto end = std::min(words.find(' ', at), words.size());
    const auto word = words.substr(at, end - at);
    if (line.size() > start.size() && columns(line) + 1 + columns(word) > kWidth) {
      lines_.push_back({std::exchange(line, start), {}});
    }
    line += " " + word;
    at = end + 1;
  }
  lines_.push_back({std::move(line), {}});
}

void YamlText::command(std::string_view text) {
  lines_.push_back({fmt::format("{}#   {}", blanks(depth_), printable(text)), {}});
}

void YamlText::blank() { lines_.push_back({}); }

std::string YamlText::text() const {
  std::string all;
  std::size_t end = 0;
  std::size_t column = 0;
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    const auto& [text, comment] = lines_[at];
    if (comment.empty()) {
      all += text + "\n";
      continue;
    }
    if (at >= end) column = comment_column(lines_, at, end);
    all += fmt::format("{}{}# {}\n", padded(text, column), kCommentGap, comment);
  }
  return all;
}

std::string yaml_word(const std::string& name) {
  return config::looks_typed(name) ? fmt::format("\"{}\"", name) : name;
}

std::string yaml_list(const std::vector<std::string>& words) {
  return fmt::format("[{}]", fmt::join(words, ", "));
}

}  // namespace spark::cli
