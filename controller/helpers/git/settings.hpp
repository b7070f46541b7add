#pragma once
// The settings of both programs: the `source:` section of agent.yaml.

#include <string>

#include "config/source.hpp"
#include "helpers/git/fault.hpp"

namespace spark::helpers {

/// `may_lack_host_key`: as of an ssh:// URL whose server is asked for its key. Errors: kSettings,
/// also where others than root could have written the file.
OrFault<config::SourceSpec> read_settings(const std::string& path, bool may_lack_host_key = false);

}  // namespace spark::helpers
