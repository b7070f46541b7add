#pragma once
// ask_before: a question to the user before a plan that disturbs what runs is carried out.

#include <functional>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

/// Yes or no; empty: the input has ended, or a signal came that the verb holds.
using Ask = std::function<std::optional<bool>(const std::string& prompt)>;

/// What the user has agreed to, and what is still to be asked.
struct Question {
  Ask ask;                 ///< for a verb whose question is another
  std::string agreed;      ///< the fingerprint of the plan that the user saw and said yes to
  bool ends_jobs = false;  ///< a process uses a rail that the plan disturbs
  std::string asked;       ///< that of the plan that was shown and not carried out; empty: none was
};

/// Somebody can answer: stdin and stdout are terminals, and this process is in the foreground. Not
/// where the answer is given already (--yes, a saved plan) or comes later (--confirm), and not with
/// --json.
bool can_be_asked(const Arguments& arguments);

/// Reads a line from stdin: y or yes, in any case, is yes.
std::optional<bool> ask_on_terminal(const std::string& prompt);

/// The plan disturbs what runs, or is another than the one that the user has agreed to: it has to
/// be shown, and `command.question->asked` set, instead of carrying it out. Never where nobody is
/// asked.
bool needs_answer(const Command& command, const plan::Plan& plan);

/// The user has said yes, so the verb runs again: what it told the user stands on the screen.
bool runs_again(const Command& command);

/// Runs the verb. Where it stops for an answer, asks, and runs it again: nothing is locked
/// meanwhile, and it plans again. A plan that has changed is shown and asked about again. Without a
/// yes nothing is changed, and the exit code is kRefused.
ExitCode ask_before(const Command& command, ExitCode (*verb)(const Command&), const Ask& ask);

}  // namespace spark::cli
