#pragma once
// Arguments: what the command line asks for.

#include <any>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spark::cli {

/// How `validate` and `plan` report.
enum class ReportFormat : std::uint8_t {
  kText,
  kJson,    ///< as --json
  kGithub,  ///< workflow commands (cli/workflow_commands.hpp)
};

enum class Color : std::uint8_t { kAuto, kAlways, kNever };

struct VerbSpec;

/// What every verb has, and what several verbs share with the code below them.
struct Arguments {
  const VerbSpec* verb = nullptr;  ///< none: nobody typed one
  std::any own;                    ///< what the verb alone has (own_options)
  std::vector<std::string> typed;  ///< all words behind the program's name; empty: nobody typed it
  Color color = Color::kAuto;
  ReportFormat report_format = ReportFormat::kText;  ///< validate --format, plan --format
  bool json = false;
  bool quiet = false;
  bool release = false;    ///< plan --release, and the verb `release`
  bool yes = false;        ///< --yes: no question
  int verbosity = 0;       ///< how often -v was given
  std::string file;        ///< -f: path of the cluster file, "-" for stdin; empty: the default
  std::string node;        ///< -n: name in the file; empty: the node that this machine is
  std::string root = "/";  ///< --root: where /etc, /var and /run are
  std::string facts;       ///< --facts: of which machine; empty: of this one
  std::string plan_file;   ///< apply FILE
  std::string change_id;   ///< --change-id of the verbs that change this node; empty: none
  bool all = false;        ///< --all: on all nodes together
  std::string except;      ///< --except: names of nodes that take no part, with commas
  std::chrono::milliseconds within{0};  ///< --within; 0: protocol::kUsualWithin
};

/// What the verb alone has; its defaults where nobody typed the verb.
template <class Own>
const Own& own_options(const Arguments& arguments) {
  static const Own kDefaults{};
  const auto* own = std::any_cast<Own>(&arguments.own);
  return own == nullptr ? kDefaults : *own;
}

/// The text as a POSIX shell takes it for one word.
std::string shell_word(const std::string& text);

/// The command line that runs `verb` on the same node of the same file (or the same saved plan),
/// for a text that names it as the next step; to be pasted into a shell.
std::string command_line_for(std::string_view verb, const Arguments& arguments);

}  // namespace spark::cli
