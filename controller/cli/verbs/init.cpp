// The verb `init`: writes a first cluster file.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/lines.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/discover/founder.hpp"
#include "cli/init/file_parts.hpp"
#include "cli/init/from_host.hpp"
#include "cli/init/new_file.hpp"
#include "cli/init/node_names.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/topology.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "config/parse/parse.hpp"
#include "host/view.hpp"
#include "plan/free_subnet.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {
namespace {

constexpr std::array kRingSizes{Word{"3", ""}, Word{"4", ""}};
constexpr Value kRingValue{"N", kRingSizes};

struct InitArguments {
  bool discover = false;
  std::optional<std::uint64_t> node_count;  ///< --nodes
  bool from_host = false;
  bool pair = false;
  std::optional<std::uint64_t> ring;          ///< how many nodes
  std::optional<std::uint64_t> switch_nodes;  ///< --switch
  std::string names;                          ///< "spark1,spark2"
  std::string out;
};

/// Where nothing of it can be read, the file is written all the same.
MachineHere observe_machine(host::View& view) {
  const auto rails = rails_here(view).value_or(std::vector<RailHere>{});
  return {.lan = link_to_lan(view),
          .carriers = cages_with_carrier(view, rails),
          .lan_cages = cages_of_lan(view, rails),
          .in_use = subnets_in_use(view, rails),
          .taken = plan::subnets_in_use(view)};
}

/// The text, and what to say beside it.
struct FirstFile {
  std::string text;
  std::string note;
};

std::string own_host_name(host::View& view) {
  const auto& identity = view.identity();
  return identity ? identity->hostname : std::string();
}

Result<FirstFile> file_of_topology(const InitArguments& own, const NodeNames& nodes,
                                   host::View& view) {
  const auto topology = own.pair ? Topology::kPair : own.ring ? Topology::kRing : Topology::kSwitch;
  const auto hostname = own_host_name(view);
  auto text = topology_text(topology, nodes, observe_machine(view));
  if (!text) return std::unexpected(text.error());
  FirstFile file{.text = *std::move(text)};
  if (nodes.own) file.note = note_of_other_addresses(view, config::parse(file.text).cluster.fabric);
  if (!nodes.own && !hostname.empty()) {
    file.note = fmt::format(
        "! {} is this machine's name, and none of the nodes: nothing of its links is in the file\n",
        in_quotes(hostname));
  }
  return file;
}

Result<FirstFile> file_of_host(host::View& view, host::Files& files) {
  auto text = host_text(view, files);
  if (!text) return std::unexpected(text.error());
  return FirstFile{.text = *std::move(text)};
}

/// The next command. Where the text went to stdout, the file has no name yet.
std::string next_step(const std::string& out, const std::string& root) {
  const auto plan =
      command_line_for("plan", {.file = out.empty() ? "cluster.yaml" : out, .root = root});
  return out.empty()
             ? fmt::format("next: save this as cluster.yaml, edit it, and run\n  {}\n", plan)
             : fmt::format("wrote {}; next: edit it, and run\n  {}\n", out, plan);
}

ExitCode init(const Command& command) {
  const auto& arguments = command.arguments;
  const auto& own = own_options<InitArguments>(command);
  const auto& path = own.out;
  if (own.discover) return init_by_discovery(command, {.out = path, .nodes = own.node_count});
  host::View view(command.host);
  const auto count = own.pair ? 2 : own.ring.value_or(own.switch_nodes.value_or(2));
  const auto nodes = node_names(own.names, count, own_host_name(view));
  if (!nodes) return report_error(command, nodes.error(), ExitCode::kUsage);
  const auto file =
      own.from_host ? file_of_host(view, command.host.files) : file_of_topology(own, *nodes, view);
  if (!file) return report_error(command, file.error());
  const auto& text = file->text;
  const auto parsed = parse_own_text(text);
  if (!parsed) return report_error(command, parsed.error());
  if (!path.empty()) {
    if (const auto written = write_new_file(path, text); !written) {
      return report_error(command, written.error());
    }
  }
  if (arguments.json) {
    const auto out = path.empty() ? nlohmann::json(nullptr) : nlohmann::json(path);
    nlohmann::json body{{"text", text}, {"out", out}};
    if (!path.empty()) add_artifact(body, path, kYamlType, text);
    print_json(command.terminal, "init", parsed->cluster, "", ExitCode::kDone, body);
    return ExitCode::kDone;
  }
  if (path.empty()) {
    command.terminal.print_always(text);
  }
  if (!arguments.quiet) {
    command.terminal.complain(in_lines(file->note, command.terminal.error_width()) +
                              next_step(path, arguments.root));
  }
  return ExitCode::kDone;
}

constexpr auto kInitOptions = std::to_array<OptionRow>({
    {.names = "--discover",
     .value = &Value::kNone,
     .member = in<&InitArguments::discover>(),
     .about = "the nodes at the other ends of the cables, each of which runs `join`",
     .for_root = true},
    {"--nodes", &Value::kCount, in<&InitArguments::node_count>(),
     "with --discover: wait until so many nodes are there, this one included (2 to 8)"},
    {"-y,--yes", &Value::kNone, in<&Arguments::yes>(),
     "with --discover and --nodes: write the file without a question"},
    {"--from-host", &Value::kNone, in<&InitArguments::from_host>(),
     "what this machine runs, each value with its origin"},
    {"--pair", &Value::kNone, in<&InitArguments::pair>(), "two nodes and one cable between them"},
    {"--ring", &kRingValue, in<&InitArguments::ring>(),
     "three or four nodes, each cabled to the next"},
    {"--switch", &Value::kCount, in<&InitArguments::switch_nodes>(),
     "so many nodes at one switch, 254 at most"},
    {"--names", &Value::kNames, in<&InitArguments::names>(),
     "host names of the nodes: spark1,spark2 (default: this machine's, and names like it)"},
    {"-o,--out", &Value::kFile, in<&InitArguments::out>(),
     "write into this new file, not to stdout"},
});

constexpr auto kInitMeant = std::to_array<Meaning>({
    {"--force,--overwrite,-f",
     "no file is replaced: move the old one away, `sudo mv "
     "/etc/spark-reconcile/cluster.yaml /etc/spark-reconcile/cluster.yaml.before`"},
});

/// It writes nothing without one of them.
constexpr std::array<std::string_view, 5> kShapes{"--discover", "--from-host", "--pair", "--ring",
                                                  "--switch"};

/// The options by which the line says what is written: "--pair".
std::vector<std::string> shapes_in(const TypedLine& line) {
  std::vector<std::string> shapes;
  for (const auto shape : kShapes) {
    if (typed_option(line, shape) != nullptr) shapes.emplace_back(shape);
  }
  return shapes;
}

/// "--names spark1,spark2": a pair, a ring of three or four, or a switch.
void complete_init(std::vector<std::string>& words) {
  const TypedLine line(words);
  if (!shapes_in(line).empty()) return;
  const auto* names = typed_option(line, "--names");
  const auto count = names == nullptr || !names->value ? 0 : split(*names->value, ',').size();
  words.emplace_back(count == 0   ? kShapes.front()
                     : count <= 2 ? "--pair"
                     : count <= 4 ? "--ring"
                                  : "--switch");
  if (count > 2) words.push_back(std::to_string(count));
}

/// It hears the other nodes by sockets that root alone may open.
bool init_is_for_root(const Arguments& arguments) {
  return own_options<InitArguments>(arguments).discover;
}

std::string advise_init(const ExtraWord& extra) {
  const auto& [at, word] = extra.argument;
  return is_name_of_yaml(word) || word.contains('/')
             ? fmt::format("the new file is named by -o: {}",
                           line_with(extra.line, at, {"-o", word}))
             : "";
}

/// What is wrong with the options that go with `init --discover`; empty: nothing.
std::string contradiction_of_discover(const Arguments& arguments) {
  const auto& own = own_options<InitArguments>(arguments);
  if (!own.discover) {
    return own.node_count || arguments.yes
               ? "--nodes and --yes of init go with --discover: `sudo spark-reconcile init "
                 "--discover --nodes 2`"
               : "";
  }
  if (!own.names.empty()) {
    return "--discover takes the host names that the nodes tell: leave out --names";
  }
  if (own.node_count && (*own.node_count < 2 || *own.node_count > protocol::kMostDiscovered)) {
    return fmt::format("--nodes takes 2 to {}", protocol::kMostDiscovered);
  }
  if (arguments.yes && !own.node_count) {
    return "--yes needs --nodes, since nobody else says when all nodes are there: `sudo "
           "spark-reconcile init --discover --nodes 2 --yes`";
  }
  return {};
}

/// The line with the first of its shapes alone.
std::string line_of_one_shape(const TypedLine& line) {
  auto words = line.words;
  const auto shapes = shapes_in(line);
  for (auto shape = shapes.rbegin(); shape + 1 != shapes.rend(); ++shape) {
    const TypedLine now(words);
    const auto* option = typed_option(now, *shape);
    const bool has_next = option->value && words[option->at] == option->name;
    if (has_next) words = words_with(std::move(words), option->at + 1, {});
    words = words_with(std::move(words), option->at, {});
  }
  return line_to_type(words);
}

std::string contradiction_of_init(const Arguments& arguments, const TypedLine& line) {
  const auto& own = own_options<InitArguments>(arguments);
  constexpr std::uint64_t kMostNodes = 254;  // the numbers of a /24
  const auto shapes = shapes_in(line);
  if (shapes.size() > 1) {
    return fmt::format("init takes one of {}: leave out the others, as {}", listed(shapes),
                       line_of_one_shape(line));
  }
  if (shapes.empty()) {
    constexpr std::string_view kTakes =
        "init takes one of --discover, --from-host, --pair, --ring N and --switch N";
    const auto with_one = line_to_type(line.words);
    return own.names.empty()
               ? fmt::format(
                     "{}; by the cables as they are plugged: {}; of two nodes and a cable: "
                     "`spark-reconcile init --pair`",
                     kTakes, with_one)
               : fmt::format("{}: {}", kTakes, with_one);
  }
  if (auto what = contradiction_of_discover(arguments); !what.empty()) return what;
  if (own.ring && *own.ring != 3 && *own.ring != 4) {
    const auto others =
        *own.ring < 3 ? std::string("two nodes are a pair: `spark-reconcile init --pair`")
                      : fmt::format("more nodes share a switch: `spark-reconcile init --switch {}`",
                                    std::min(*own.ring, kMostNodes));
    return "--ring takes 3 or 4: a node has two cages, and with more nodes too much passes through "
           "others; " +
           others;
  }
  if (own.switch_nodes && (*own.switch_nodes < 2 || *own.switch_nodes > kMostNodes)) {
    return "--switch takes 2 to 254 nodes: so many have a place in a /24";
  }
  if (own.from_host && !own.names.empty()) {
    return "--from-host takes the host name of this machine: leave out --names";
  }
  return {};
}

}  // namespace

extern const VerbSpec kInitVerb{
    .name = "init",
    .group = VerbGroup::kStart,
    .about =
        "write a first cluster file: of cables as they are plugged, or of this machine as it runs",
    .first_week = 1,
    .writes = true,
    .file = VerbSpec::OfFile::kAsItIs,
    .node = VerbSpec::OfNode::kNone,
    .options = own_rows<InitArguments>(kInitOptions),
    .meant = kInitMeant,
    .is_for_root = init_is_for_root,
    .complete = complete_init,
    .advise = advise_init,
    .check = contradiction_of_init,
    .run = init};

}  // namespace spark::cli
