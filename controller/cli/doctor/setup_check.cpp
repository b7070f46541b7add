#include <algorithm>
#include <array>
#include <iterator>
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
#include "cli/doctor/checks.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/init/origins.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/setup_commands.hpp"
#include "host/view.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/common/remedy.hpp"
#include "kinds/common/systemd_here.hpp"
#include "kinds/other_managers/manager_claims.hpp"
#include "kinds/storage/other_connectors.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kServiceEnd = ".service";

/// The service that runs a command; empty: no service does.
std::string service_of(const SetupCommand& command) {
  if (!command.unit.empty()) return command.unit;
  return command.path.ends_with(kServiceEnd) ? std::string(file_name(command.path)) : std::string();
}

/// A timer starts the service of its name (systemd.timer(5)).
bool starts_at_boot(const std::set<std::string>& enabled, const std::string& service) {
  const auto stem = service.substr(0, service.size() - kServiceEnd.size());
  return enabled.contains(service) || enabled.contains(stem + ".timer");
}

/// What a file, or the service that runs it, does to rails, and what else.
struct SetsUp {
  std::set<std::string> links;
  std::vector<int> lines;
};
/// Links that are no rails of ours, and places of which it is not known what they do.
using DoesMore = std::set<std::string>;

kinds::Remedy remedy_for(const std::string& path, const std::string& service, const SetsUp& sets,
                         const DoesMore& more, const std::set<std::string>& enabled) {
  if (service.empty() || !more.empty()) {
    return {.kind = kinds::Remedy::Kind::kTakeLinesOut,
            .links = sets.links,
            .unit = service.empty()
                        ? ""
                        : fmt::format("{}, which does more ({})", service, fmt::join(more, ", ")),
            .path = path,
            .lines = sets.lines};
  }
  const auto stem = service.substr(0, service.size() - kServiceEnd.size());
  return {.kind = kinds::Remedy::Kind::kDisableUnit,
          .links = sets.links,
          .unit = enabled.contains(service) ? service : stem + ".timer"};
}

/// Units and scripts, one finding each. This program changes no link of `owner: host`, so what
/// sets one up is in nobody's way.
void add_commands(const std::vector<RailHere>& rails, const std::optional<config::Node>& node,
                  host::View& view, Findings& findings) {
  const auto enabled = kinds::enabled_units(view);
  const auto commands = setup_commands(view);
  std::map<std::pair<std::string, std::string>, SetsUp> sets_up;  ///< by path and service
  std::map<std::string, DoesMore> more;                           ///< by service
  for (const auto& command : commands.of_links) {
    const auto service = service_of(command);
    const bool is_of_rail = std::ranges::any_of(rails, [&](const RailHere& rail) {
      return rail.link.name == command.link && !(node && is_left_to_host(*node, command.link));
    });
    if (!is_of_rail) {
      more[service].insert(command.link);
    } else if (service.empty() || starts_at_boot(enabled, service)) {
      auto& [links, lines] = sets_up[{command.path, service}];
      links.insert(command.link);
      if (std::ranges::find(lines, command.line) == lines.end()) lines.push_back(command.line);
    }
  }
  for (const auto* list : {&commands.others, &commands.of_targets}) {
    for (const auto& command : *list) more[service_of(command)].insert(command.place());
  }
  for (const auto& [from, sets] : sets_up) {
    const auto& [path, service] = from;
    const bool is_unit = path.ends_with(kServiceEnd);
    const auto remedy = kinds::text_of(remedy_for(path, service, sets, more[service], enabled),
                                       node ? &*node : nullptr, view);
    findings.push_back(
        {"guide", Severity::kLook,
         fmt::format("{}{} sets up {} too, and may set back what this program changes",
                     in_quotes(path),
                     service.empty() || is_unit ? "" : fmt::format(", run by {},", service),
                     fmt::join(sets.links, ", ")),
         remedy ? *remedy
                : fmt::format("leave it as long as this is so: {}. If that is the LAN, write "
                              "`owner: host` for the link in the file",
                              remedy.error().what)});
  }
}

void add_claims(const std::vector<RailHere>& rails, const std::optional<config::Node>& node,
                host::View& view, Findings& findings) {
  std::vector<std::string> names;
  std::ranges::transform(rails, std::back_inserter(names),
                         [](const RailHere& rail) { return rail.link.name; });
  const auto claims = kinds::find_claims(view, names);
  for (const auto& claim : claims.files) {
    if (claim.automatic) continue;
    const auto is_named = [&](const std::string& link) { return node->links.contains(link); };
    const bool is_ours_too = node && std::ranges::any_of(claim.links, [&](const auto& link) {
                               return is_named(link) && !is_left_to_host(*node, link);
                             });
    const auto* const says = !node         ? ""
                             : is_ours_too ? ", as the file does"
                             : std::ranges::any_of(claim.links, is_named)
                                 ? ", which the file leaves to the host"
                                 : ", which the file does not name";
    const auto what =
        fmt::format("{} sets up {}{}: {}", writer_of(claim.path), fmt::join(claim.links, ", "),
                    says, in_quotes(fmt::format("{}:{}", claim.path, claim.line)));
    if (!node) {
      findings.push_back({"managers", Severity::kLook, what,
                          "`sudo spark-reconcile init --from-host` takes its values into a first "
                          "file"});
    } else if (is_ours_too) {
      findings.push_back({"managers", Severity::kLook, what,
                          "`take_over: true` in the file moves it aside where it holds nothing "
                          "else; `sudo spark-reconcile plan` says what stays, and why"});
    } else {
      findings.push_back({"managers", Severity::kGood, what, ""});
    }
  }
}

void add_connectors(const config::Node& node, host::View& view, Findings& findings) {
  std::vector<kinds::ConnectionKey> targets;
  std::ranges::transform(node.storage, std::back_inserter(targets), kinds::connection_key);
  if (targets.empty()) return;
  for (const auto& [what, reason] : kinds::other_connectors(view, targets)) {
    findings.push_back({"managers", Severity::kLook,
                        fmt::format("{} is about a target of the file", in_quotes(what)), reason});
  }
  const auto enabled = kinds::enabled_units(view);
  for (const auto& command : setup_commands(view).of_targets) {
    const auto service = service_of(command);
    const bool runs = service.empty() || starts_at_boot(enabled, service);
    const bool is_ours =
        std::ranges::find(targets, command.target, &kinds::ConnectionKey::address) != targets.end();
    if (!runs || !is_ours) continue;
    findings.push_back(
        {"managers", Severity::kLook,
         fmt::format("{} connects {}, a target of the file", in_quotes(command.place()),
                     command.target),
         fmt::format("take the command out of line {} of {}: this program connects it",
                     command.line, in_quotes(command.path))});
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
  if (node) add_connectors(*node, view, findings);
  std::ranges::move(findings_of_unread("managers", view.unread()), std::back_inserter(findings));
  if (findings.empty()) {
    findings.push_back({"managers", Severity::kGood,
                        "no unit, script or file of a guide that is known sets up a rail", ""});
  }
  return findings;
}

Findings check_fstab(const Command& command) {
  const auto text = command.host.files.read("/etc/fstab");
  if (!text) return findings_of_unread("fstab", {text.error()});
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
