#include <algorithm>
#include <array>

#include "cli/share/fields.hpp"

namespace spark::cli {
namespace {

struct BundleRow {
  std::string_view path;
  FieldClass field_class;
};

using enum FieldClass;
constexpr std::array kBundleFields{
    BundleRow{"schema", kKept},
    BundleRow{"version", kKept},
    BundleRow{"generated_at", kKept},
    BundleRow{"names", kKept},

    BundleRow{"versions.program", kKept},
    BundleRow{"versions.kernel", kKept},
    BundleRow{"versions.dgx_os", kKept},
    BundleRow{"versions.gpu_driver", kKept},
    BundleRow{"versions.cards[].link", kDevice},
    BundleRow{"versions.cards[].driver", kKept},
    BundleRow{"versions.cards[].driver_version", kKept},
    BundleRow{"versions.cards[].firmware", kKept},
    BundleRow{"versions.error", kLeftOut},

    BundleRow{"doctor.findings[].name", kKept},
    BundleRow{"doctor.findings[].section", kKept},
    BundleRow{"doctor.findings[].severity", kKept},
    BundleRow{"doctor.findings[].what", kLeftOut},
    BundleRow{"doctor.findings[].remedy", kLeftOut},
    BundleRow{"doctor.findings[].id", kKept},
    BundleRow{"doctor.findings[].detail", kKept},
    BundleRow{"doctor.findings[].links[]", kDevice},
    BundleRow{"doctor.findings[].follows_from", kKept},

    BundleRow{"status.exit_code", kKept},
    BundleRow{"status.error", kLeftOut},
    BundleRow{"status.status", kKept},
    BundleRow{"status.released", kKept},
    BundleRow{"status.unfinished", kKept},  // null
    BundleRow{"status.unfinished.id", kKept},
    BundleRow{"status.unfinished.what", kLeftOut},
    BundleRow{"status.unfinished.remedy", kLeftOut},
    BundleRow{"status.daemon", kKept},  // null
    BundleRow{"status.daemon.verdict", kKept},
    BundleRow{"status.daemon.why", kLeftOut},
    BundleRow{"status.daemon.generated_at", kKept},
    BundleRow{"status.cables[].link", kDevice},
    BundleRow{"status.cables[].state", kKept},
    BundleRow{"status.cables[].by", kLeftOut},
    BundleRow{"status.cluster", kKept},  // null
    BundleRow{"status.cluster.schema", kKept},
    BundleRow{"status.cluster.cluster", kHost},
    BundleRow{"status.cluster.shape", kKept},
    BundleRow{"status.cluster.file.name", kLeftOut},
    BundleRow{"status.cluster.file.digest", kKept},
    BundleRow{"status.cluster.file.commit", kKept},
    BundleRow{"status.cluster.file.principal", kLeftOut},
    BundleRow{"status.cluster.nodes[].node", kHost},
    BundleRow{"status.cluster.nodes[].verdict", kKept},
    BundleRow{"status.cluster.nodes[].told_by", kHost},
    BundleRow{"status.cluster.nodes[].file", kKept},
    BundleRow{"status.cluster.nodes[].version", kKept},
    BundleRow{"status.cluster.nodes[].what", kLeftOut},
    BundleRow{"status.cluster.nodes[].follows_from", kHost},
    BundleRow{"status.cluster.pairs[].node", kHost},
    BundleRow{"status.cluster.pairs[].other", kHost},
    BundleRow{"status.cluster.pairs[].ways[].reach", kKept},
    BundleRow{"status.cluster.pairs[].ways[].why", kKept},
    BundleRow{"status.cluster.causes[].node", kHost},
    BundleRow{"status.cluster.causes[].link", kDevice},
    BundleRow{"status.cluster.causes[].id", kKept},
    BundleRow{"status.cluster.causes[].name", kKept},
    BundleRow{"status.cluster.causes[].detail", kKept},
    BundleRow{"status.cluster.causes[].what", kLeftOut},
    BundleRow{"status.cluster.causes[].remedy", kLeftOut},
    BundleRow{"status.cluster.causes[].command", kLeftOut},
    BundleRow{"status.muted[].id", kKept},
    BundleRow{"status.muted[].alert", kKept},
    BundleRow{"status.muted[].node", kHost},
    BundleRow{"status.muted[].since", kKept},
    BundleRow{"status.muted[].until", kKept},
    BundleRow{"status.muted[].reason", kLeftOut},
    BundleRow{"status.muted[].by", kLeftOut},
    BundleRow{"status.muted[].subjects", kKept},
    BundleRow{"status.muted[].raised", kKept},
    BundleRow{"status.muted[].left_seconds", kKept},
    BundleRow{"status.measured[].peer", kHost},
    BundleRow{"status.measured[].bits_per_second", kKept},
    BundleRow{"status.measured[].at", kKept},
    BundleRow{"status.measured[].before.bits_per_second", kKept},
    BundleRow{"status.measured[].before.at", kKept},

    BundleRow{"plan.exit_code", kKept},
    BundleRow{"plan.error", kLeftOut},
    BundleRow{"plan.node", kHost},
    BundleRow{"plan.digest", kKept},
    BundleRow{"plan.file", kLeftOut},
    BundleRow{"plan.findings[].severity", kKept},
    BundleRow{"plan.findings[].id", kKept},
    BundleRow{"plan.findings[].line", kKept},
    BundleRow{"plan.findings[].column", kKept},
    BundleRow{"plan.findings[].path", kLeftOut},
    BundleRow{"plan.findings[].message", kLeftOut},
    BundleRow{"plan.findings[].reason", kLeftOut},
    BundleRow{"plan.in_sync", kKept},
    BundleRow{"plan.steps[].kind", kKept},
    BundleRow{"plan.steps[].key", kValue},
    BundleRow{"plan.steps[].before", kValue},
    BundleRow{"plan.steps[].after", kValue},
    BundleRow{"plan.steps[].left", kValue},
    BundleRow{"plan.steps[].where.line", kKept},
    BundleRow{"plan.steps[].disturbs.what", kKept},
    BundleRow{"plan.steps[].disturbs.link", kDevice},
    BundleRow{"plan.skipped[].kind", kKept},
    BundleRow{"plan.skipped[].key", kValue},
    BundleRow{"plan.skipped[].why", kKept},
    BundleRow{"plan.skipped[].id", kKept},
    BundleRow{"plan.skipped[].reason", kLeftOut},
    BundleRow{"plan.skipped[].where.line", kKept},
    BundleRow{"plan.left_unchanged[].what", kLeftOut},
    BundleRow{"plan.left_unchanged[].reason", kLeftOut},
    BundleRow{"plan.refusals[].why", kKept},
    BundleRow{"plan.refusals[].id", kKept},
    BundleRow{"plan.refusals[].what", kLeftOut},
    BundleRow{"plan.refusals[].where.line", kKept},

    BundleRow{"gate.error", kLeftOut},
    BundleRow{"gate.verdict", kKept},
    BundleRow{"gate.rails[].link", kDevice},
    BundleRow{"gate.rails[].device", kDevice},
    BundleRow{"gate.rails[].address", kIp},
    BundleRow{"gate.rails[].facts[].verdict", kKept},
    BundleRow{"gate.rails[].facts[].id", kKept},
    BundleRow{"gate.rails[].facts[].name", kKept},
    BundleRow{"gate.rails[].facts[].measured", kValue},
    BundleRow{"gate.rails[].facts[].remedy", kLeftOut},
    BundleRow{"gate.rails[].facts[].counts", kKept},
    BundleRow{"gate.rails[].facts[].subject", kValue},
    BundleRow{"gate.rails[].facts[].detail", kKept},
    BundleRow{"gate.rails[].facts[].peers[]", kHost},
    BundleRow{"gate.rails[].facts[].plug.node", kHost},
    BundleRow{"gate.rails[].facts[].plug.cage", kKept},
    BundleRow{"gate.rails[].facts[].macs[]", kMac},
    BundleRow{"gate.rails[].facts[].action", kKept},
    BundleRow{"gate.facts[].verdict", kKept},
    BundleRow{"gate.facts[].id", kKept},
    BundleRow{"gate.facts[].name", kKept},
    BundleRow{"gate.facts[].measured", kValue},
    BundleRow{"gate.facts[].remedy", kLeftOut},
    BundleRow{"gate.facts[].counts", kKept},
    BundleRow{"gate.facts[].subject", kValue},
    BundleRow{"gate.facts[].detail", kKept},
    BundleRow{"gate.facts[].peers[]", kHost},
    BundleRow{"gate.facts[].plug.node", kHost},
    BundleRow{"gate.facts[].plug.cage", kKept},
    BundleRow{"gate.facts[].macs[]", kMac},
    BundleRow{"gate.facts[].action", kKept},

    BundleRow{"history.error", kLeftOut},
    BundleRow{"history.generations[].number", kKept},
    BundleRow{"history.generations[].at", kKept},
    BundleRow{"history.generations[].by", kUser},
    BundleRow{"history.generations[].file", kLeftOut},
    BundleRow{"history.generations[].digest", kKept},
    BundleRow{"history.generations[].changes", kKept},
    BundleRow{"history.generations[].outcome", kKept},
    BundleRow{"history.generations[].change_id", kLeftOut},
    BundleRow{"history.generations[].commit.committed_at", kKept},

    BundleRow{"events.error", kLeftOut},
    BundleRow{"events.events[].at", kKept},
    BundleRow{"events.events[].what", kKept},
    BundleRow{"events.events[].severity", kKept},
    BundleRow{"events.events[].text", kLeftOut},
    BundleRow{"events.events[].change_id", kLeftOut},
    BundleRow{"events.events[].cause", kKept},
    BundleRow{"events.events[].remedy", kLeftOut},
};

}  // namespace

std::optional<FieldClass> class_in_bundle(std::string_view path) {
  const auto found = std::ranges::find(kBundleFields, path, &BundleRow::path);
  return found == kBundleFields.end() ? std::nullopt : std::optional(found->field_class);
}

bool leads_into_bundle(std::string_view path) {
  return std::ranges::any_of(kBundleFields, [&](const BundleRow& row) {
    return row.path.starts_with(path) && row.path.size() > path.size() &&
           (row.path[path.size()] == '.' || row.path[path.size()] == '[');
  });
}

std::vector<std::string_view> paths_in_bundle() {
  std::vector<std::string_view> paths;
  for (const auto& row : kBundleFields) paths.push_back(row.path);
  return paths;
}

}  // namespace spark::cli
