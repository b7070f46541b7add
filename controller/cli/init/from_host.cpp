#include "cli/init/from_host.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/init/file_parts.hpp"
#include "cli/init/host_rails.hpp"
#include "cli/init/node_names.hpp"
#include "cli/init/origins.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/settings_here.hpp"
#include "cli/init/yaml_text.hpp"
#include "config/parse/parse.hpp"
#include "kinds/common/remedy.hpp"

namespace spark::cli {
namespace {

/// Who this machine is, in the file.
struct OwnEntry {
  std::string name;
  std::string machine_id;  ///< where the host name cannot be the node's name
  std::string lan;
};

OwnEntry own_entry(host::View& view) {
  OwnEntry own{.name = "spark1", .lan = link_to_lan(view)};
  if (const auto& identity = view.identity(); identity && can_be_node(identity->hostname)) {
    own.name = identity->hostname;
  } else if (identity) {
    own.machine_id = identity->machine_id;
  }
  return own;
}

void write_setup_files(const Origins& origins, YamlText& yaml) {
  if (!origins.setup_files().empty()) {
    yaml.blank();
    yaml.comment(
        "These set up rails too, at boot. Once the program keeps the rails, take the lines of the "
        "rails out, or they set back what the program changes (`spark-reconcile doctor` says which "
        "lines):");
    for (const auto& file : origins.setup_files()) yaml.command(file);
  }
}

/// What the file is made of, beside the rails.
struct Surroundings {
  OwnEntry own;
  Origins origins;
  std::vector<Neighbour> neighbours;
  std::vector<Error> unread;
};

/// What the file holds, each part of which the language may refuse.
struct HostParts {
  HostRails rails;
  SettingsHere settings;
};

std::string text_of(const Surroundings& machine, HostParts& parts,
                    const std::vector<std::string>& plan) {
  auto& rails = parts.rails;
  const auto& own = machine.own;
  YamlText yaml;
  yaml.comment("What this machine runs. Each value has its origin behind it.");
  for (const auto& line : plan) {
    line.starts_with(' ') ? yaml.command(line.substr(1)) : yaml.comment(line);
  }
  yaml.line("version: 1");
  yaml.line("cluster: lab", "a name for people: write your own");
  yaml.blank();
  yaml.line("nodes:");
  yaml.indent();
  const bool is_empty = own.machine_id.empty() && own.lan.empty() && !rails.has_entries();
  yaml.line(yaml_word(own.name) + (is_empty ? ": {}" : ":"),
            own.machine_id.empty() ? "this machine's host name" : "");
  yaml.indent();
  if (!own.machine_id.empty()) {
    yaml.line(fmt::format("match: {{ machine_id: {} }}", yaml_word(own.machine_id)),
              "the host name cannot be the name of a node");
  }
  if (const auto number = is_empty ? std::nullopt : rails.number()) {
    yaml.line(fmt::format("number: {}", *number), "the last number of its addresses");
  }
  if (!own.lan.empty()) {
    yaml.line("management: " + yaml_word(own.lan), "from the kernel: it has the default route");
  }
  rails.write(yaml);
  yaml.outdent();
  yaml.outdent();
  write_cable_comment(own.name, rails, machine.neighbours, yaml);
  parts.settings.write(yaml);
  offer_first_week(yaml);
  write_setup_files(machine.origins, yaml);
  if (!machine.unread.empty()) {
    yaml.blank();
    yaml.comment("Could not be read, so that what stands there is not in this file:");
    for (const auto& error : machine.unread) yaml.command(error.what);
  }
  return yaml.text();
}

bool is_error(const config::Diagnostic& diagnostic) {
  return diagnostic.severity == config::Severity::kError;
}

/// The text without what the language refuses. Each round takes something out, so it ends.
Result<config::Parsed> write_valid(const Surroundings& machine, HostParts& parts) {
  for (;;) {
    auto parsed = config::parse(text_of(machine, parts, {}));
    const auto error = std::ranges::find_if(parsed.diagnostics, is_error);
    if (error == parsed.diagnostics.end()) return parsed;
    if (!parts.rails.step_down(*error) && !parts.settings.step_down(*error)) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("what this machine runs cannot be written as a file: {} [{}]",
                              error->message, error->id));
    }
  }
}

}  // namespace

Result<std::string> host_text(host::View& view, host::Files& files) {
  auto here = rails_here(view);
  if (!here) return std::unexpected(here.error());
  if (here->empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("no rail of a ConnectX-7 is here: {}; or write a file with --pair, "
                            "--ring or --switch",
                            kinds::remedy_of_absent_card(view)));
  }
  const auto own = own_entry(view);
  Surroundings machine{
      .own = own, .origins = Origins(view, *here), .neighbours = neighbours_here(view)};
  HostParts parts{.rails = HostRails(view, std::move(*here), machine.origins),
                  .settings = SettingsHere(view, files)};
  machine.unread = view.unread();
  std::ranges::copy(parts.settings.unread(), std::back_inserter(machine.unread));
  const auto parsed = write_valid(machine, parts);
  if (!parsed) return std::unexpected(parsed.error());
  for (const auto& diagnostic : parsed->diagnostics) parts.rails.note(diagnostic);
  return text_of(machine, parts, plan_comment(parsed->cluster, own.name, view));
}

}  // namespace spark::cli
