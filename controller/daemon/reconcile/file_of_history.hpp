#pragma once
// file_of_history: the file that was applied to this node last and stayed, as its history keeps it.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "host/files.hpp"
#include "host/view.hpp"

namespace spark::daemon {

/// Text of the file of the node `asked`, or, where that is empty, of the node that this machine was
/// last. Empty: it was none, no file stayed, or this version cannot read the file. Errors: kInvalid
/// where the kept file is damaged, or is not what was applied; those of the view and of the files
/// port.
Result<std::optional<std::string>> file_of_history(host::Files& files, host::View& view,
                                                   const std::string& asked);

}  // namespace spark::daemon
