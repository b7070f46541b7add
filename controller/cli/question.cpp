#include "cli/question.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "base/text.hpp"

namespace spark::cli {

bool can_be_asked(const Arguments& arguments) {
  const bool asks = !arguments.yes && !arguments.json && arguments.plan_file.empty();
  return asks && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
         tcgetpgrp(STDIN_FILENO) == getpgrp();
}

std::optional<bool> ask_on_terminal(const std::string& prompt) {
  static_cast<void>(std::fputs(prompt.c_str(), stdout));
  static_cast<void>(std::fflush(stdout));
  std::array<char, 256> line{};
  if (std::fgets(line.data(), static_cast<int>(line.size()), stdin) == nullptr) return std::nullopt;
  const auto word = ascii_lower(fold_blanks(line_of(line.data(), 1)));
  return word == "y" || word == "yes";
}

bool runs_again(const Command& command) {
  return command.question != nullptr && !command.question->agreed.empty();
}

bool needs_answer(const Command& command, const plan::Plan& plan) {
  if (command.question == nullptr || plan.steps.empty()) return false;
  if (runs_again(command)) return command.question->agreed != plan::fingerprint(plan);
  return std::ranges::any_of(plan.steps, [](const plan::Step& step) {
    return step.effect.disturbs != kinds::Effect::Disturbs::kNothing;
  });
}

ExitCode ask_before(const Command& command, ExitCode (*verb)(const Command&), const Ask& ask) {
  Question question;
  auto asking = command;
  asking.question = &question;
  for (;;) {
    const auto code = verb(asking);
    if (question.asked.empty()) return code;
    const auto yes = ask(question.ends_jobs
                             ? "A job that runs now uses what this disturbs. Carry this out? [y/N] "
                             : "Carry this out? [y/N] ");
    if (!yes.value_or(false)) {
      command.terminal.complain(
          yes ? "not carried out; nothing was changed\n"
              : "\nno answer; nothing was changed. Without a question: --yes\n");
      return ExitCode::kRefused;
    }
    question.agreed = std::exchange(question.asked, {});
  }
}

}  // namespace spark::cli
