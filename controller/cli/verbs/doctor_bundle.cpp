#include "cli/verbs/doctor_bundle.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/handle.hpp"
#include "base/moment.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/doctor/examination_json.hpp"
#include "cli/init/new_file.hpp"
#include "cli/input/verb.hpp"
#include "cli/json_output.hpp"
#include "cli/question.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/told_here.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/status_of_node.hpp"
#include "cli/version.hpp"
#include "gate/gate.hpp"
#include "host/view.hpp"

namespace spark::cli {
namespace {

constexpr const char* kBundleSchema = "spark-reconcile/bundle/v1";

using nlohmann::json;

constexpr std::size_t kMostGenerations = 20;
constexpr std::size_t kMostEvents = 100;

/// A stream into memory.
class TextInMemory {
 public:
  [[nodiscard]] std::FILE* stream() const { return stream_.get(); }
  [[nodiscard]] std::string_view text() const {
    static_cast<void>(std::fflush(stream_.get()));  // memory that is lacking ends no text
    return text_ == nullptr ? std::string_view() : std::string_view(text_, size_);
  }

  TextInMemory() : stream_(::open_memstream(&text_, &size_)) {}
  TextInMemory(const TextInMemory&) = delete;
  TextInMemory& operator=(const TextInMemory&) = delete;
  ~TextInMemory() {
    stream_.reset();
    std::free(text_);  // as open_memstream(3) asks. NOLINT(cppcoreguidelines-no-malloc)
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  Handle<std::FILE, std::fclose> stream_;
};

/// What a verb prints with --json about the same node of the same file.
json output_of(const Command& command, std::string_view verb) {
  const TextInMemory out;
  const TextInMemory err;
  if (out.stream() == nullptr || err.stream() == nullptr) return {{"error", "no memory for it"}};
  auto arguments = command.arguments;
  arguments.verb = verb_named(verb);
  arguments.own = StatusArguments{.here = true};  // -n is the node that this machine is
  arguments.json = true;
  const Terminal terminal(out.stream(), err.stream(), Color::kNever, false);
  arguments.verb->run({arguments, terminal, command.log, command.host});
  auto output = json::parse(out.text(), nullptr, false);
  return output.is_object() ? output : json{{"error", "it printed no JSON object"}};
}

json versions_here(const Result<host::HardwareFacts>& hardware) {
  json versions{{"program", version_number()}};
  if (!hardware) {
    versions["error"] = hardware.error().what;
    return versions;
  }
  versions["kernel"] = hardware->kernel;
  versions["dgx_os"] = hardware->dgx_os;
  versions["gpu_driver"] = hardware->gpu_driver;
  versions["cards"] = json::array();
  for (const auto& link : hardware->links) {
    versions["cards"].push_back({{"link", link.link},
                                 {"driver", link.driver},
                                 {"driver_version", link.driver_version},
                                 {"firmware", link.firmware}});
  }
  return versions;
}

/// As the daemon saw it last: a bundle asks no peer.
json last_gate(host::Host& host) {
  const auto report = read_last_gate(host);
  return report ? gate::to_json(*report)
                : json{{"error",
                        "no daemon has looked at the gate since the machine booted: "
                        "`sudo spark-reconcile gate` does"}};
}

void keep_first(json& document, const char* list, std::size_t most) {
  if (!document.contains(list) || document[list].size() <= most) return;
  auto& all = document[list];
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
}

void keep_last(json& document, const char* list, std::size_t most) {
  if (!document.contains(list) || document[list].size() <= most) return;
  auto& all = document[list];
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most));
}

json documents_of(const Command& command, const Examination& examination, BundleNames names,
                  host::View& view) {
  json documents{
      {"schema", kBundleSchema},
      {"version", version_number()},
      {"generated_at", utc_text(now().wall)},
      {"names", names == BundleNames::kKept ? "kept" : "replaced"},
  };
  documents["doctor"] = {{"findings", findings_json(examination)}};
  // A check that hangs uses the ports that the others would use too.
  if (examination.has_hung) return documents;
  documents["versions"] = versions_here(view.hardware());
  documents["status"] = output_of(command, "status");
  documents["plan"] = output_of(command, "plan");
  documents["gate"] = last_gate(command.host);
  documents["history"] = output_of(command, "history");
  keep_first(documents["history"], "generations", kMostGenerations);
  documents["events"] = output_of(command, "events");
  keep_last(documents["events"], "events", kMostEvents);
  return documents;
}

/// Of people: passwd(5) has others below 1000, and nobody.
void add_users(host::Files& files, NamesHere& names) {
  const auto text = files.read("/etc/passwd");
  if (!text || !*text) return;
  for (const auto line : lines_of(**text)) {
    const auto name = line.substr(0, line.find(':'));
    const auto password = line.find(':', name.size() + 1);
    if (password == std::string_view::npos) continue;
    const auto id = line.substr(password + 1, line.find(':', password + 1) - password - 1);
    constexpr std::size_t kDigitsOfPeople = 4;
    if (id.size() >= kDigitsOfPeople && name != "nobody") names.users.emplace_back(name);
  }
}

void add_names_of_file(const Command& command, NamesHere& names) {
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return;
  const auto& cluster = file->parsed.cluster;
  for (const auto& [name, spec] : cluster.nodes) names.hosts.push_back(name);
  for (const auto& [name, spec] : cluster.external) names.hosts.push_back(name);
  names.others.push_back(cluster.name);
  for (const auto& target : cluster.storage) names.others.push_back(target.nqn.value);
}

NamesHere names_here(const Command& command, bool may_use_ports, host::View& view) {
  NamesHere names;
  add_names_of_file(command, names);
  add_users(command.host.files, names);
  if (const auto told = told_here(command.host)) {
    names.others.push_back(told->own.cluster);
    for (const auto& peer : told->peers) names.hosts.push_back(peer.details.node);
  }
  if (!may_use_ports) return names;
  if (const auto& identity = view.identity()) names.hosts.push_back(identity->hostname);
  if (const auto& links = view.links()) {
    for (const auto& link : *links) {
      names.devices.push_back(link.name);
      names.devices.insert(names.devices.end(), link.altnames.begin(), link.altnames.end());
    }
  }
  if (const auto& ports = view.rdma_ports()) {
    for (const auto& port : *ports) names.devices.push_back(port.device);
  }
  return names;
}

ExitCode write_after_question(const Command& command, const std::string& path,
                              const Examination& examination, const SharedReport& bundle) {
  const auto& arguments = command.arguments;
  command.terminal.complain(in_lines(bundle.listing, command.terminal.error_width()));
  if (can_be_asked(arguments) && !ask_on_terminal("Write this bundle? [y/N] ").value_or(false)) {
    command.terminal.complain("not written\n");
    return ExitCode::kRefused;
  }
  const auto written = write_new_file(path, bundle.text, "--bundle", NewFileMode::kOwner);
  if (!written) return report_error(command, written.error());
  command.terminal.complain(fmt::format("wrote {}\n", printable(path)));
  if (arguments.json) {
    nlohmann::json body{{"findings", findings_json(examination)}};
    add_artifact(body, path, kBundleSchema, bundle.text);
    print_json(command.terminal, "doctor", config::Cluster{}, "", ExitCode::kDone, body);
  }
  return ExitCode::kDone;
}

ExitCode bundle_of(const Command& command, const std::string& path, BundleNames names,
                   const Examination& examination) {
  host::View view(command.host);
  const auto documents = documents_of(command, examination, names, view);
  const auto bundle =
      make_bundle(documents, names_here(command, !examination.has_hung, view), names);
  if (!bundle) return report_error(command, bundle.error());
  return write_after_question(command, path, examination, *bundle);
}

}  // namespace

ExitCode write_bundle(const Command& command, const std::string& path, BundleNames names) {
  if (const auto is_new = check_new_file(path, "--bundle"); !is_new) {
    return report_error(command, is_new.error());
  }
  const auto examination = examine(command);
  const auto code = bundle_of(command, path, names, examination);
  if (examination.has_hung) {
    // Its thread uses what the end of main() destroys.
    static_cast<void>(command.terminal.finish());
    std::_Exit(static_cast<int>(code));
  }
  return code;
}

}  // namespace spark::cli
