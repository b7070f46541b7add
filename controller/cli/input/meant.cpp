#include <algorithm>
#include <array>
#include <span>

#include "base/text.hpp"
#include "cli/input/wrong_line.hpp"

namespace spark::cli {
namespace {

constexpr auto kMeantVerbs = std::to_array<Meaning>({
    {"start,run",
     "`sudo systemctl start spark-reconcile` starts the daemon; once, without it: `sudo "
     "spark-reconcile apply`"},
    {"stop,disable,off",
     "`sudo spark-reconcile pause --for 2h` has the daemon correct nothing, `sudo systemctl "
     "stop spark-reconcile` ends it, `sudo spark-reconcile release` hands the node back"},
    {"restart",
     "`sudo systemctl restart spark-reconcile` restarts the daemon; a changed file it takes "
     "by itself"},
    {"reload,refresh",
     "the daemon takes a changed file by itself: `sudo systemctl reload spark-reconcile` has it "
     "look now"},
    {"enable,on",
     "`sudo systemctl enable --now spark-reconcile` starts the daemon, now and at each boot"},
    {"up,deploy,converge,reconcile,commit,push,execute,repair,fix,heal",
     "what the file asks for is set by `sudo spark-reconcile apply`"},
    {"delete node,remove node,rm node,drop node,drain node,destroy node",
     "a node is taken out of the file, below `nodes:`; before that, what was set on it is "
     "handed back there: `ssh -t NODE sudo spark-reconcile release`"},
    {"describe node,get node,show node,list node,info node,check node",
     "what is known of it: `spark-reconcile status -n NODE`"},
    {"set,edit,change",
     "a value is changed in the file: `sudoedit /etc/spark-reconcile/cluster.yaml`, then "
     "`spark-reconcile plan` shows what that comes to"},
    {"try",
     "`sudo spark-reconcile apply --confirm 2m` rolls everything back unless `sudo "
     "spark-reconcile confirm` comes in time"},
    {"import,adopt,migrate",
     "`sudo spark-reconcile init --from-host` writes a first file of what this machine "
     "runs"},
    {"down,destroy,teardown,reset,clean,cleanup,delete,remove,rm,purge,disconnect",
     "`sudo spark-reconcile release` hands the node back as it was before the first apply"},
    {"uninstall",
     "`sudo spark-reconcile release` hands the node back, then `sudo apt purge "
     "spark-reconcile` removes the program"},
    {"check,verify,lint,test,syntax",
     "`spark-reconcile validate` checks the file, `sudo spark-reconcile doctor` this machine, "
     "`sudo spark-reconcile gate` whether it is ready"},
    {"undo,revert,back,restore,unapply",
     "`sudo spark-reconcile rollback` returns to the last good file"},
    {"show,describe,info,list,ls,get,nodes,state,overview,summary,cluster,top,ps",
     "`spark-reconcile status` shows the nodes; one alone: `spark-reconcile status -n spark1`"},
    {"watch,monitor", "`spark-reconcile status --watch` shows the nodes as they change"},
    {"log,logs,journal,tail",
     "`spark-reconcile events` shows what happened; all that the daemon logs: `journalctl -u "
     "spark-reconcile`"},
    {"ping,ready,health,probe",
     "`sudo spark-reconcile gate` tests each rail, `spark-reconcile status` shows what is "
     "known"},
    {"perf,speed,bandwidth,iperf,measure,benchmark",
     "`sudo spark-reconcile bench` measures each rail"},
    {"config,configure,settings,file,cat",
     "the file is /etc/spark-reconcile/cluster.yaml: `spark-reconcile validate` checks it, "
     "`spark-reconcile explain fabric` says what a key means"},
    {"setup,new,create,generate,discover,install,bootstrap,begin",
     "`sudo spark-reconcile init --discover` writes a first file of the cables as they are "
     "plugged; of a setup that works: `sudo spark-reconcile init --from-host`"},
    {"add",
     "a node is added in the file, below `nodes:`; then `spark-reconcile plan` shows what "
     "changes"},
    {"upgrade,update",
     "`sudo apt-get install spark-reconcile` installs a newer program; a newer file from git is "
     "fetched by `sudo spark-reconcile sync`"},
    {"clone,git,subscribe", "`sudo spark-reconcile follow https://HOST/PATH` follows a repository"},
    {"pull,fetch", "`sudo spark-reconcile sync` fetches the followed repository now"},
    {"diagnose,debug,troubleshoot,why",
     "`sudo spark-reconcile doctor` says what is wrong, and prints the fix"},
    {"support,report,sosreport,dump",
     "`sudo spark-reconcile doctor --bundle FILE` writes what helps others to judge this "
     "machine"},
    {"env,nccl,variables,vars,hostfile",
     "`spark-reconcile export` prints the variables of jobs; a host file of MPI: "
     "`spark-reconcile export mpi-hostfile`"},
    {"silence,snooze,ack",
     "`sudo spark-reconcile mute SparkDrift --for 2h --why TEXT` tells nobody of that alert "
     "meanwhile"},
    {"unmute", "`sudo spark-reconcile mute --end SparkDrift` ends the mute of an alert"},
    {"unpause,continue", "`sudo spark-reconcile resume` lets the daemon correct drift again"},
    {"accept,keep,yes,ok",
     "what `apply --confirm` changed is kept by `sudo spark-reconcile confirm`"},
    {"dry-run,preview,simulate",
     "`spark-reconcile plan` shows what apply would change, and changes nothing"},
    {"draw,map,graph,picture,cables", "`spark-reconcile topology` draws nodes and cables"},
    {"alerts,mutes",
     "`spark-reconcile mute` lists what is muted, `spark-reconcile events` "
     "what was raised"},
    {"generations,versions",
     "`sudo spark-reconcile history` lists the files that were "
     "applied here"},
    {"hold,freeze", "`sudo spark-reconcile pause --for 2h` has the daemon correct nothing"},
    {"service restart,daemon restart,systemctl restart",
     "`sudo systemctl restart spark-reconcile` restarts the daemon"},
    {"service stop,systemctl stop", "`sudo systemctl stop spark-reconcile` ends the daemon"},
    {"service status,systemctl status", "`systemctl status spark-reconcile` shows the daemon"},
    {"service,serve,systemctl", "`sudo systemctl start spark-reconcile` starts the daemon"},
    {"man,usage,manual", "`spark-reconcile help` lists the verbs"},
});

constexpr auto kMeantOptions = std::to_array<Meaning>({
    {"--dry-run,--dryrun,--noop,--check,--diff,--simulate",
     "plan is the verb that only looks, and shows what apply would change: `spark-reconcile "
     "plan`"},
    {"--force,--overwrite",
     "nothing is forced: what is refused would do harm, and the message says what to change "
     "first; leave out --force"},
    {"--all,-a,--cluster,--all-nodes",
     "it is about the machine that it runs on; all nodes are shown by `spark-reconcile "
     "status`"},
    {"-v,--v,-version", "the version is shown by `spark-reconcile version`"},
    {"--fix,--repair,--heal", "what the file asks for is set by `sudo spark-reconcile apply`"},
    {"--help-all,--usage,-?,-help", "all verbs are listed by `spark-reconcile help`"},
    {"--wait,--watch,-w",
     "`spark-reconcile wait` ends when this node is ready, `spark-reconcile status --watch` "
     "shows the nodes as they change"},
    {"--daemon,--background,--detach",
     "the daemon is a service: `sudo systemctl start spark-reconcile`"},
    {"--undo,--revert,--rollback", "`sudo spark-reconcile rollback`"},
    {"--test", "`sudo spark-reconcile gate` tests whether this node is ready"},
});

constexpr auto kSameOptions = std::to_array<Meaning>({
    {"--output,--out-file,-o", "--out"},
    {"--all,-a", "--all-nodes"},
    {"--config,--cluster-file,--input,-c,-i", "--file"},
    {"--host,--hostname,--node-name", "--node"},
    {"--nodes", "--names"},
    {"--debug,--trace,--log-level,-d", "--verbose"},
    {"--silent,-s", "--quiet"},
    {"--colour", "--color"},
    {"--assume-yes,--no-confirm,--non-interactive,--auto-approve", "--yes"},
    {"--format,-j,--yaml", "--json"},
    {"--reason,--comment,--message,-m", "--why"},
    {"--why,--comment,--message,-m", "--reason"},
    {"--duration,--time,--minutes,--hours,-t", "--for"},
    {"--duration,--time,-t", "--timeout"},
    {"--root-dir,--prefix", "--root"},
    {"--save", "--out"},
    {"--ticket,--change,--id", "--change-id"},
});

/// The advice of the first row that has the word.
std::string_view advice_in(std::span<const Meaning> rows, std::string_view word) {
  const auto found = std::ranges::find_if(rows, [lower = ascii_lower(word)](const Meaning& row) {
    return has_item(row.words, ',', lower);
  });
  return found == rows.end() ? std::string_view() : found->advice;
}

}  // namespace

std::string_view meant_by_verb(std::string_view word) { return advice_in(kMeantVerbs, word); }

std::string_view meant_by_option(const VerbSpec* verb, std::string_view option) {
  const auto own = verb == nullptr ? std::string_view() : advice_in(verb->meant, option);
  return own.empty() ? advice_in(kMeantOptions, option) : own;
}

const OptionRow* same_option(const VerbSpec* verb, std::string_view option) {
  for (const auto& row : kSameOptions) {
    const auto* same = has_item(row.words, ',', option) ? option_named(verb, row.advice) : nullptr;
    if (same != nullptr) return same;
  }
  return nullptr;
}

std::string_view meant_by_word(const VerbSpec& verb, std::string_view word) {
  return word.starts_with('-') ? std::string_view() : advice_in(verb.meant, word);
}

}  // namespace spark::cli
