#pragma once
// write_bundle: `doctor --bundle`.

#include <string>

#include "cli/command.hpp"
#include "cli/share/shared_report.hpp"

namespace spark::cli {

/// `path`: of the new file.
ExitCode write_bundle(const Command& command, const std::string& path, BundleNames names);

}  // namespace spark::cli
