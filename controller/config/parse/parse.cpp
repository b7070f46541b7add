#include "config/parse/parse.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "config/check/check.hpp"
#include "config/parse/parse_sections.hpp"
#include "config/yaml/other_text.hpp"

namespace spark::config {
namespace {

void read_version(Findings& findings, const Value& value, Cluster& /*cluster*/) {
  constexpr std::uint64_t kVersion = 1;
  const auto version = read_integer(findings, value, 0, UINT64_MAX, kVersion);
  if (!version || version->value == kVersion) return;
  findings.add(
      SpecId::kOutOfRange, value.where,
      fmt::format("version {} of the language is not known", version->value),
      fmt::format("this program reads version {}; a newer one may read this file", kVersion));
}

constexpr std::array kRootKeys{
    required(Key<Cluster>{"version", read_version}, "version: 1"),
    required(key<&Cluster::name, text<kName>>("cluster"), "cluster: lab"),
    required(section<&Cluster::nodes, read_nodes>("nodes"), "nodes: { spark1: {}, spark2: {} }"),
    section<&Cluster::external, read_external>("external"),
    section<&Cluster::fabric, read_fabric>("fabric"),
    Key<Cluster>{"host",
                 [](Findings& findings, const Value& value, Cluster& cluster) {
                   read_map(findings, value, cluster.host, kSettingsKeys);
                 }},
    section<&Cluster::storage, read_storage>("storage"),
    section<&Cluster::ready, read_ready>("ready"),
    section<&Cluster::drift, read_drift>("drift"),
    section<&Cluster::environment, read_environment>("environment"),
    section<&Cluster::rollout, read_rollout>("rollout"),
    key<&Cluster::take_over, boolean>("take_over"),
};

constexpr std::string_view kStart =
    "`spark-reconcile init --pair -o cluster.yaml` writes a first one; --ring and --switch for "
    "more "
    "nodes";

/// Another program's file, by a key at its top that this one has not.
struct OtherFile {
  std::string_view key;
  std::string_view message;
  std::string_view reason;
};

constexpr std::array kOtherFiles{
    OtherFile{
        "network", "this is a netplan file, not a cluster file",
        "`sudo spark-reconcile init --from-host -o cluster.yaml` writes one of what runs here"},
    OtherFile{"services", "this is a Docker Compose file, not a cluster file", kStart},
    OtherFile{"apiVersion", "this is a Kubernetes manifest, not a cluster file", kStart},
    OtherFile{"listen", "this is an agent.yaml, not a cluster file",
              "its place is /etc/spark-reconcile/agent.yaml"},
    OtherFile{"alerts", "this is an agent.yaml, not a cluster file",
              "its place is /etc/spark-reconcile/agent.yaml"},
    OtherFile{"releases", "this is a releases.yaml, not a cluster file",
              "its place is /etc/spark-reconcile/releases.yaml"},
};

/// True, and reported, for a map that is no cluster's, so that it does not lack each of our keys.
bool is_other_file(Findings& findings, const Value& root) {
  constexpr std::array<std::string_view, 3> kOurs{"version", "cluster", "nodes"};
  const auto has = [&root](std::string_view key) { return child_of(root, key) != nullptr; };
  if (has("cluster") || has("nodes")) return false;
  const auto other =
      std::ranges::find_if(kOtherFiles, [&](const auto& one) { return has(one.key); });
  if (other != kOtherFiles.end()) {
    findings.add(SpecId::kUnknownKey, child_of(root, other->key)->key_where,
                 std::string(other->message), std::string(other->reason));
    return true;
  }
  const bool has_ours = std::ranges::any_of(root.children, [&](const Value& entry) {
    return std::ranges::find(kOurs, entry.key) != kOurs.end() || closest(entry.key, kOurs);
  });
  if (has_ours || root.children.empty()) return false;
  findings.add_about(root, SpecId::kMissingKey,
                     "this is no cluster file: it has none of version, cluster and nodes",
                     std::string(kStart));
  return true;
}

void read_cluster(Findings& findings, std::string_view text, const Value& root, Cluster& cluster) {
  if (is_map_of_file(findings, root, kStart)) {
    if (!is_other_file(findings, root)) read_map(findings, root, cluster, kRootKeys);
  } else if (root.kind == Value::Kind::kNull && !findings.structure_is_broken()) {
    const bool has_comments = text.find_first_not_of(" \t\r\n") != std::string_view::npos;
    findings.add(SpecId::kEmptyFile, {1, 1},
                 has_comments ? "the file has no content but comments" : "the file is empty",
                 std::string(kStart));
  }
}

}  // namespace

Parsed parse(std::string_view text) {
  Parsed parsed;
  parsed.cluster.digest = sha256_of(text);
  Findings findings;
  const auto root = read_document(text, findings);
  if (root) {
    read_cluster(findings, text, *root, parsed.cluster);
    check(parsed.cluster, findings);
  }
  name_other_text(text, findings);
  parsed.diagnostics = std::move(findings).take(root ? &*root : nullptr);
  return parsed;
}

}  // namespace spark::config
