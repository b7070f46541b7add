#pragma once
// The help of a first week; and what stands below the options in the help of all and of a verb.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {

// The exit codes in words, for the help, the manual pages and docs/reference/verbs.md.

struct ExitCodeRow {
  ExitCode code{};
  std::string_view brief;    ///< for the end of the help
  std::string_view meaning;  ///< in full
};

/// All exit codes, in the order of their numbers.
std::span<const ExitCodeRow> exit_codes();

/// What the code means where its verb says nothing closer.
std::string_view meaning_of(ExitCode code);

// manual_of: what the help and the manual page of a verb say beside its line and its options.
//
// cli/manuals/VERB.txt is the text: paragraphs, code in backticks; then EXIT STATUS, EXAMPLES,
// FILES and SEE ALSO, where what is said of a line stands below it, behind four blanks.

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

inline constexpr std::size_t kHelpColumns = 80;
/// Where the library begins what it says of an option or a verb.
inline constexpr std::size_t kAboutColumn = 30;

/// "  -f,--file FILE              the cluster file": lines of kHelpColumns, those below the first
/// under its text. A `head` that is too long stands alone.
std::string beside(std::string_view head, std::string_view about);

/// `about`, the verbs that a first week needs, the first steps, and where the others are.
std::string help_of_first_week(std::string_view about);

/// The exit codes, and where the manual is.
std::string footer_of_program();

/// The options of all verbs, what the verb does, its exit codes, an example, and where its manual
/// page is.
std::string footer_of(const VerbSpec& verb);

/// The text in lines of at most `columns`; each line of each paragraph begins with `indent`. Lines
/// that begin with four blanks stay as they are.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "");

}  // namespace spark::cli
