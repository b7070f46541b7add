#include "cli/input/options.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::cli {
namespace {

constexpr std::array kDurations{Word{"30s", "half a minute"}, Word{"60s", "a minute"},
                                Word{"5m", "five minutes"}, Word{"2h", "two hours"}};
// In the order of the enumerators.
constexpr std::array kColors{Word{"auto", "on a terminal"}, Word{"always", ""}, Word{"never", ""}};
constexpr std::array kFormats{Word{"env", "NAME=value, for EnvironmentFile= and --env-file"},
                              Word{"shell", "export NAME='value'"}, Word{"json", "as --json"}};

constexpr std::array kReportFormats{Word{"text", "for people"}, Word{"json", "as --json"},
                                    Word{"github", "annotations of GitHub Actions"}};

constexpr std::array kTopologyFormats{Word{"text", "a picture on a terminal, else lines"},
                                      Word{"svg", "one picture, which needs nothing else"},
                                      Word{"json", "as --json"}};

constexpr std::array kRings{Word{"3", ""}, Word{"4", ""}};

// In the order of the enumerators; the third is the default.
constexpr std::array kRails{Word{"0", ""}, Word{"1", ""}};

constexpr std::array kHistoryViews{Word{"list", "all that was applied (the default)"},
                                   Word{"diff", "what differs between two files of it"}};

constexpr std::array kExports{
    Word{"environment", "the variables of jobs (the default)"},
    Word{"mpi-hostfile", "a host file of Open MPI, in the order of the cables"},
    Word{"mpirun", "a line that starts one rank a node, each with its own environment"},
    Word{"docker-args", "what `docker run` needs before the image"},
    Word{"vllm-env", "the .env of spark-vllm-docker, for launch-cluster.sh on this node"},
    Word{"sparkrun", "the nodes for sparkrun, and `env` for a recipe"},
    Word{"prometheus-sd", "all nodes of the file, for file_sd or http_sd of Prometheus"},
    Word{"slurm-nodes", "all nodes of the file, as lines of slurm.conf"},
    Word{"ansible-inventory", "all nodes of the file, as an inventory of Ansible"}};

constexpr std::array kVerifyModes{
    Word{"head", "the commit whose file is taken is signed (the default)"},
    Word{"range", "so is each commit of the first-parent line"},
    Word{"tag", "a tag at or below the branch's head is signed"},
    Word{"none", "nobody is asked to sign"}};

// In the order of the enumerators; none is the default.
constexpr std::array kEngines{Word{"slurm", "by spark-reconcile-slurm, a package of its own"}};

constexpr std::string_view kAboutChangeId =
    "the id of this change elsewhere, as of a ticket: shown in history, events and alerts (64 "
    "characters at most)";

constexpr std::string_view kAboutMuteId =
    "the id of this change elsewhere, as of a ticket: shown in events (64 characters at most)";

struct ValueRow {
  Value value{};
  std::string_view name;
  std::span<const Word> words;
  std::string_view what;     ///< empty: one of the words
  std::string_view example;  ///< empty: the first word
};

constexpr std::array kValues{
    ValueRow{Value::kNone, "", {}},
    ValueRow{Value::kText, "TEXT", {}, "a text", "TEXT"},
    ValueRow{Value::kFile, "FILE", {}, "the name of a file", "FILE"},
    ValueRow{Value::kDirectory, "DIRECTORY", {}, "a directory", "DIRECTORY"},
    ValueRow{Value::kNode, "NODE", {}, "the name of a node", "spark1"},
    ValueRow{Value::kDuration, "DURATION", kDurations,
             "a duration (a whole number from 1, and ms, s, m or h)", "5m"},
    ValueRow{Value::kVerb, "VERB", {}, "a verb", "status"},
    ValueRow{Value::kColor, "WHEN", kColors},
    ValueRow{Value::kFormat, "FORMAT", kFormats},
    ValueRow{Value::kReportFormat, "FORMAT", kReportFormats},
    ValueRow{Value::kTopologyFormat, "FORMAT", kTopologyFormats},
    ValueRow{Value::kHistoryView, "WHAT", kHistoryViews},
    ValueRow{Value::kExported, "WHAT", kExports},
    ValueRow{Value::kGeneration, "N", {}, "the number of a generation", "3"},
    ValueRow{Value::kRing, "N", kRings},
    ValueRow{Value::kRail, "N", kRails},
    ValueRow{Value::kCount, "N", {}, "a whole number from 1", "4"},
    ValueRow{
        Value::kNames, "NAMES", {}, "names of nodes with commas between them", "spark1,spark2"},
    ValueRow{Value::kUrl, "URL", {}, "a URL", "https://HOST/PATH"},
    ValueRow{Value::kVerify, "MODE", kVerifyModes},
    ValueRow{Value::kPattern, "PATTERN", {}, "a pattern", "v*"},
    ValueRow{Value::kKey, "KEY", {}, "the key of a server", "ssh-ed25519 AAAA..."},
    ValueRow{Value::kCommit, "COMMIT", {}, "the id of a commit", "3f9a1c02b4d6"},
    ValueRow{Value::kWord, "WORD", {}, "a word", "fabric.mtu"},
    ValueRow{Value::kVersion, "VERSION", {}, "a version", "2.28.9"},
    ValueRow{Value::kDigest, "DIGEST", {}, "a digest, or its beginning", "3f9a1c02"},
    ValueRow{Value::kAlert, "ID", {}, "the name or the id of an alert", "SparkDrift"},
    ValueRow{Value::kEngine, "ENGINE", kEngines},
};
static_assert(kValues.size() == std::size_t{static_cast<std::uint8_t>(Value::kEngine)} + 1,
              "each sort of value has a row");

/// Options of one name have one range, whatever the verb.
constexpr std::array kRanges{
    DurationRange{"--confirm", "5s", "1h", "ms"}, DurationRange{"--for", "", "168h", "hm"},
    DurationRange{"--timeout", "", "", "s"},      DurationRange{"--since", "", "", "h"},
    DurationRange{"--every", "5s", "24h", "sm"},  DurationRange{"--settle", "", "24h", "ms"}};

constexpr std::array kOptions{
    OptionRow{Verb::kInit, "--discover", Value::kNone, &Arguments::discover,
              "the nodes at the other ends of the cables, each of which runs `join`"},
    OptionRow{Verb::kInit, "--nodes", Value::kCount, &Arguments::node_count,
              "with --discover: wait until so many nodes are there, this one included (2 to 8)"},
    OptionRow{Verb::kInit, "-y,--yes", Value::kNone, &Arguments::yes,
              "with --discover and --nodes: write the file without a question"},
    OptionRow{Verb::kInit, "--from-host", Value::kNone, &Arguments::from_host,
              "what this machine runs, each value with its origin"},
    OptionRow{Verb::kInit, "--pair", Value::kNone, &Arguments::pair,
              "two nodes and one cable between them"},
    OptionRow{Verb::kInit, "--ring", Value::kRing, &Arguments::ring,
              "three or four nodes, each cabled to the next"},
    OptionRow{Verb::kInit, "--switch", Value::kCount, &Arguments::switch_nodes,
              "so many nodes at one switch, 254 at most"},
    OptionRow{
        Verb::kInit, "--names", Value::kNames, &Arguments::names,
        "host names of the nodes: spark1,spark2 (default: this machine's, and names like it)"},
    OptionRow{Verb::kInit, "-o,--out", Value::kFile, &Arguments::out,
              "write into this new file, not to stdout"},
    OptionRow{Verb::kJoin, "--words", Value::kText, &Arguments::words,
              "instead of the question: the four words that the other node printed; - reads them "
              "from stdin"},
    OptionRow{Verb::kValidate, "--all-nodes", Value::kNone, &Arguments::all_nodes,
              "show what the file makes of each node: links, MTU, addresses"},
    OptionRow{Verb::kValidate, "--against", Value::kFile, &Arguments::against,
              "show what changes on each node (or on that of -n) compared with this file; - is "
              "stdin"},
    OptionRow{Verb::kValidate, "--detailed-exitcode", Value::kNone, &Arguments::detailed_exitcode,
              "with --against: 0 no node changes, 2 some do, 4 the other file is invalid"},
    OptionRow{Verb::kValidate, "--format", Value::kReportFormat, &Arguments::report_format,
              "print text (default), json, or github (annotations in a pull request)"},
    OptionRow{Verb::kPlan, "--detailed-exitcode", Value::kNone, &Arguments::detailed_exitcode,
              "0 in sync, 2 differences, 3 waiting, 4 unknown or not enforced"},
    OptionRow{Verb::kPlan, "--release", Value::kNone, &Arguments::release,
              "plan what `release` would restore"},
    OptionRow{Verb::kPlan, "--out", Value::kFile, &Arguments::out,
              "save the plan, for `apply FILE`"},
    OptionRow{Verb::kPlan, "--facts", Value::kFile, &Arguments::facts,
              "plan for what `facts` printed, not for this machine"},
    OptionRow{Verb::kPlan, "--format", Value::kReportFormat, &Arguments::report_format,
              "print text (default), json, or github (annotations in a pull request)"},
    OptionRow{Verb::kApply, "FILE", Value::kFile, &Arguments::plan_file,
              "a plan saved by `plan --out`"},
    OptionRow{
        Verb::kApply, "--confirm", Value::kDuration, &Arguments::confirm,
        "roll everything back unless you confirm in time (5s to 1h); use it when a change may "
        "cut you off"},
    OptionRow{Verb::kApply, "-y,--yes", Value::kNone, &Arguments::yes,
              "ask nothing; a terminal asks before a plan that disturbs what runs"},
    OptionRow{Verb::kApply, "--change-id", Value::kText, &Arguments::change_id, kAboutChangeId},
    OptionRow{Verb::kConfirm, "--change-id", Value::kText, &Arguments::change_id, kAboutChangeId},
    OptionRow{Verb::kRollback, "-y,--yes", Value::kNone, &Arguments::yes,
              "ask nothing; a terminal asks before a plan that disturbs what runs"},
    OptionRow{Verb::kRollback, "N", Value::kGeneration, &Arguments::generation,
              "return to the file of that generation of `history`"},
    OptionRow{Verb::kRollback, "--overdue", Value::kNone, &Arguments::overdue,
              "only what was not confirmed in time (for the timer and the boot)"},
    OptionRow{Verb::kRollback, "--change-id", Value::kText, &Arguments::change_id, kAboutChangeId},
    OptionRow{Verb::kDoctor, "--bundle", Value::kFile, &Arguments::bundle,
              "write what helps others to judge this machine into this new file; names, addresses "
              "and ids are replaced, and listed"},
    OptionRow{Verb::kDoctor, "--keep-names", Value::kNone, &Arguments::keep_names,
              "with --bundle: replace nothing"},
    OptionRow{Verb::kDoctor, "-y,--yes", Value::kNone, &Arguments::yes,
              "with --bundle: ask nothing; a terminal asks before the bundle is written"},
    OptionRow{Verb::kRelease, "-y,--yes", Value::kNone, &Arguments::yes,
              "ask nothing; a terminal asks before a plan that disturbs what runs"},
    OptionRow{Verb::kRelease, "--change-id", Value::kText, &Arguments::change_id, kAboutChangeId},
    OptionRow{Verb::kHistory, "WHAT", Value::kHistoryView, &Arguments::history_view,
              "list (the default), or diff: what differs between the files of two generations"},
    OptionRow{Verb::kHistory, "N", Value::kGeneration, &Arguments::generation,
              "diff from this one (default: the one before the file in force)"},
    OptionRow{Verb::kHistory, "M", Value::kGeneration, &Arguments::other_generation,
              "to this one (default: the file in force)"},
    OptionRow{Verb::kStatus, "--exit-code", Value::kNone, &Arguments::exit_code,
              "exit with the state of the node"},
    OptionRow{Verb::kStatus, "-w,--watch", Value::kNone, &Arguments::watch,
              "show it until you press Ctrl-C, as it changes (on a terminal)"},
    OptionRow{Verb::kStatus, "--brief", Value::kNone, &Arguments::brief,
              "one line of the whole cluster: how many nodes are ready, and what is wrong"},
    OptionRow{Verb::kStatus, "--here", Value::kNone, &Arguments::here,
              "this node alone: its cages, rails and cables, and what differs from the file"},
    OptionRow{Verb::kStatus, "--engine", Value::kEngine, &Arguments::engine,
              "instead: what slurm knows of the nodes; what follows is its adapter's"},
    OptionRow{Verb::kRollout, "--engine", Value::kEngine, &Arguments::engine,
              "which one: slurm; all that follows is its adapter's, as FILE and --wait", true},
    OptionRow{Verb::kGate, "--nodes", Value::kNames, &Arguments::names,
              "for a job of these nodes alone: what leads to others does not count"},
    OptionRow{Verb::kGate, "--full", Value::kNone, &Arguments::full,
              "measure bandwidth, also where the file names no floor or a job uses the device"},
    OptionRow{
        Verb::kGate, "--checklist", Value::kNone, &Arguments::checklist,
        "instead: what only a real Spark can tell, and what this machine says; needs no file"},
    OptionRow{Verb::kGate, "-o,--out", Value::kFile, &Arguments::out,
              "with --checklist: write it into this new file, for others to read"},
    OptionRow{Verb::kBench, "PEER", Value::kNode, &Arguments::peer,
              "the node at the other end (default: the only one)"},
    OptionRow{Verb::kBench, "--all", Value::kNone, &Arguments::all_peers,
              "all nodes that this one shares a cable or a switch with, one after the other"},
    OptionRow{Verb::kBench, "--rail", Value::kRail, &Arguments::rail,
              "this rail alone: 0 or 1 (default: each, and all together)"},
    OptionRow{Verb::kBench, "--seconds", Value::kCount, &Arguments::seconds,
              "for each number (1 to 30, default 2)"},
    OptionRow{Verb::kBench, "--minimum", Value::kCount, &Arguments::minimum,
              "exit with 2 where all rails together move fewer Gb/s in a direction"},
    OptionRow{Verb::kBench, "--report", Value::kFile, &Arguments::report,
              "write a page for others into this new file (HTML, needs nothing else)"},
    OptionRow{Verb::kBench, "--beside-jobs", Value::kNone, &Arguments::beside_jobs,
              "also where a job uses the rail: both are slower meanwhile"},
    OptionRow{Verb::kExplain, "WORD", Value::kWord, &Arguments::word,
              "an id, an alert, a key, a metric, a word or a resource (default: list these kinds)"},
    OptionRow{Verb::kTopology, "--format", Value::kTopologyFormat, &Arguments::topology_format,
              "print text (default), svg (one picture, for a page or a wiki) or json"},
    OptionRow{Verb::kTopology, "--live", Value::kNone, &Arguments::live,
              "mark what this node knows now: which nodes are ready, which cables are proven"},
    OptionRow{Verb::kTopology, "--diff", Value::kFile, &Arguments::diff,
              "mark what differs from this older file: + added, - removed, ~ changed; - is stdin"},
    OptionRow{Verb::kTopology, "-o,--out", Value::kFile, &Arguments::out,
              "write into this new file, not to stdout"},
    OptionRow{Verb::kExport, "WHAT", Value::kExported, &Arguments::exported,
              "environment (default), mpi-hostfile, mpirun, docker-args, vllm-env, sparkrun, "
              "prometheus-sd, slurm-nodes or ansible-inventory"},
    OptionRow{Verb::kExport, "--format", Value::kFormat, &Arguments::format,
              "print env (default; EnvironmentFile=, --env-file), shell (export ...) or json"},
    OptionRow{Verb::kExport, "--nodes", Value::kNames, &Arguments::names,
              "for a job of these nodes alone, by the cables and switches between them"},
    OptionRow{Verb::kExport, "--facts", Value::kFile, &Arguments::facts,
              "for the machine whose `facts` output this is, not for this one"},
    OptionRow{Verb::kExport, "--nccl", Value::kVersion, &Arguments::nccl_version,
              "for jobs with this NCCL, as 2.28.9 (default: for any)"},
    OptionRow{Verb::kExport, "--ucx", Value::kVersion, &Arguments::ucx_version,
              "for jobs with this UCX, as 1.18 (default: for any)"},
    OptionRow{Verb::kFacts, "--discover", Value::kNone, &Arguments::discover,
              "ask the file's NVMe targets what they offer this machine"},
    OptionRow{Verb::kFacts, "--share", Value::kNone, &Arguments::share,
              "for others to read: names, addresses and serial numbers are replaced, and listed"},
    OptionRow{Verb::kFacts, "-o,--out", Value::kFile, &Arguments::out,
              "with --share: write into this new file, not to stdout"},
    OptionRow{Verb::kFacts, "-y,--yes", Value::kNone, &Arguments::yes,
              "with --share: ask nothing; a terminal asks before the report is written"},
    OptionRow{Verb::kWait, "--ready", Value::kNone, {}, "for the gate to be open (the default)"},
    OptionRow{Verb::kWait, "--cluster", Value::kNone, &Arguments::cluster,
              "for all nodes of the file that are not `away` to say that they are ready, with one "
              "file"},
    OptionRow{Verb::kWait, "--nodes", Value::kNames, &Arguments::names,
              "with --cluster: for these nodes alone, also where they are `away`"},
    OptionRow{Verb::kWait, "--digest", Value::kDigest, &Arguments::digest,
              "with --cluster: for the file of this digest, or of what it begins with (default: "
              "the file in force on this node)"},
    OptionRow{Verb::kWait, "--timeout", Value::kDuration, &Arguments::timeout,
              "give up after this long (default: never)"},
    OptionRow{Verb::kEvents, "-f,--follow", Value::kNone, &Arguments::follow,
              "and follow what happens from now on"},
    OptionRow{Verb::kEvents, "--since", Value::kDuration, &Arguments::since,
              "only the last 12h, or as long as you say (default: all that is kept)"},
    OptionRow{Verb::kPause, "--for", Value::kDuration, &Arguments::pause_for,
              "how long: 2h (168h at most)", true},
    OptionRow{Verb::kPause, "--reason", Value::kText, &Arguments::reason,
              "why, shown in status and on the page (200 characters at most)"},
    OptionRow{Verb::kPause, "--change-id", Value::kText, &Arguments::change_id, kAboutChangeId},
    OptionRow{Verb::kResume, "--change-id", Value::kText, &Arguments::change_id, kAboutChangeId},
    OptionRow{Verb::kMute, "ID", Value::kAlert, &Arguments::mute_id,
              "the name or the id of an alert (default: list what is muted)"},
    OptionRow{Verb::kMute, "NODE", Value::kNode, &Arguments::mute_node,
              "the alerts about this node alone (default: about any)"},
    OptionRow{Verb::kMute, "--for", Value::kDuration, &Arguments::mute_for,
              "how long: 2h (168h at most)"},
    OptionRow{Verb::kMute, "--why", Value::kText, &Arguments::why,
              "shown wherever the mute is (200 characters at most)"},
    OptionRow{Verb::kMute, "--end", Value::kNone, &Arguments::end,
              "end the mute; what is raised is told at once"},
    OptionRow{Verb::kMute, "--change-id", Value::kText, &Arguments::change_id, kAboutMuteId},
    OptionRow{Verb::kFollow, "URL", Value::kUrl, &Arguments::source_url,
              "https://host/path, ssh://git@host/path, file:///path or file:///path/x.bundle"},
    OptionRow{Verb::kFollow, "--branch", Value::kText, &Arguments::branch, "default main"},
    OptionRow{Verb::kFollow, "--path", Value::kText, &Arguments::path_in_source,
              "the file in the repository (default cluster.yaml)"},
    OptionRow{Verb::kFollow, "--signers", Value::kFile, &Arguments::signers,
              "the keys whose signatures count (default /etc/spark-reconcile/signers)"},
    OptionRow{Verb::kFollow, "--verify", Value::kVerify, &Arguments::verify,
              "what has to be signed: head (default), range, tag or none"},
    OptionRow{Verb::kFollow, "--tag", Value::kPattern, &Arguments::tag,
              "with --verify tag: which tags, as v* (default *)"},
    OptionRow{Verb::kFollow, "--revoked", Value::kFile, &Arguments::revoked,
              "keys that count no more"},
    OptionRow{
        Verb::kFollow, "--host-key", Value::kKey, &Arguments::host_key,
        "ssh: the server's key, 'ssh-ed25519 AAAA...' (default: it is shown, and you are asked)"},
    OptionRow{Verb::kFollow, "--ca", Value::kFile, &Arguments::ca,
              "https: the certificates that are trusted instead of the system's"},
    OptionRow{Verb::kFollow, "--every", Value::kDuration, &Arguments::every,
              "how often it is fetched (5s to 24h, default 60s)"},
    OptionRow{Verb::kFollow, "--settle", Value::kDuration, &Arguments::settle,
              "a file counts as good when nothing that held before fails for so long (at most 24h, "
              "default 2m)"},
    OptionRow{Verb::kFollow, "--check", Value::kNone, &Arguments::check,
              "prove the chain from the first commit to the newest; apply nothing"},
    OptionRow{Verb::kFollow, "--accept", Value::kCommit, &Arguments::accept,
              "begin again at this commit: the way out of a rewind that is meant"},
    OptionRow{Verb::kFollow, "--stop", Value::kNone, &Arguments::stop,
              "follow it no longer; the file in force stays"},
    OptionRow{Verb::kFollow, "-y,--yes", Value::kNone, &Arguments::yes,
              "ask nothing; a terminal asks before the repository is followed"},
    OptionRow{Verb::kSync, "--retry", Value::kNone, &Arguments::retry,
              "try again the files that failed on this node"},
    OptionRow{Verb::kSync, "--skip", Value::kNode, &Arguments::skip,
              "wait no longer for this node in the roll-out that is held here; takes --why"},
    OptionRow{Verb::kSync, "--why", Value::kText, &Arguments::why,
              "why, shown in status and events (200 characters at most)"},

    OptionRow{{},
              "-f,--file",
              Value::kFile,
              &Arguments::file,
              "the cluster file; - is stdin (default /etc/spark-reconcile/cluster.yaml)"},
    OptionRow{{},
              "-n,--node",
              Value::kNode,
              &Arguments::node,
              "node of the file (default: the one that this machine is)"},
    OptionRow{{}, "--json", Value::kNone, &Arguments::json, "print one JSON object"},
    OptionRow{{},
              "--color",
              Value::kColor,
              &Arguments::color,
              "use colors: auto, always or never; NO_COLOR means never"},
    OptionRow{{},
              "--root",
              Value::kDirectory,
              &Arguments::root,
              "read and write /etc, /var and /run below this directory (for tests and images); "
              "/proc and /sys stay the system's"},
    OptionRow{{},
              "-q,--quiet",
              Value::kNone,
              &Arguments::quiet,
              "print only errors and the closing line"},
    OptionRow{{},
              "-v,--verbose",
              Value::kNone,
              &Arguments::verbosity,
              "log each step with its cause, on stderr; -vv: also each difference that is found"},
    OptionRow{{}, "--version", Value::kNone, &Arguments::asks_version, "the same as the verb"},
    kHelpOption,
};

}  // namespace

std::string_view name_of(Value value) { return kValues.at(static_cast<std::size_t>(value)).name; }

std::span<const Word> words_of(Value value) {
  return kValues.at(static_cast<std::size_t>(value)).words;
}

std::string described(Value value) {
  const auto& row = kValues.at(static_cast<std::size_t>(value));
  if (!row.what.empty()) return std::string(row.what);
  std::vector<std::string> words;
  for (const auto& word : row.words) words.emplace_back(word.text);
  return listed(words, "or");
}

std::string_view sample_of(Value value) {
  const auto& row = kValues.at(static_cast<std::size_t>(value));
  return row.example.empty() && !row.words.empty() ? row.words.front().text : row.example;
}

DurationRange duration_range(const OptionRow& option) {
  return *std::ranges::find(kRanges, names_in(option).back(), &DurationRange::option);
}

std::string duration_near(const OptionRow& option, const std::string& text) {
  const auto range = duration_range(option);
  const auto least = parse_duration(range.least);
  const auto most = parse_duration(range.most);
  std::vector<std::string> candidates;
  if (parse_decimal(text)) {
    for (const char unit : range.units) candidates.push_back(text + unit);
  } else {
    candidates.push_back(parse_duration(text) ? text : meant_duration(text));
  }
  for (const auto& candidate : candidates) {
    const auto duration = parse_duration(candidate);
    const bool is_in_range = duration && duration->count() > 0 && (!least || *duration >= *least) &&
                             (!most || *duration <= *most);
    if (is_in_range) return candidate;
  }
  const auto duration = parse_duration(candidates.front());
  if (!duration || duration->count() == 0) return {};
  return std::string(most && *duration > *most ? range.most : range.least);
}

std::span<const OptionRow> options() { return kOptions; }

std::vector<OptionRow> options_of(Verb verb) {
  std::vector<OptionRow> own;
  std::ranges::copy_if(kOptions, std::back_inserter(own),
                       [&](const OptionRow& row) { return row.verb == verb; });
  return own;
}

std::vector<OptionRow> arguments_of(Verb verb) {
  auto rows = options_of(verb);
  std::erase_if(rows, [](const OptionRow& row) { return !row.is_argument(); });
  return rows;
}

std::vector<OptionRow> common_options() {
  std::vector<OptionRow> common;
  std::ranges::copy_if(kOptions, std::back_inserter(common),
                       [](const OptionRow& row) { return !row.verb.has_value(); });
  return common;
}

std::vector<OptionRow> common_options(Verb verb) {
  const auto own = options_of(verb);
  const auto is_taken = [&](std::string_view name) {
    return std::ranges::any_of(own, [&](const OptionRow& row) { return has_name(row, name); });
  };
  auto common = common_options();
  for (auto& row : common) {
    const auto names = names_in(row);
    if (names.size() > 1 && is_taken(names.front())) {
      row.names = names.back();
    }
  }
  return common;
}

const OptionRow* option_named(std::optional<Verb> verb, std::string_view name) {
  const auto find = [&](std::optional<Verb> owner) -> const OptionRow* {
    const auto found = std::ranges::find_if(
        kOptions, [&](const OptionRow& row) { return row.verb == owner && has_name(row, name); });
    return found == kOptions.end() ? nullptr : &*found;
  };
  const auto* own = verb ? find(verb) : nullptr;
  return own != nullptr ? own : find(std::nullopt);
}

bool names_an_option(std::string_view word) {
  return word.starts_with('-') &&
         std::ranges::any_of(kOptions, [&](const OptionRow& row) { return has_name(row, word); });
}

bool has_name(const OptionRow& option, std::string_view name) {
  const auto names = names_in(option);
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string_view> names_in(const OptionRow& option) { return split(option.names, ','); }

}  // namespace spark::cli
