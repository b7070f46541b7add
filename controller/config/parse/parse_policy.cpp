// `ready:`, `drift:`, `environment:` and `rollout:` - when a node counts as ready, what happens to
// drift, what workloads are told, and which nodes take a changed file first.

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/parse/parse_sections.hpp"
#include "config/yaml/job_variables.hpp"

namespace spark::config {
namespace {

constexpr std::array kStoragePolicies{
    std::pair{std::string_view{"report"}, ReadyPolicy::kReport},
    std::pair{std::string_view{"require"}, ReadyPolicy::kRequire},
};
constexpr std::array kPeerPolicies{
    std::pair{std::string_view{"off"}, ReadyPolicy::kOff},
    std::pair{std::string_view{"report"}, ReadyPolicy::kReport},
    std::pair{std::string_view{"require"}, ReadyPolicy::kRequire},
};

constexpr std::array kLoopbackKeys{
    key<&Ready::loopback_minimum, bit_rate>("minimum"),
    key<&Ready::loopback_deadline, duration>("deadline"),
};

constexpr std::array kReadyKeys{
    inner<kLoopbackKeys>("loopback"),
    key<&Ready::storage, word<kStoragePolicies>>("storage"),
    key<&Ready::peers, word<kPeerPolicies>>("peers"),
    key<&Ready::key_file, text<kPath>>("key_file"),
};

constexpr std::array kDriftPolicies{
    std::pair{std::string_view{"enforce"}, DriftPolicy::kEnforce},
    std::pair{std::string_view{"report"}, DriftPolicy::kReport},
    std::pair{std::string_view{"ignore"}, DriftPolicy::kIgnore},
};
constexpr auto kDriftPolicy = word<kDriftPolicies>;

/// Every kind of state, in the order in which they are applied.
constexpr std::array<std::string_view, 15> kKinds{
    "other_managers", "module", "link",    "mtu",   "address",
    "route",          "sysctl", "memlock", "roce",  "rdma_cm",
    "host_identity",  "nvme",   "mount",   "hosts", "environment"};

void read_kinds(Findings& findings, const Value& value,
                std::map<std::string, At<DriftPolicy>>& kinds) {
  if (!is_map(findings, value)) return;
  KeyTable book(findings, value);
  for (const auto kind : kKinds) book.know(kind, {});
  for (const Value& entry : value.children) {
    if (!book.admit(entry)) continue;
    if (const auto policy = kDriftPolicy(findings, entry)) kinds.emplace(entry.key, *policy);
  }
}

constexpr std::array kDriftAlerts{
    std::pair{std::string_view{"first"}, DriftAlert::kFirst},
    std::pair{std::string_view{"repeated"}, DriftAlert::kRepeated},
    std::pair{std::string_view{"never"}, DriftAlert::kNever},
};

constexpr std::array kDriftKeys{
    key<&DriftPolicies::fallback, kDriftPolicy>("default"),
    section<&DriftPolicies::kinds, read_kinds>("kinds"),
    key<&DriftPolicies::alert, word<kDriftAlerts>>("alert"),
};

constexpr std::array kNcclModes{
    std::pair{std::string_view{"safe"}, NcclMode::kSafe},
    std::pair{std::string_view{"performance"}, NcclMode::kPerformance},
};

constexpr std::array kGidIndexes{
    std::pair{std::string_view{"auto"}, GidIndex::kAuto},
    std::pair{std::string_view{"pinned"}, GidIndex::kPinned},
};

std::string advice_on_variable_name(std::string_view text) {
  if (kJobVariable.matches(text)) {
    return fmt::format("it is none of NCCL: beside 'nccl' stands variables: {{ {}: … }}", text);
  }
  auto reason = kJobVariable.advice(text);
  if (!reason.empty()) return reason;
  std::vector<std::string_view> names;
  for (const auto& known : job_variables()) names.push_back(known.name);
  const auto meant = closest(text, names);
  return meant ? fmt::format("did you mean {}?", *meant) : std::string{};
}

const TextForm kNameOfNccl{kNcclVariable.what, kNcclVariable.form, kNcclVariable.matches,
                           advice_on_variable_name};
const TextForm kNameOfJob{kJobVariable.what, kJobVariable.form, kJobVariable.matches,
                          advice_on_variable_name};

/// A value that its library does not take, also one that would need quotes first.
void report_value(Findings& findings, const JobVariable& known, const Value& entry) {
  if (known.type == VariableType::kPluginName && entry.text.contains('/')) {
    findings.add(SpecId::kVariableRunsCode, entry.key_where,
                 fmt::format("'{}' loads a program by its path", known.name),
                 "the file must not run code on the nodes: name an installed plugin without a "
                 "path, or 'none'");
    return;
  }
  Findings aside;
  const bool is_of_form = read_integer_or_text(aside, entry, kVariableValue).has_value();
  const auto* const quote = known.type == VariableType::kYesNo ? "\"" : "";
  findings.add(is_of_form ? SpecId::kVariableWrongValue : SpecId::kTextForm, entry.where,
               fmt::format("{} is no value of '{}'", in_quotes(entry.text), known.name),
               fmt::format("it takes {}; an example:\n{}: {}{}{}", values_of(known), known.name,
                           quote, example_of(known, entry.text), quote));
}

/// `nccl.variables`, `variables` and `extra` fill one map.
template <const TextForm& kNames, bool kAreExtra = false>
void read_variables(Findings& findings, const Value& value, Environment& environment) {
  read_open_map(findings, value, kNames, [&](const Value& entry) {
    const auto* known = kAreExtra ? nullptr : find_job_variable(entry.key);
    if (known != nullptr && entry.kind == Value::Kind::kText && !takes(*known, entry.text)) {
      report_value(findings, *known, entry);
      return;
    }
    auto text = read_integer_or_text(findings, entry, kVariableValue);
    if (!text) return;
    const auto [same, is_new] =
        environment.variables.emplace(entry.key, At<std::string>{text->value, entry.key_where});
    if (is_new) {
      if (kAreExtra) environment.extra.insert(entry.key);
      return;
    }
    findings.add(SpecId::kVariableTwice, entry.key_where,
                 fmt::format("{} stands in two maps of variables", in_quotes(entry.key)),
                 "a variable has one value: keep one of the two",
                 {{same->second.where, "first here"}});
  });
}

constexpr std::array kNcclKeys{
    key<&Environment::nccl_mode, word<kNcclModes>>("mode"),
    key<&Environment::nccl_gid_index, word<kGidIndexes>>("gid_index"),
    Key<Environment>{"variables", read_variables<kNameOfNccl>},
};

constexpr std::array kEnvironmentKeys{
    inner<kNcclKeys>("nccl"),
    Key<Environment>{"variables", read_variables<kNameOfJob>},
    Key<Environment>{"extra", read_variables<kNameOfJob, true>},
    key<&Environment::profile, boolean>("profile"),
};

constexpr auto kNodeName = text<kName>;

constexpr std::array kRolloutKeys{
    key<&Rollout::canary, kNodeName>("canary"),
    key<&Rollout::order, list_of<list_of<kNodeName, 1>, 1>>("order"),
};

}  // namespace

void read_rollout(Findings& findings, const Value& value, std::optional<Rollout>& rollout) {
  rollout.emplace().where = value.key_where;
  read_map(findings, value, *rollout, kRolloutKeys);
}

void read_ready(Findings& findings, const Value& value, Ready& ready) {
  read_map(findings, value, ready, kReadyKeys);
}

void read_drift(Findings& findings, const Value& value, DriftPolicies& drift) {
  read_map(findings, value, drift, kDriftKeys);
}

void read_environment(Findings& findings, const Value& value,
                      std::optional<Environment>& environment) {
  environment.emplace().where = value.key_where;
  read_map(findings, value, *environment, kEnvironmentKeys);
}

}  // namespace spark::config
