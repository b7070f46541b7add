#include "cli/question.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <utility>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace spark::cli {

bool can_be_asked(const Arguments& arguments) {
  const bool asks = !arguments.yes && !arguments.json && arguments.plan_file.empty();
  return asks && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
         tcgetpgrp(STDIN_FILENO) == getpgrp();
}

std::optional<bool> ask_on_terminal(const std::string& prompt) {
  static_cast<void>(std::fputs(prompt.c_str(), stdout));
  static_cast<void>(std::fflush(stdout));
  // A signal that is held does not interrupt the read.
  sigset_t held{};
  static_cast<void>(sigprocmask(SIG_BLOCK, nullptr, &held));
  const UniqueFd signals(signalfd(-1, &held, SFD_CLOEXEC));
  std::array<pollfd, 2> either{pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                               pollfd{.fd = signals.get(), .events = POLLIN, .revents = 0}};
  if (poll(either.data(), either.size(), -1) > 0 && either[1].revents != 0) return std::nullopt;
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
  Question question{.ask = ask, .agreed = {}, .asked = {}};
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
