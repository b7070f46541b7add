#pragma once
// How an apply goes, step by step and at its end, for people.

#include <cstddef>
#include <string>

#include "apply/report.hpp"
#include "cli/command.hpp"

namespace spark::cli {

/// Shows the steps of a plan as they are made. A screen has one line that is rewritten, and lines
/// of their own for what goes otherwise than the plan says; elsewhere each step has a line.
class StepLines {
 public:
  /// Both outlive this.
  StepLines(const Command& command, const plan::Plan& plan);

  void begins(const plan::Step& step);
  void ended(const plan::Step& step, const apply::StepReport& report, bool rolling_back);

 private:
  const Command& command_;
  const plan::Plan& plan_;
  std::size_t width_ = 0;  ///< columns of the longest name
  std::size_t begun_ = 0;
};

/// For -v: a step with its cause; `file` is the file's name.
std::string log_text(const std::string& file, const plan::Plan& plan, const plan::Step& step,
                     const apply::StepReport& report, bool rolling_back);

/// The result, each line with its line feed.
std::string closing_text(const plan::Plan& plan, const apply::Report& report);

}  // namespace spark::cli
