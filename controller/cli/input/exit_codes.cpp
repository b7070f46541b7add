#include "cli/input/exit_codes.hpp"

#include <algorithm>
#include <array>

namespace spark::cli {
namespace {

constexpr std::array kExitCodes{
    ExitCodeRow{ExitCode::kDone, "done, in sync",
                "done; with `apply`, `--detailed-exitcode` and `--exit-code`: in sync"},
    ExitCodeRow{ExitCode::kError, "error",
                "an error, or the file asks for something this machine cannot do; nothing was left "
                "half-applied. Also: everything is applied, but printing the result, or recording "
                "it in the history, failed"},
    ExitCodeRow{ExitCode::kDifferences,
                "differences (plan --detailed-exitcode, status --exit-code)",
                "the machine differs from the file"},
    ExitCodeRow{ExitCode::kWaiting, "waiting for a device, not ready",
                "waiting for a device that is absent; `gate`: not ready"},
    ExitCodeRow{ExitCode::kUnknown, "unknown or not enforced",
                "something could not be read, or differs and is not this program's to fix"},
    ExitCodeRow{ExitCode::kInvalidFile, "invalid file", "the file is invalid"},
    ExitCodeRow{
        ExitCode::kRefused, "refused",
        "refused: the change would do harm, the plan is stale, this machine is another node, or "
        "you did not say yes; nothing was changed"},
    ExitCodeRow{ExitCode::kRolledBack, "failed and rolled back",
                "a step failed; everything was rolled back and reads as before"},
    ExitCodeRow{ExitCode::kRollbackIncomplete, "failed, rollback incomplete",
                "a rollback is incomplete: the output lists what differs, or what was lost along "
                "with it"},
    ExitCodeRow{ExitCode::kUsage, "usage", "usage: the command line is wrong"},
    ExitCodeRow{ExitCode::kBusy, "busy", "another apply is running"},
    ExitCodeRow{ExitCode::kInterrupted, "interrupted",
                "ended by Ctrl-C or another signal; what was begun was rolled back"},
};

}  // namespace

std::span<const ExitCodeRow> exit_codes() { return kExitCodes; }

std::string_view meaning_of(ExitCode code) {
  return std::ranges::find(kExitCodes, code, &ExitCodeRow::code)->meaning;
}

}  // namespace spark::cli
