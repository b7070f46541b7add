#pragma once
// read_unit_settings: what the files of a systemd unit say for one key.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::host {

/// One assignment in a unit's files; an empty one cancels those before it (systemd.syntax(7)).
struct UnitSetting {
  std::string value;
  std::string file;
  int line = 0;
  bool operator==(const UnitSetting&) const = default;
};

/// All assignments of `key` in [Service], in the order in which systemd reads them: the unit's own
/// file, then its drop-ins by file name (systemd.unit(5)). Nothing else of these files is kept:
/// they are other programs'. Errors: kNotFound when there is no such unit file.
Result<std::vector<UnitSetting>> read_unit_settings(Files& files, const std::string& unit,
                                                    const std::string& key);

/// The directories in which a drop-in for the unit may stand, below "/etc/systemd/system" and its
/// like: "a@b.service" gives "a@b.service.d", "a@.service.d", "service.d", and for each '-' in its
/// name one of the part up to there.
std::vector<std::string> drop_in_directories(const std::string& unit);

}  // namespace spark::host
