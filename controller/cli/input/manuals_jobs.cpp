// Manuals of verbs for jobs, other machines and scripts.

#include "cli/input/manuals.hpp"

namespace spark::cli {

using enum ExitCode;

VerbManual manual_of_export() {
  return {
      .text =
          "Prints the environment for NCCL, Gloo, UCX and Open MPI on this node: which devices "
          "and interfaces they use, by the topology of the file. Each line of `env` and "
          "`shell` has its reason as a comment.\n"
          "\n"
          "`export` changes nothing, and prints no variable while a rail is missing. With "
          "`environment: {}` in the file, `apply` and the daemon keep the same in "
          "`/run/spark-reconcile/nccl.env`.\n"
          "\n"
          "`export mpi-hostfile`, `mpirun` and `docker-args` print how a job is started on the "
          "nodes that the cables and switches of this one reach: one rank a node, along the "
          "cables, each with the environment of its own node. `docker-args` names "
          "`/run/spark-reconcile/nccl.env`, and prints nothing while that is not there.\n"
          "\n"
          "`export vllm-env` prints the `.env` of spark-vllm-docker, `sparkrun` the nodes for "
          "sparkrun and `env` for a recipe. Both launchers give one environment to all nodes, so "
          "nothing is printed where the file makes the nodes differ.\n"
          "\n"
          "`export prometheus-sd` prints all nodes of the file as targets of Prometheus, for its "
          "`file_sd_configs` or `http_sd_configs`. `export slurm-nodes` prints them as lines of "
          "slurm.conf, with the address of each and a feature for the nodes that reach each other "
          "over cables and switches; `export ansible-inventory` as an inventory of Ansible, in the "
          "order of a roll-out; those that are `away` are a group of their own, `sparks_away`. "
          "These "
          "three read nothing but the file, so they work on any machine.",
      .exits = {{kDone, "printed"},
                kFailed,
                {kWaiting, "waiting for a device that is absent; nothing is printed"},
                {kUnknown,
                 "something could not be read, or `docker-args` names a file that is not there; "
                 "nothing is printed"},
                {kInvalidFile, ""}},
      .examples = {{"In a shell:", "eval \"$(spark-reconcile export --format shell)\""},
                   {"For a container:", "docker run $(spark-reconcile export docker-args) IMAGE"},
                   {"For launch-cluster.sh of spark-vllm-docker:",
                    "spark-reconcile export vllm-env > ~/spark-vllm-docker/.env"},
                   {"For Prometheus, wherever it runs:",
                    "spark-reconcile export prometheus-sd -f cluster.yaml > nodes.json"},
                   {"For slurm.conf, which has `Include sparks.conf`:",
                    "spark-reconcile export slurm-nodes -f cluster.yaml > /etc/slurm/sparks.conf"},
                   {"For Ansible:",
                    "spark-reconcile export ansible-inventory -f cluster.yaml > inventory.yml"},
                   {"For jobs with an older NCCL and UCX:",
                    "spark-reconcile export --nccl 2.28 --ucx 1.16"}},
      .files = {{"/run/spark-reconcile/nccl.env", "the same, kept by `apply` and the daemon"}},
      .see_also = {"gate", "facts", "cluster.yaml(5)"}};
}

VerbManual manual_of_facts() {
  return {
      .text =
          "Prints everything that a plan reads on this machine, as one JSON object. "
          "`plan --facts` and `export --facts` work from it on another machine.\n"
          "\n"
          "`facts` changes nothing. Run it as root and with the file, or what the file asks "
          "about is missing. The facts hold names, addresses, routes and the texts of "
          "configuration files: read them before you publish them.\n"
          "\n"
          "`--share` makes a report for others to read. Host and node names, MAC and IP addresses, "
          "serial numbers, UUIDs and each word that is not known to be public are replaced: the "
          "same by the same, and differently in each report. What belongs together still does: "
          "subnets, GIDs, EUI-64 addresses. The cluster file is in the report, replaced alike, so "
          "`plan --facts` works from it, and so are the answers of `gate --checklist`. What was "
          "replaced is listed on stderr; a terminal asks "
          "before the report is written.",
      .exits = {{kDone, "printed"},
                kFailed,
                {kInvalidFile, ""},
                {kRefused, "--share was not agreed to"}},
      .examples = {{"Record this node for plans in a pull request:",
                    "sudo spark-reconcile facts > facts/spark1.json"},
                   {"What do the NVMe targets offer?", "sudo spark-reconcile facts --discover"},
                   {"A report for an issue:", "sudo spark-reconcile facts --share -o report.json"}},
      .files = {kUsesLedger},
      .see_also = {"plan", "export"}};
}

VerbManual manual_of_version() {
  return {
      .text =
          "Prints the version, and the commit that it was built from. The option "
          "`--version` does the same. With `--json` it also lists the libraries that are linked "
          "into the programs, each with its version: a security update of one of them needs "
          "another build.",
      .exits = {{kDone, "printed"}, kFailed},
      .examples = {{"Which version is this?", "spark-reconcile version"}},
      .files = {},
      .see_also = {"doctor"}};
}

}  // namespace spark::cli
