#include "cli/input/meant.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.hpp"

namespace spark::cli {
namespace {

struct Meaning {
  std::optional<Verb> verb;  ///< empty: each; its rows stand behind those of a verb
  std::string_view words;    ///< in lower case, a comma between two
  std::string_view advice;
};

constexpr std::array kMeantVerbs{
    Meaning{{},
            "start,run",
            "`sudo systemctl start spark-reconcile` starts the daemon; once, without it: `sudo "
            "spark-reconcile apply`"},
    Meaning{{},
            "stop,disable,off",
            "`sudo spark-reconcile pause --for 2h` has the daemon correct nothing, `sudo systemctl "
            "stop spark-reconcile` ends it, `sudo spark-reconcile release` hands the node back"},
    Meaning{{},
            "restart",
            "`sudo systemctl restart spark-reconcile` restarts the daemon; a changed file it takes "
            "by itself"},
    Meaning{
        {},
        "reload,refresh",
        "the daemon takes a changed file by itself: `sudo systemctl reload spark-reconcile` has it "
        "look now"},
    Meaning{
        {},
        "enable,on",
        "`sudo systemctl enable --now spark-reconcile` starts the daemon, now and at each boot"},
    Meaning{{},
            "up,deploy,converge,reconcile,commit,push,execute,repair,fix,heal",
            "what the file asks for is set by `sudo spark-reconcile apply`"},
    Meaning{{},
            "delete node,remove node,rm node,drop node,drain node,destroy node",
            "a node is taken out of the file, below `nodes:`; before that, what was set on it is "
            "handed back there: `ssh -t NODE sudo spark-reconcile release`"},
    Meaning{{},
            "describe node,get node,show node,list node,info node,check node",
            "what is known of it: `spark-reconcile status -n NODE`"},
    Meaning{{},
            "set,edit,change",
            "a value is changed in the file: `sudoedit /etc/spark-reconcile/cluster.yaml`, then "
            "`spark-reconcile plan` shows what that comes to"},
    Meaning{{},
            "try",
            "`sudo spark-reconcile apply --confirm 2m` rolls everything back unless `sudo "
            "spark-reconcile confirm` comes in time"},
    Meaning{{},
            "import,adopt,migrate",
            "`sudo spark-reconcile init --from-host` writes a first file of what this machine "
            "runs"},
    Meaning{{},
            "down,destroy,teardown,reset,clean,cleanup,delete,remove,rm,purge,disconnect",
            "`sudo spark-reconcile release` hands the node back as it was before the first apply"},
    Meaning{{},
            "uninstall",
            "`sudo spark-reconcile release` hands the node back, then `sudo apt purge "
            "spark-reconcile` removes the program"},
    Meaning{
        {},
        "check,verify,lint,test,syntax",
        "`spark-reconcile validate` checks the file, `sudo spark-reconcile doctor` this machine, "
        "`sudo spark-reconcile gate` whether it is ready"},
    Meaning{{},
            "undo,revert,back,restore,unapply",
            "`sudo spark-reconcile rollback` returns to the last good file"},
    Meaning{
        {},
        "show,describe,info,list,ls,get,nodes,state,overview,summary,cluster,top,ps",
        "`spark-reconcile status` shows the nodes; one alone: `spark-reconcile status -n spark1`"},
    Meaning{{}, "watch,monitor", "`spark-reconcile status --watch` shows the nodes as they change"},
    Meaning{
        {},
        "log,logs,journal,tail",
        "`spark-reconcile events` shows what happened; all that the daemon logs: `journalctl -u "
        "spark-reconcile`"},
    Meaning{{},
            "ping,ready,health,probe",
            "`sudo spark-reconcile gate` tests each rail, `spark-reconcile status` shows what is "
            "known"},
    Meaning{{},
            "perf,speed,bandwidth,iperf,measure,benchmark",
            "`sudo spark-reconcile bench` measures each rail"},
    Meaning{{},
            "config,configure,settings,file,cat",
            "the file is /etc/spark-reconcile/cluster.yaml: `spark-reconcile validate` checks it, "
            "`spark-reconcile explain fabric` says what a key means"},
    Meaning{{},
            "setup,new,create,generate,discover,install,bootstrap,begin",
            "`sudo spark-reconcile init --discover` writes a first file of the cables as they are "
            "plugged; of a setup that works: `sudo spark-reconcile init --from-host`"},
    Meaning{{},
            "add",
            "a node is added in the file, below `nodes:`; then `spark-reconcile plan` shows what "
            "changes"},
    Meaning{
        {},
        "upgrade,update",
        "`sudo apt-get install spark-reconcile` installs a newer program; a newer file from git is "
        "fetched by `sudo spark-reconcile sync`"},
    Meaning{{},
            "clone,git,subscribe",
            "`sudo spark-reconcile follow https://HOST/PATH` follows a repository"},
    Meaning{{}, "pull,fetch", "`sudo spark-reconcile sync` fetches the followed repository now"},
    Meaning{{},
            "diagnose,debug,troubleshoot,why",
            "`sudo spark-reconcile doctor` says what is wrong, and prints the fix"},
    Meaning{{},
            "support,report,sosreport,dump",
            "`sudo spark-reconcile doctor --bundle FILE` writes what helps others to judge this "
            "machine"},
    Meaning{{},
            "env,nccl,variables,vars,hostfile",
            "`spark-reconcile export` prints the variables of jobs; a host file of MPI: "
            "`spark-reconcile export mpi-hostfile`"},
    Meaning{{},
            "silence,snooze,ack",
            "`sudo spark-reconcile mute SparkDrift --for 2h --why TEXT` tells nobody of that alert "
            "meanwhile"},
    Meaning{{}, "unmute", "`sudo spark-reconcile mute --end SparkDrift` ends the mute of an alert"},
    Meaning{{},
            "unpause,continue",
            "`sudo spark-reconcile resume` lets the daemon correct drift again"},
    Meaning{{},
            "accept,keep,yes,ok",
            "what `apply --confirm` changed is kept by `sudo spark-reconcile confirm`"},
    Meaning{{},
            "dry-run,preview,simulate",
            "`spark-reconcile plan` shows what apply would change, and changes nothing"},
    Meaning{
        {}, "draw,map,graph,picture,cables", "`spark-reconcile topology` draws nodes and cables"},
    Meaning{{},
            "alerts,mutes",
            "`spark-reconcile mute` lists what is muted, `spark-reconcile events` "
            "what was raised"},
    Meaning{{},
            "generations,versions",
            "`sudo spark-reconcile history` lists the files that were "
            "applied here"},
    Meaning{
        {}, "hold,freeze", "`sudo spark-reconcile pause --for 2h` has the daemon correct nothing"},
    Meaning{{},
            "service restart,daemon restart,systemctl restart",
            "`sudo systemctl restart spark-reconcile` restarts the daemon"},
    Meaning{
        {}, "service stop,systemctl stop", "`sudo systemctl stop spark-reconcile` ends the daemon"},
    Meaning{{},
            "service status,systemctl status",
            "`systemctl status spark-reconcile` shows the daemon"},
    Meaning{
        {}, "service,serve,systemctl", "`sudo systemctl start spark-reconcile` starts the daemon"},
    Meaning{{}, "man,usage,manual", "`spark-reconcile help` lists the verbs"},
};

constexpr std::array kMeantOptions{
    Meaning{Verb::kPlan, "--dry-run,--dryrun,--noop,--check,--diff,--simulate",
            "it changes nothing anyway: `spark-reconcile plan`"},
    Meaning{Verb::kRelease, "--dry-run,--dryrun,--noop,--check,--diff,--simulate",
            "plan is the verb that only looks: `spark-reconcile plan --release`"},
    Meaning{Verb::kRollback, "--dry-run,--dryrun,--noop,--check,--diff,--simulate",
            "`sudo spark-reconcile history diff` shows what differs from the file before"},
    Meaning{Verb::kHistory, "--diff", "it is a word: `sudo spark-reconcile history diff`"},
    Meaning{{},
            "--dry-run,--dryrun,--noop,--check,--diff,--simulate",
            "plan is the verb that only looks, and shows what apply would change: `spark-reconcile "
            "plan`"},
    Meaning{
        Verb::kInit, "--force,--overwrite,-f",
        "no file is replaced: move the old one away, `sudo mv /etc/spark-reconcile/cluster.yaml "
        "/etc/spark-reconcile/cluster.yaml.before`"},
    Meaning{Verb::kApply, "--force,--overwrite",
            "what is refused would do harm, and the message says what to change first; a question "
            "of the terminal is answered by --yes: `sudo spark-reconcile apply --yes`"},
    Meaning{Verb::kRelease, "--force,--overwrite",
            "what is refused would do harm, and the message says what to change first; a question "
            "of the terminal is answered by --yes: `sudo spark-reconcile release --yes`"},
    Meaning{Verb::kRollback, "--force,--overwrite",
            "what is refused would do harm, and the message says what to change first; a question "
            "of the terminal is answered by --yes: `sudo spark-reconcile rollback --yes`"},
    Meaning{{},
            "--force,--overwrite",
            "nothing is forced: what is refused would do harm, and the message says what to change "
            "first; leave out --force"},
    Meaning{Verb::kWait, "--for",
            "it waits for this node to be ready: `spark-reconcile wait --ready`; how long is said "
            "by --timeout: `spark-reconcile wait --timeout 5m`"},
    Meaning{Verb::kDaemon, "--foreground,--no-daemon,--nodaemon",
            "it stays in the foreground anyway: `sudo spark-reconcile daemon`"},
    Meaning{Verb::kStatus, "--all,-a,--cluster,--nodes",
            "it shows all nodes of the file: `spark-reconcile status`"},
    Meaning{Verb::kTopology, "--all,-a,--cluster,--nodes",
            "it shows all nodes of the file: `spark-reconcile topology`"},
    Meaning{Verb::kHistory, "--all,-a", "it lists all: `sudo spark-reconcile history`"},
    Meaning{Verb::kEvents, "--all,-a", "it shows all that is kept: `spark-reconcile events`"},
    Meaning{{},
            "--all,-a,--cluster,--all-nodes",
            "it is about the machine that it runs on; all nodes are shown by `spark-reconcile "
            "status`"},
    Meaning{{}, "-v,--v,-version", "the version is shown by `spark-reconcile version`"},
    Meaning{
        Verb::kDoctor, "--fix,--repair,--heal,--apply",
        "it changes nothing, and prints each fix as a command; what the file asks for is set by "
        "`sudo spark-reconcile apply`"},
    Meaning{{},
            "--fix,--repair,--heal",
            "what the file asks for is set by `sudo spark-reconcile apply`"},
    Meaning{{}, "--help-all,--usage,-?,-help", "all verbs are listed by `spark-reconcile help`"},
    Meaning{{},
            "--wait,--watch,-w",
            "`spark-reconcile wait` ends when this node is ready, `spark-reconcile status --watch` "
            "shows the nodes as they change"},
    Meaning{{},
            "--daemon,--background,--detach",
            "the daemon is a service: `sudo systemctl start spark-reconcile`"},
    Meaning{Verb::kEvents, "--tail,--lines,--last,--limit",
            "they are chosen by time: `spark-reconcile events --since 1h`"},
    Meaning{Verb::kMute, "--list", "without words it lists: `spark-reconcile mute`"},
    Meaning{Verb::kHistory, "--list", "without words it lists: `sudo spark-reconcile history`"},
    Meaning{Verb::kApply, "--interactive,--ask",
            "a terminal asks before what disturbs that which runs: `sudo spark-reconcile apply`"},
    Meaning{{}, "--undo,--revert,--rollback", "`sudo spark-reconcile rollback`"},
    Meaning{{}, "--test", "`sudo spark-reconcile gate` tests whether this node is ready"},
};

constexpr std::array kSameOptions{
    Meaning{{}, "--output,--out-file,-o", "--out"},
    Meaning{{}, "--all,-a", "--all-nodes"},
    Meaning{{}, "--config,--cluster-file,--input,-c,-i", "--file"},
    Meaning{{}, "--host,--hostname,--node-name", "--node"},
    Meaning{{}, "--nodes", "--names"},
    Meaning{{}, "--debug,--trace,--log-level,-d", "--verbose"},
    Meaning{{}, "--silent,-s", "--quiet"},
    Meaning{{}, "--colour", "--color"},
    Meaning{{}, "--assume-yes,--no-confirm,--non-interactive,--auto-approve", "--yes"},
    Meaning{{}, "--format,-j,--yaml", "--json"},
    Meaning{{}, "--reason,--comment,--message,-m", "--why"},
    Meaning{{}, "--why,--comment,--message,-m", "--reason"},
    Meaning{{}, "--duration,--time,--minutes,--hours,-t", "--for"},
    Meaning{{}, "--duration,--time,-t", "--timeout"},
    Meaning{{}, "--root-dir,--prefix", "--root"},
    Meaning{{}, "--save", "--out"},
    Meaning{{}, "--ticket,--change,--id", "--change-id"},
};

constexpr std::array kMeantWords{
    Meaning{Verb::kDaemon, "start,run,up",
            "it is a service: `sudo systemctl start spark-reconcile`"},
    Meaning{Verb::kDaemon, "stop,down,disable",
            "it is a service: `sudo systemctl stop spark-reconcile`"},
    Meaning{Verb::kDaemon, "restart", "it is a service: `sudo systemctl restart spark-reconcile`"},
    Meaning{Verb::kDaemon, "reload", "it is a service: `sudo systemctl reload spark-reconcile`"},
    Meaning{Verb::kDaemon, "status", "it is a service: `systemctl status spark-reconcile`"},
    Meaning{Verb::kDaemon, "enable,install",
            "it is a service: `sudo systemctl enable --now spark-reconcile`"},
    Meaning{Verb::kStatus, "all,cluster,nodes", "it shows all nodes: `spark-reconcile status`"},
    Meaning{Verb::kTopology, "all,cluster,nodes", "it shows all nodes: `spark-reconcile topology`"},
    Meaning{
        Verb::kDoctor, "fix,repair",
        "it changes nothing, and prints each fix as a command; what the file asks for is set by "
        "`sudo spark-reconcile apply`"},
    Meaning{
        Verb::kApply, "all,cluster",
        "each node applies its own part of the file: `sudo spark-reconcile apply` on each, or have "
        "the daemon do it: `sudo systemctl enable --now spark-reconcile`"},
    Meaning{Verb::kRollout, "status,history",
            "`spark-reconcile status --engine slurm` shows what Slurm knows of the nodes, "
            "`spark-reconcile status` which file each has"},
    Meaning{Verb::kFollow, "off,none,no,false,disable,end,quit,remove,delete,unfollow",
            "following is ended by `sudo spark-reconcile follow --stop`"},
    Meaning{Verb::kExport, "nccl,env,vars,variables,all",
            "the variables of NCCL are among those of `spark-reconcile export`"},
    Meaning{Verb::kExport, "mpi,hostfile,hosts", "`spark-reconcile export mpi-hostfile`"},
    Meaning{Verb::kExport, "docker", "`spark-reconcile export docker-args`"},
    Meaning{Verb::kExport, "vllm", "`spark-reconcile export vllm-env`"},
    Meaning{Verb::kExport, "slurm", "`spark-reconcile export slurm-nodes`"},
    Meaning{Verb::kExport, "ansible,inventory", "`spark-reconcile export ansible-inventory`"},
    Meaning{Verb::kExport, "prometheus", "`spark-reconcile export prometheus-sd`"},
};

/// The advice of the first row of the verb, or of each, that has the word.
std::string_view advice_in(std::span<const Meaning> rows, std::optional<Verb> verb,
                           std::string_view word) {
  const auto found = std::ranges::find_if(rows, [&, lower = ascii_lower(word)](const Meaning& row) {
    return (!row.verb || row.verb == verb) && has_item(row.words, ',', lower);
  });
  return found == rows.end() ? std::string_view() : found->advice;
}

}  // namespace

std::string_view meant_by_verb(std::string_view word) { return advice_in(kMeantVerbs, {}, word); }

std::string_view meant_by_option(std::optional<Verb> verb, std::string_view option) {
  return advice_in(kMeantOptions, verb, option);
}

const OptionRow* same_option(std::optional<Verb> verb, std::string_view option) {
  for (const auto& row : kSameOptions) {
    const auto* same = has_item(row.words, ',', option) ? option_named(verb, row.advice) : nullptr;
    if (same != nullptr) return same;
  }
  return nullptr;
}

std::string_view meant_by_word(Verb verb, std::string_view word) {
  return advice_in(kMeantWords, verb, word);
}

}  // namespace spark::cli
