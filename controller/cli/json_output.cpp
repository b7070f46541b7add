#include "cli/json_output.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/sha256.hpp"
#include "cli/version.hpp"

namespace spark::cli {
namespace {

nlohmann::json text_or_null(const std::optional<std::string>& text) {
  return text ? nlohmann::json(*text) : nlohmann::json(nullptr);
}

nlohmann::json place(config::Where where) {
  return where.line == 0 ? nlohmann::json(nullptr)
                         : nlohmann::json{{"line", where.line}, {"column", where.column}};
}

std::string_view name_of(kinds::Effect::Disturbs disturbs) {
  switch (disturbs) {
    case kinds::Effect::Disturbs::kNothing:
      return "nothing";
    case kinds::Effect::Disturbs::kAddress:
      return "address";
    case kinds::Effect::Disturbs::kTraffic:
      return "traffic";
  }
  return "nothing";
}

std::string_view name_of(apply::Report::Outcome outcome) {
  switch (outcome) {
    case apply::Report::Outcome::kNothingToDo:
      return "nothing_to_do";
    case apply::Report::Outcome::kApplied:
      return "applied";
    case apply::Report::Outcome::kNotStarted:
      return "not_started";
    case apply::Report::Outcome::kRolledBack:
      return "rolled_back";
    case apply::Report::Outcome::kRollbackIncomplete:
      return "rollback_incomplete";
  }
  return "not_started";
}

nlohmann::json finding_json(const config::Diagnostic& diagnostic, std::string_view file) {
  nlohmann::json json{
      {"severity", diagnostic.severity == config::Severity::kError ? "error" : "warning"},
      {"id", diagnostic.id},
      {"file", file},
      {"line", diagnostic.where.line},
      {"column", diagnostic.where.column},
      {"path", diagnostic.path},
      {"message", diagnostic.message},
      {"reason", diagnostic.reason},
      {"related", nlohmann::json::array()}};
  for (const auto& related : diagnostic.related) {
    json["related"].push_back({{"line", related.where.line},
                               {"column", related.where.column},
                               {"message", related.message}});
  }
  return json;
}

}  // namespace

nlohmann::json not_in_force_json(const state::NewerFile& newer) {
  const auto unless_empty = [](const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
  };
  return {{"file", newer.file},
          {"digest", unless_empty(newer.digest)},
          {"commit", unless_empty(newer.commit)},
          {"refused", newer.is_refused},
          {"why", newer.why}};
}

nlohmann::json to_json(const plan::Step& step) {
  return {{"kind", step.kind},
          {"key", step.key},
          {"before", text_or_null(step.before)},
          {"after", text_or_null(step.after)},
          {"left", text_or_null(step.left)},
          {"where", place(step.where)},
          {"disturbs",
           {{"what", name_of(step.effect.disturbs)},
            {"link", step.effect.link},
            {"routes", step.effect.routes},
            {"promotes_secondaries", step.effect.sets_promote_secondaries}}}};
}

nlohmann::json to_json(const plan::Plan& plan) {
  nlohmann::json json{{"in_sync", plan.in_sync},
                      {"steps", nlohmann::json::array()},
                      {"skipped", nlohmann::json::array()},
                      {"left_unchanged", nlohmann::json::array()},
                      {"refusals", nlohmann::json::array()}};
  for (const auto& step : plan.steps) json["steps"].push_back(to_json(step));
  for (const auto& item : plan.skipped) {
    json["skipped"].push_back({{"kind", item.kind},
                               {"key", item.key},
                               {"why", kinds::name_of(item.skipped.why)},
                               {"id", item.skipped.id},
                               {"reason", item.skipped.reason},
                               {"where", place(item.where)}});
  }
  for (const auto& item : plan.left_unchanged) {
    json["left_unchanged"].push_back({{"what", item.what}, {"reason", item.reason}});
  }
  for (const auto& refusal : plan.refusals) {
    const bool refused = refusal.why == kinds::Refusal::Why::kRefused;
    json["refusals"].push_back({{"why", refused ? "refused" : "impossible"},
                                {"id", refusal.id},
                                {"what", refusal.what},
                                {"where", place(refusal.where)}});
  }
  return json;
}

nlohmann::json to_json(const apply::Report& report, const plan::Plan& plan) {
  nlohmann::json json{
      {"outcome", name_of(report.outcome)},
      {"plan", to_json(plan)},
      {"failure", report.failure ? nlohmann::json(report.failure->what) : nlohmann::json(nullptr)},
      {"differs", report.differs},
      {"stays", report.stays},
      {"steps", nlohmann::json::array()}};
  for (const auto& done : report.steps) {
    const auto& step = plan.steps[done.step];
    json["steps"].push_back(
        {{"kind", step.kind},
         {"key", step.key},
         {"error", done.is_done() ? nlohmann::json(nullptr) : nlohmann::json(done.why_not())},
         {"waits", done.waits()},
         {"microseconds", std::chrono::duration<double, std::micro>(done.took).count()}});
  }
  if (report.unnoted) json["unnoted"] = report.unnoted->what;
  if (report.left) json["left"] = to_json(*report.left);
  return json;
}

nlohmann::json to_json(const ClusterFile& file) {
  auto findings = nlohmann::json::array();
  for (const auto& diagnostic : file.parsed.diagnostics) {
    findings.push_back(finding_json(diagnostic, file.name));
  }
  nlohmann::json json{{"file", file.name}, {"findings", std::move(findings)}};
  if (file.newer) json["not_in_force"] = not_in_force_json(*file.newer);
  return json;
}

void add_artifact(nlohmann::json& body, const std::string& path, std::string_view type,
                  std::string_view text) {
  std::error_code unknown;  // a folder that one stands in and that is gone
  const auto whole = std::filesystem::absolute(path, unknown).lexically_normal();
  body["artifacts"].push_back(
      {{"path", unknown ? path : whole.string()}, {"type", type}, {"sha256", sha256_of(text)}});
}

nlohmann::json in_envelope(std::string_view verb, const config::Cluster& cluster,
                           std::string_view node, ExitCode code, const nlohmann::json& body) {
  nlohmann::json json{
      {"schema", fmt::format("spark-reconcile/{}/v1", verb)},
      {"version", version_number()},
      {"node", node.empty() ? nlohmann::json(nullptr) : nlohmann::json(node)},
      {"digest", cluster.digest.empty() ? nlohmann::json(nullptr) : nlohmann::json(cluster.digest)},
      {"generated_at", utc_text(now().wall)},
      {"exit_code", static_cast<int>(code)}};
  json.update(body);
  return json;
}

void print_json(const Terminal& terminal, std::string_view verb, const config::Cluster& cluster,
                std::string_view node, ExitCode code, const nlohmann::json& body) {
  const auto json = in_envelope(verb, cluster, node, code, body);
  // Text of the host or the file may hold bytes that are not UTF-8: replaced, never thrown about.
  terminal.print_always(json_text(json, 2) + "\n");
}

void print_json(const Terminal& terminal, std::string_view verb, const ClusterFile& file,
                std::string_view node, ExitCode code, nlohmann::json body) {
  body.update(to_json(file));
  print_json(terminal, verb, file.parsed.cluster, node, code, body);
}

}  // namespace spark::cli
