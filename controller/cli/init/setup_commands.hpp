#pragma once
// setup_commands: what units and scripts of this machine do to links at boot, by `ip` and the like.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// One command of a unit or script. A variable of a script is not followed.
struct SetupCommand {
  std::string path;
  int line = 0;      ///< 0: what the file does is not known
  std::string unit;  ///< the unit that runs the script; empty: `path` is the unit, or no unit's
  std::string link = {};
  std::string target = {};           ///< the address of the NVMe-TCP target that it connects
  std::optional<IpPrefix> address;   ///< it adds this one
  std::optional<std::uint32_t> mtu;  ///< it sets this one, bytes
  std::optional<bool> up;            ///< it sets the link up or down

  /// "PATH:LINE".
  [[nodiscard]] std::string place() const {
    return line == 0 ? path : path + ":" + std::to_string(line);
  }
};

struct SetupCommands {
  std::vector<SetupCommand> of_links;
  std::vector<SetupCommand> of_targets;
  std::vector<SetupCommand> others;  ///< what they do is not known; without a link
};

/// The commands of the services in /etc/systemd/system, of cron, and of the scripts that these
/// start, of /etc/rc.local, and of NetworkManager's dispatcher scripts.
SetupCommands setup_commands(host::View& view);

/// What is kept of such a file, a line each: "LINE link LINK", "LINE mtu BYTES" and so on, of the
/// command lines of `ip` and `ifconfig`, "LINE nvme ADDRESS" of those of
/// `nvme connect`, "LINE run PATH" of what a unit starts, and "LINE other -"
/// where there is another command: it may hold secrets. For View::excerpt.
Result<std::string> excerpt_of_setup(const std::string& text);

}  // namespace spark::cli
