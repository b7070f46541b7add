#pragma once
// Arguments: what the command line asks for.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/verb.hpp"

namespace spark::cli {

/// What `export` prints.
enum class ExportFormat : std::uint8_t {
  kEnv,    ///< NAME=value, for EnvironmentFile= and --env-file
  kShell,  ///< export NAME='value'
  kJson,   ///< as --json
};

/// Of what `export` is asked for.
enum class Exported : std::uint8_t {
  kEnvironment,
  kMpiHostfile,
  kMpirun,
  kDockerArguments,
  kVllmEnv,           ///< the `.env` of spark-vllm-docker
  kSparkrun,          ///< a recipe's `env`, and the command that names the nodes
  kPrometheusSd,      ///< the nodes, for the service discovery of Prometheus
  kSlurmNodes,        ///< the nodes, for slurm.conf
  kAnsibleInventory,  ///< the nodes, for Ansible
};

/// How `validate` and `plan` report.
enum class ReportFormat : std::uint8_t {
  kText,
  kJson,    ///< as --json
  kGithub,  ///< workflow commands (cli/workflow_commands.hpp)
};

/// What `topology` prints.
enum class TopologyFormat : std::uint8_t {
  kText,
  kSvg,
  kJson,  ///< as --json
};

/// What `history` shows.
enum class HistoryView : std::uint8_t {
  kList,  ///< all generations
  kDiff,  ///< what differs between the files of two of them
};

/// bench --rail. A cage has two.
enum class WhichRail : std::uint8_t { kRail0, kRail1, kAll };

/// follow --verify, in the order of config::Verify.
enum class VerifyMode : std::uint8_t { kHead, kRange, kTag, kNone };

/// Who brings a file to the nodes. `spark-reconcile-NAME` is its adapter (cli/input/engine.hpp).
enum class Engine : std::uint8_t { kSlurm, kNone };

enum class Color : std::uint8_t { kAuto, kAlways, kNever };

struct Arguments {
  Verb verb = Verb::kVersion;
  std::vector<std::string> typed;  ///< all words behind the program's name; empty: nobody typed it
  Color color = Color::kAuto;
  ExportFormat format = ExportFormat::kEnv;  ///< export --format
  Exported exported = Exported::kEnvironment;
  ReportFormat report_format = ReportFormat::kText;        ///< validate --format, plan --format
  TopologyFormat topology_format = TopologyFormat::kText;  ///< topology --format
  bool json = false;
  bool quiet = false;
  bool detailed_exitcode = false;    ///< plan, validate
  bool all_nodes = false;            ///< validate
  bool exit_code = false;            ///< status
  bool watch = false;                ///< status --watch
  bool brief = false;                ///< status --brief
  bool here = false;                 ///< status --here
  bool full = false;                 ///< gate
  bool checklist = false;            ///< gate
  bool discover = false;             ///< facts, init
  bool share = false;                ///< facts
  bool release = false;              ///< plan --release, and the verb `release`
  bool follow = false;               ///< events -f, --follow
  bool overdue = false;              ///< rollback --overdue
  bool yes = false;                  ///< apply, rollback, release, facts, init, doctor: no question
  bool keep_names = false;           ///< doctor --keep-names
  bool from_host = false;            ///< init
  bool pair = false;                 ///< init
  bool all_peers = false;            ///< bench --all
  bool beside_jobs = false;          ///< bench --beside-jobs
  WhichRail rail = WhichRail::kAll;  ///< bench --rail
  Engine engine = Engine::kNone;     ///< rollout --engine, status --engine
  bool cluster = false;              ///< wait --cluster
  bool end = false;                  ///< mute --end
  bool live = false;                 ///< topology --live
  bool asks_version = false;         ///< --version
  int verbosity = 0;                 ///< how often -v was given
  std::string file;            ///< -f: path of the cluster file, "-" for stdin; empty: the default
  std::string node;            ///< -n: name in the file; empty: the node that this machine is
  std::string root = "/";      ///< --root: where /etc, /var and /run are
  std::string out;             ///< plan --out, init -o, facts -o, topology -o, gate -o
  std::string bundle;          ///< doctor --bundle: path of the new file
  std::string names;           ///< init --names, --nodes: "spark1,spark2"
  std::string digest;          ///< wait --digest: its beginning; empty: of the file in force here
  std::string against;         ///< validate --against: path of the other file, "-" for stdin
  std::string diff;            ///< topology --diff: path of the other file, "-" for stdin
  std::string facts;           ///< plan --facts, export --facts
  std::string nccl_version;    ///< export --nccl
  std::string ucx_version;     ///< export --ucx
  std::string plan_file;       ///< apply FILE
  std::string reason;          ///< pause --reason
  std::string change_id;       ///< --change-id of the verbs that change this node; empty: none
  std::string mute_id;         ///< mute ID: the id or the name of an alert; empty: list the mutes
  std::string mute_node;       ///< mute ID NODE; empty: about any node
  std::string why;             ///< mute --why, sync --why
  std::string topic;           ///< help VERB
  std::string word;            ///< explain WORD; empty: the kinds of words
  std::string source_url;      ///< follow URL
  std::string branch;          ///< follow --branch
  std::string path_in_source;  ///< follow --path
  std::optional<VerifyMode> verify;           ///< follow --verify; empty: not given
  std::string signers;                        ///< follow --signers
  std::string revoked;                        ///< follow --revoked
  std::string tag;                            ///< follow --tag
  std::string host_key;                       ///< follow --host-key
  std::string ca;                             ///< follow --ca
  std::string accept;                         ///< follow --accept: a commit
  bool stop = false;                          ///< follow --stop
  bool check = false;                         ///< follow --check
  bool retry = false;                         ///< sync --retry
  std::string skip;                           ///< sync --skip: name of a node
  std::chrono::milliseconds every{0};         ///< follow --every; 0: not given
  std::chrono::milliseconds settle{0};        ///< follow --settle; 0: not given
  std::optional<std::uint64_t> ring;          ///< init --ring: how many nodes
  std::optional<std::uint64_t> node_count;    ///< init --nodes: how many nodes, with --discover
  std::string words;                          ///< join --words; "-": from stdin
  std::optional<std::uint64_t> switch_nodes;  ///< init --switch: how many nodes
  std::string peer;                           ///< bench PEER; empty: the only one
  std::string report;                         ///< bench --report: path of the page
  std::optional<std::uint64_t> seconds;       ///< bench --seconds, of each number
  std::optional<std::uint64_t> minimum;       ///< bench --minimum, Gb/s
  HistoryView history_view = HistoryView::kList;
  std::optional<std::uint64_t> generation;        ///< rollback N, history diff N
  std::optional<std::uint64_t> other_generation;  ///< history diff N M
  std::chrono::milliseconds timeout{0};           ///< wait --timeout; 0: forever
  std::chrono::milliseconds pause_for{0};         ///< pause --for
  std::chrono::milliseconds mute_for{0};          ///< mute --for
  std::chrono::milliseconds since{0};             ///< events --since; 0: all
  std::chrono::milliseconds confirm{0};  ///< apply --confirm; 0: no confirmation is waited for
};

/// The text as a POSIX shell takes it for one word.
std::string shell_word(const std::string& text);

/// The command line that runs `verb` on the same node of the same file (or the same saved plan),
/// for a text that names it as the next step; to be pasted into a shell.
std::string command_line_for(std::string_view verb, const Arguments& arguments);

}  // namespace spark::cli
