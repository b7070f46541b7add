#pragma once
// Diagnostic: one thing wrong (or doubtful) in the file, with its place, its reason and a way out.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml/place.hpp"

namespace spark::config {

enum class Severity : unsigned char { kWarning, kError };

/// A second place that belongs to the same finding: "first defined here".
struct Related {
  Where where;
  std::string message;
  bool operator==(const Related&) const = default;
};

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string id;  ///< SR-SPEC-NNN, stable
  Where where;
  std::string path;     ///< in the document, as in "fabric.cables[0].mtu"
  std::string message;  ///< one clause: "unknown key 'mtuu', did you mean 'mtu'?"
  std::string reason;   ///< why it is refused and what to write instead; may be empty
  std::vector<Related> related;
  bool operator==(const Diagnostic&) const = default;
};

/// The text of one finding: "file:line:col: error: message [id]", the source line with a caret
/// under the column, the reason, and the same for each related place. `source` is the file's text.
/// `line_of_words`: of the head and the words of each line that is not of the file, where a screen
/// breaks them; with its line feed.
std::string render(
    const Diagnostic& diagnostic, std::string_view file, std::string_view source,
    const std::function<std::string(std::string_view, std::string_view)>& line_of_words = {});

/// True when one of them is an error.
bool has_errors(const std::vector<Diagnostic>& diagnostics);

}  // namespace spark::config
