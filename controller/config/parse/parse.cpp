#include "config/parse/parse.hpp"

#include <array>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "config/check/check.hpp"
#include "config/parse/parse_sections.hpp"

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

void read_cluster(Findings& findings, const Value& root, Cluster& cluster) {
  constexpr std::string_view kExample = "start from examples/minimal.yaml";
  if (is_map_of_file(findings, root, kExample)) {
    read_map(findings, root, cluster, kRootKeys);
  } else if (root.kind == Value::Kind::kNull && !findings.structure_is_broken()) {
    findings.add(SpecId::kEmptyFile, {1, 1}, "the file is empty", std::string(kExample));
  }
}

}  // namespace

Parsed parse(std::string_view text) {
  Parsed parsed;
  parsed.cluster.digest = sha256_of(text);
  Findings findings;
  const auto root = read_document(text, findings);
  if (root) {
    read_cluster(findings, *root, parsed.cluster);
    check(parsed.cluster, findings);
  }
  parsed.diagnostics = std::move(findings).take(root ? &*root : nullptr);
  return parsed;
}

}  // namespace spark::config
