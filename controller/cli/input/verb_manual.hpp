#pragma once
// manual_of: what the help and the manual page of a verb say beside its line and its options.
//
// cli/manuals/VERB.txt is the text: paragraphs, code in backticks; then EXIT STATUS, EXAMPLES,
// FILES and SEE ALSO, where what is said of a line stands below it, behind four blanks.

#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {

/// An exit code that the verb can have.
struct VerbExit {
  ExitCode code{};
  std::string meaning;  ///< empty: that of all verbs
};

struct Example {
  std::string about;     ///< a sentence
  std::string commands;  ///< a line each
};

struct UsedFile {
  std::string path;
  std::string about;
};

struct VerbManual {
  std::string
      text;  ///< what the verb does, what it changes, and what it never does; a line a paragraph
  std::vector<VerbExit> exits;  ///< in the order of the codes; all verbs have kUsage beside these
  std::vector<Example> examples;
  std::vector<UsedFile> files;        ///< beside the cluster file
  std::vector<std::string> see_also;  ///< "apply" for a verb, else "cluster.yaml(5)"
};

/// The text of cli/manuals/VERB.txt.
std::string_view manual_text(std::string_view verb);

VerbManual manual_of(const VerbSpec& verb);

/// The cluster file, which nearly every verb reads.
UsedFile cluster_file_used();

}  // namespace spark::cli
