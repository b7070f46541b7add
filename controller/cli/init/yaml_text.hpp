#pragma once
// YamlText: the text of a YAML file, line by line, with comments.

#include <string>
#include <string_view>
#include <vector>

namespace spark::cli {

/// What comes from the machine goes through `printable`, so that a comment stays a comment.
class YamlText {
 public:
  /// The line of `text`, with `comment` behind it.
  void line(std::string text, std::string_view comment = {});
  /// Lines of comment, wrapped.
  void comment(std::string_view text);
  /// A command to copy, as a comment that is not wrapped.
  void command(std::string_view text);
  void blank();
  /// What follows is one level deeper, until `outdent`.
  void indent() { ++depth_; }
  void outdent() { --depth_; }

  /// The number of the line that comes next, from 1.
  [[nodiscard]] int next_line() const { return static_cast<int>(lines_.size()) + 1; }
  /// The comments of neighbouring lines stand in one column.
  [[nodiscard]] std::string text() const;

 private:
  struct Line {
    std::string text;
    std::string comment;  ///< behind `text`; empty: none
  };

  std::vector<Line> lines_;
  int depth_ = 0;
};

/// A name as a scalar or key: in quotes where a reader could take it for something else.
std::string yaml_word(const std::string& name);

/// "[a, b]".
std::string yaml_list(const std::vector<std::string>& words);

}  // namespace spark::cli
