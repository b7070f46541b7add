#pragma once
// VerbManual: what the help and the manual page of a verb say beside its line and its options.
//
// The texts are paragraphs with an empty line between them. Code stands in backticks; lines that
// begin with four blanks are shown as they are.

#include <string_view>
#include <vector>

#include "base/exit_code.hpp"

namespace spark::cli {

/// An exit code that the verb can have.
struct VerbExit {
  ExitCode code{};
  std::string_view meaning;  ///< empty: that of all verbs
};

struct Example {
  std::string_view about;     ///< a sentence
  std::string_view commands;  ///< a line each
};

struct UsedFile {
  std::string_view path;
  std::string_view about;
};

struct VerbManual {
  std::string_view text;        ///< what the verb does, what it changes, and what it never does
  std::vector<VerbExit> exits;  ///< in the order of the codes; all verbs have kUsage beside these
  std::vector<Example> examples;
  std::vector<UsedFile> files;             ///< beside the cluster file
  std::vector<std::string_view> see_also;  ///< "apply" for a verb, else "cluster.yaml(5)"
};

}  // namespace spark::cli
