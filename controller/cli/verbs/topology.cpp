// The verb `topology`: draws the cluster by its file, which needs no machine, or as this node knows
// it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "cli/cluster/cluster_here.hpp"
#include "cli/command.hpp"
#include "cli/init/new_file.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/state_here/told_here.hpp"
#include "cli/text/layout.hpp"
#include "cli/topology/topology_text.hpp"
#include "cluster/make_view.hpp"
#include "cluster/view_words.hpp"
#include "drawing/fabric_map.hpp"
#include "drawing/live_map.hpp"
#include "drawing/map_changes.hpp"
#include "drawing/topology_svg.hpp"
#include "host/view.hpp"
#include "protocol/discover.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

enum class TopologyFormat : std::uint8_t {
  kText,
  kSvg,
  kJson,  ///< as --json
};

constexpr std::array kTopologyFormats{Word{"text", "a picture on a terminal, else lines"},
                                      Word{"svg", "one picture, which needs nothing else"},
                                      Word{"json", "as --json"}};
constexpr Value kTopologyFormatValue{"FORMAT", kTopologyFormats};

struct TopologyArguments {
  TopologyFormat format = TopologyFormat::kText;
  bool live = false;
  std::string diff;  ///< path of the other file, "-" for stdin
  std::string out;
};

constexpr std::string_view kNobodyTold =
    "--live shows what the nodes told each other, and nothing is known here: the daemon does not "
    "run, has not looked yet, or its file says `ready.peers: off`. `spark-reconcile status` shows "
    "this node; without --live the file is drawn";

/// What is drawn, or why it is not.
struct Subject {
  drawing::FabricMap map;
  std::optional<ClusterFile> older;
  std::vector<drawing::MapChange> changes;   ///< since the older file
  std::optional<cluster::ClusterView> view;  ///< how it stands now
};

struct NoSubject {
  Error error;
  ExitCode code = ExitCode::kError;
};

std::string first_error(const ClusterFile& file) {
  const auto& findings = file.parsed.diagnostics;
  const auto error =
      std::ranges::find(findings, config::Severity::kError, &config::Diagnostic::severity);
  return fmt::format("{} is invalid, at line {}: {} [{}]", printable(file.name), error->where.line,
                     printable(error->message), error->id);
}

/// What is known is known of the cables of the file in force. Empty: this is that file.
std::string why_not_live(const cluster::Known& known, const ClusterFile& file) {
  const auto& in_force = known.own.file.digest;
  if (in_force.empty() || in_force == file.parsed.cluster.digest) return {};
  return fmt::format(
      "--live is of the file in force (digest {}), and {} is another one ({}): without "
      "--live "
      "it is drawn, and `spark-reconcile plan -f` says what it would change",
      cluster::digest_text(in_force), printable(file.name),
      cluster::digest_text(file.parsed.cluster.digest));
}

std::expected<Subject, NoSubject> subject_of(const Command& command, const ClusterFile& file) {
  Subject subject{.map = drawing::fabric_map(file.parsed.cluster), .view = {}};
  const auto& own = own_options<TopologyArguments>(command);
  if (own.live) {
    const auto told = told_here(command.host);
    const auto known = told ? cluster_here(command, file, told->own.node) : std::nullopt;
    if (!known) return std::unexpected(NoSubject{{ErrorCode::kNotFound, std::string(kNobodyTold)}});
    if (auto why = why_not_live(*known, file); !why.empty()) {
      return std::unexpected(NoSubject{{ErrorCode::kInvalid, std::move(why)}});
    }
    subject.view = cluster::cluster_view(*known);
    drawing::add_live(subject.map, *subject.view);
  }
  if (own.diff.empty()) return subject;
  auto older =
      read_cluster_file({.verb = command.arguments.verb, .file = own.diff}, command.host.files);
  if (!older) return std::unexpected(NoSubject{older.error()});
  if (!older->valid()) {
    return std::unexpected(
        NoSubject{{ErrorCode::kInvalid, first_error(*older)}, ExitCode::kInvalidFile});
  }
  subject.changes =
      drawing::changes_between(subject.map, drawing::fabric_map(older->parsed.cluster));
  subject.older = *std::move(older);
  return subject;
}

void print_as_json(const Command& command, const ClusterFile& file, const Subject& subject) {
  auto body = nlohmann::json{{"topology", to_json(subject.map)}};
  if (subject.older) {
    body["older"] = {{"file", subject.older->name},
                     {"digest", subject.older->parsed.cluster.digest}};
    body["changes"] = changes_json(subject.changes);
  }
  if (subject.view) body["cluster"] = document_of(cluster::kViewSchema, *subject.view);
  print_json(command.terminal, verb_of(command), file, "", ExitCode::kDone, std::move(body));
}

/// What the file of -o, or stdout, is to hold.
std::string drawn(const Command& command, const Subject& subject) {
  const auto& own = own_options<TopologyArguments>(command);
  if (own.format == TopologyFormat::kSvg) return drawing::topology_svg(subject.map);
  const Terminal plain(nullptr, nullptr, Color::kNever, false);
  const bool is_file = !own.out.empty();
  const auto& terminal = is_file ? plain : command.terminal;
  if (subject.older) return changes_text(subject.changes, terminal);
  return terminal.width() ? topology_screen(subject.map, terminal)
                          : topology_lines(subject.map, terminal);
}

/// `status` is of the node that this machine is: elsewhere it fails.
bool has_status_here(const Command& command, const ClusterFile& file) {
  if (own_options<TopologyArguments>(command).live) return true;
  host::View view(command.host);
  const auto own = state::own_node(file.parsed.cluster, view);
  return own && !own->name.empty();
}

ExitCode topology(const Command& command) {
  const auto& arguments = command.arguments;
  const auto& own = own_options<TopologyArguments>(command);
  const auto file = read_cluster_file(arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) return code;
  const auto subject = subject_of(command, *file);
  if (!subject) return report_error(command, subject.error().error, subject.error().code);
  if (arguments.json) {
    print_as_json(command, *file, *subject);
    return ExitCode::kDone;
  }
  const auto text = drawn(command, *subject);
  if (!own.out.empty()) {
    if (const auto written = write_new_file(own.out, text); !written) {
      return report_error(command, written.error());
    }
    command.terminal.print(fmt::format("wrote {}\n", printable(own.out)));
    return ExitCode::kDone;
  }
  command.terminal.print_always(text);
  const bool is_text = own.format == TopologyFormat::kText;
  if (is_text && arguments.file != "-" && has_status_here(command, *file)) {
    const auto* const what = own.live ? "\nAll nodes in words" : "\nWhat is there";
    print_next(command.terminal, arguments, what, command_line_for("status", arguments));
  }
  return ExitCode::kDone;
}

constexpr auto kTopologyOptions = std::to_array<OptionRow>({
    {"--format", &kTopologyFormatValue, in<&TopologyArguments::format>(),
     "print text (default), svg (one picture, for a page or a wiki) or json"},
    {"--live", &Value::kNone, in<&TopologyArguments::live>(),
     "mark what this node knows now: which nodes are ready, which cables are proven"},
    {.names = "--diff",
     .value = &Value::kFile,
     .member = in<&TopologyArguments::diff>(),
     .about = "only what differs from this older file: + added, - removed, ~ changed; - is stdin",
     .sample = "old.yaml"},
    {"-o,--out", &Value::kFile, in<&TopologyArguments::out>(),
     "write into this new file, not to stdout"},
});

constexpr auto kTopologyMeant = std::to_array<Meaning>({
    {"--all,-a,--cluster,--nodes", "it shows all nodes of the file: `spark-reconcile topology`"},
    {"all,cluster,nodes", "it shows all nodes: `spark-reconcile topology`"},
});

std::string advise_topology(const ExtraWord& extra) {
  return protocol::is_host_name(extra.argument.text)
             ? "it shows all nodes: " + line_with(extra.line, extra.argument.at, {})
             : "";
}

std::string contradiction_of_topology(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<TopologyArguments>(arguments);
  if (!arguments.node.empty()) {
    return "topology shows every node: leave out -n";
  }
  if (arguments.file == "-" && own.diff == "-") {
    return "-f and --diff cannot both be stdin: name a file for one of them";
  }
  if (own.live && !own.diff.empty()) {
    return "--live marks what is known now, --diff lists what differs from an older file: leave "
           "out "
           "one";
  }
  if (own.format == TopologyFormat::kSvg && !own.diff.empty()) {
    return "--diff lists what differs, and is no picture: leave out --format svg";
  }
  const bool is_json = arguments.json || own.format == TopologyFormat::kJson;
  return is_json && !own.out.empty()
             ? "-o of topology is for text and svg: write `> FILE` in its place"
             : "";
}

}  // namespace

extern const VerbSpec kTopologyVerb{
    .name = "topology",
    .group = VerbGroup::kLook,
    .about = "draw the cluster by the file: nodes, cages, cables, switches, addresses",
    .node = VerbSpec::OfNode::kNone,
    .options = own_rows<TopologyArguments>(kTopologyOptions),
    .meant = kTopologyMeant,
    .advise_last = advise_topology,
    .check = contradiction_of_topology,
    .run = topology};

}  // namespace spark::cli
