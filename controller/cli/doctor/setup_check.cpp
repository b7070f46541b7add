#include "cli/doctor/setup_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/init/origins.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/setup_commands.hpp"
#include "host/view.hpp"
#include "kinds/common/remedy.hpp"
#include "kinds/other_managers/manager_claims.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kServiceEnd = ".service";
constexpr const char* kUnitDirectory = "/etc/systemd/system";

/// "PATH" of "PATH:LINE".
std::string path_of(const std::string& place) { return place.substr(0, place.rfind(':')); }

/// The service that runs a command; empty: no service does.
std::string service_of(const SetupCommand& command) {
  if (!command.unit.empty()) return command.unit;
  const auto path = path_of(command.file);
  return path.ends_with(kServiceEnd) ? path.substr(path.rfind('/') + 1) : std::string();
}

/// Units that others want, by the links that `systemctl enable` makes.
std::set<std::string> enabled_units(host::View& view) {
  std::set<std::string> units;
  const auto& names = view.directory(kUnitDirectory);
  for (const auto& name : names ? *names : std::vector<std::string>{}) {
    if (!name.ends_with(".wants") && !name.ends_with(".requires")) continue;
    const auto& wanted = view.directory(fmt::format("{}/{}", kUnitDirectory, name));
    if (wanted) units.insert(wanted->begin(), wanted->end());
  }
  return units;
}

/// A timer starts the service of its name (systemd.timer(5)).
bool starts_at_boot(const std::set<std::string>& enabled, const std::string& service) {
  const auto stem = service.substr(0, service.size() - kServiceEnd.size());
  return enabled.contains(service) || enabled.contains(stem + ".timer");
}

std::string remedy_for(const std::string& path, const std::string& service,
                       const std::set<std::string>& enabled) {
  if (service.empty()) {
    return fmt::format("take the lines of `ip` and `ifconfig` out of {}", in_quotes(path));
  }
  return enabled.contains(service)
             ? fmt::format("`sudo systemctl disable {}`", service)
             : fmt::format("`sudo systemctl disable {}.timer`",
                           service.substr(0, service.size() - kServiceEnd.size()));
}

/// Empty: what sets the links up may go.
std::optional<std::string> why_it_stays(const std::set<std::string>& links,
                                        const std::optional<config::Node>& node, host::View& view) {
  for (const auto& link : links) {
    if (auto why = kinds::untouchable(link, node ? &*node : nullptr, view)) return why;
  }
  return std::nullopt;
}

/// Units and scripts, one finding each. This program changes no link of `owner: host`, so what
/// sets one up is in nobody's way.
void add_commands(const std::vector<RailHere>& rails, const std::optional<config::Node>& node,
                  host::View& view, Findings& findings) {
  const auto enabled = enabled_units(view);
  std::map<std::pair<std::string, std::string>, std::set<std::string>> links;  ///< path, service
  for (const auto& command : setup_commands(view)) {
    const auto service = service_of(command);
    const bool is_of_rail = std::ranges::any_of(rails, [&](const RailHere& rail) {
      return rail.link.name == command.link && !(node && is_left_to_host(*node, command.link));
    });
    if (is_of_rail && (service.empty() || starts_at_boot(enabled, service))) {
      links[{path_of(command.file), service}].insert(command.link);
    }
  }
  for (const auto& [from, names] : links) {
    const auto& [path, service] = from;
    const bool is_unit = path.ends_with(kServiceEnd);
    const auto stays = why_it_stays(names, node, view);
    findings.push_back(
        {"guide", Severity::kLook,
         fmt::format("{}{} sets up {} too, and may set back what this program changes",
                     in_quotes(path),
                     service.empty() || is_unit ? "" : fmt::format(", run by {},", service),
                     fmt::join(names, ", ")),
         stays ? fmt::format("leave it as long as this is so: {}. If that is the LAN, write "
                             "`owner: host` for the link in the file",
                             *stays)
               : remedy_for(path, service, enabled)});
  }
}

void add_claims(const std::vector<RailHere>& rails, const std::optional<config::Node>& node,
                host::View& view, Findings& findings) {
  std::vector<std::string> unnamed;
  for (const auto& rail : rails) {
    if (!node || !node->links.contains(rail.link.name)) unnamed.push_back(rail.link.name);
  }
  const auto claims = kinds::find_claims(view, unnamed);
  for (const auto& claim : claims.files) {
    if (claim.automatic) continue;
    const bool is_netplan = claim.path.starts_with("/etc/netplan/");
    findings.push_back(
        {"managers", node ? Severity::kGood : Severity::kLook,
         fmt::format("{} sets up {}{}: {}", is_netplan ? writer_of(claim.path) : "NetworkManager",
                     fmt::join(claim.links, ", "), node ? ", which the file does not name" : "",
                     in_quotes(fmt::format("{}:{}", claim.path, claim.line))),
         node ? "" : "`sudo spark-reconcile init --from-host` takes its values into a first file"});
  }
  for (const auto& unreadable : claims.unreadable) {
    findings.push_back(
        {"managers", Severity::kLook,
         fmt::format("whether this file sets up a rail is not known: {}", unreadable),
         "run it as root: `sudo spark-reconcile doctor`"});
  }
}

/// One line of /etc/fstab (fstab(5)).
struct FstabLine {
  std::string device;
  std::string place;
  std::set<std::string> options;
};

FstabLine fstab_line(std::string_view text) {
  std::istringstream words{std::string(text)};
  FstabLine line;
  std::string type;
  std::string options;
  words >> line.device >> line.place >> type >> options;
  std::istringstream list(options);
  for (std::string option; std::getline(list, option, ',');) line.options.insert(option);
  return line;
}

bool waits_for_nvme(const FstabLine& line) {
  const bool is_nvme =
      line.device.starts_with("/dev/nvme") || line.device.starts_with("/dev/disk/by-id/nvme");
  return is_nvme && line.options.contains("_netdev") && !line.options.contains("nofail") &&
         !line.options.contains("noauto");
}

}  // namespace

Findings check_setup(const Command& command) {
  host::View view(command.host);
  const auto rails = rails_here(view);
  if (!rails) {
    return {{"managers", Severity::kLook, rails.error().what, "`ip link` shows the links"}};
  }
  if (rails->empty()) return {};
  Findings findings;
  const auto node = wanted_node(command, view);
  add_commands(*rails, node, view, findings);
  add_claims(*rails, node, view, findings);
  if (findings.empty()) {
    findings.push_back({"managers", Severity::kGood,
                        "no unit, script or file of a guide that is known sets up a rail", ""});
  }
  return findings;
}

Findings check_fstab(const Command& command) {
  const auto text = command.host.files.read("/etc/fstab");
  if (!text) {
    return {{"fstab", Severity::kLook, text.error().what, "put a regular file there"}};
  }
  Findings findings;
  if (!*text) return findings;
  int number = 0;
  for (const auto line : lines_of(**text)) {
    ++number;
    const auto parsed = fstab_line(line);
    if (!waits_for_nvme(parsed)) continue;
    findings.push_back(
        {"fstab", Severity::kLook,
         fmt::format("line {} of '/etc/fstab' mounts {} over the network without 'nofail': where "
                     "the target is away, a boot waits 90 s for it",
                     number, in_quotes(parsed.device)),
         "add `nofail` to its options, or have the file mount it: `storage` in "
         "docs/howto/storage.md"});
  }
  return findings;
}

}  // namespace spark::cli
