#include "node_state/status_json.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/gate.hpp"
#include "node_state/node_state_fields.hpp"
#include "node_state/source_text.hpp"
#include "node_state/time_text.hpp"
#include "node_state/verdict_reason.hpp"
#include "node_state/wait_text.hpp"

namespace spark::node_state {
namespace {

using nlohmann::json;

/// How status.json has a member that is not as node-state.json has it.
struct Row {
  std::string_view member;
  std::string_view name;        ///< its name there; empty: it is left out
  bool has_empty_text = false;  ///< an empty text is no null
  bool is_out_if_empty = false;
};
constexpr Row left_out(std::string_view member) { return {.member = member, .name = ""}; }
constexpr Row renamed(std::string_view member, std::string_view name) { return {member, name}; }
constexpr Row text_as_is(std::string_view member) {
  return {.member = member, .name = member, .has_empty_text = true};
}

template <class T>
constexpr std::array<Row, 0> kRows{};
template <>
constexpr std::array kRows<FileState>{text_as_is("path"), left_out("digest"),
                                      left_out("refused_since"), left_out("refused_first")};
template <>
constexpr std::array kRows<protocol::SourceFault>{text_as_is("what"), left_out("since")};
template <>
constexpr std::array kRows<state::BadFile>{text_as_is("why"), text_as_is("at"), left_out("by")};
template <>
constexpr std::array kRows<SourceState>{
    text_as_is("url"), text_as_is("branch"),    text_as_is("path"),     text_as_is("subject"),
    left_out("time"),  left_out("fault_since"), left_out("trial_waits")};
template <>
constexpr std::array kRows<state::Paused>{
    text_as_is("reason"), Row{.member = "change_id", .name = "change_id", .is_out_if_empty = true}};
template <>
constexpr std::array kRows<DisturbWait>{renamed("line", "where"), left_out("on")};
template <>
constexpr std::array kRows<RolloutWait>{text_as_is("why")};
template <>
constexpr std::array kRows<Drift>{text_as_is("why"), renamed("line", "where"), left_out("due"),
                                  left_out("on")};
template <>
constexpr std::array kRows<SkippedRecord>{left_out("on")};
template <>
constexpr std::array kRows<ChangeRecord>{renamed("took", "took_seconds"), left_out("overwritten"),
                                         left_out("on")};
template <>
constexpr std::array kRows<LinkRecord>{text_as_is("device"), renamed("speed", "speed_mbps"),
                                       left_out("master")};
template <>
constexpr std::array kRows<GidMove>{renamed("ip", "address")};
template <>
constexpr std::array kRows<HardwareState>{left_out("facts")};
template <>
constexpr std::array kRows<state::Mute>{text_as_is("reason"), left_out("asked_ms"),
                                        left_out("change_id")};
template <>
constexpr std::array kRows<jobs::RailTraffic>{text_as_is("device"), text_as_is("unknown")};
template <>
constexpr std::array kRows<NodeState>{renamed("started", "started_at"),
                                      renamed("drifts", "drift"),
                                      renamed("mutes", "muted"),
                                      left_out("host_keys"),
                                      left_out("rollout_groups"),
                                      left_out("gate_at"),
                                      left_out("verdicts"),
                                      left_out("drift_alert_at"),
                                      left_out("disturb_patience"),
                                      left_out("pass_error"),
                                      left_out("pass_at"),
                                      left_out("pass_took"),
                                      left_out("loss"),
                                      left_out("mutes_error"),
                                      left_out("shape"),
                                      left_out("around")};

/// A value with the members that its `each_field` has: moments are UTC texts, and what is empty is
/// null.
template <class T>
json exported(const T& value);

/// What a part has besides its members.
template <class T>
void complete(const T& /*part*/, json& /*shown*/) {}

void complete(const FileState& file, json& shown) {
  if (file.refused.empty()) return;
  shown["refused"] = {{"since", exported(file.refused_since)},
                      {"first", file.refused_first},
                      {"findings", file.refused}};
}

void complete(const SourceState& source, json& shown) {
  const std::chrono::sys_seconds committed{std::chrono::seconds(source.time)};
  shown["committed_at"] = source.commit.empty() ? json() : json(utc_text(committed));
}

void complete(const gate::Cabling& cabling, json& shown) {
  const auto by = cabling.by.text();
  shown["by"] = by.empty() ? json() : json(by);
}

void complete(const plan::NamelessUse& use, json& shown) {
  shown["cage"] = use.rail ? json(use.rail->cage) : json();
  shown["rail"] = use.rail ? json(use.rail->rail) : json();
}

void complete(const apply::UnfinishedApply& /*apply*/, json& shown) {
  shown["id"] = diagnosis::kUnfinishedId;
}

void complete(const DisturbWait& wait, json& shown) { shown["reasons"] = reasons_of(wait); }

void complete(const MuteRecord& record, json& shown) {
  shown.erase("mute");
  shown.update(exported(record.mute));
}

template <class T>
json exported(const T& value) {
  if constexpr (std::same_as<T, Moment>) {
    return is_set(value) ? json(utc_text(value.wall)) : json();
  } else if constexpr (std::same_as<T, std::chrono::nanoseconds>) {
    return in_seconds(value);
  } else if constexpr (std::same_as<T, gate::GateReport>) {
    return gate::to_json(value);
  } else if constexpr (requires { T::kMayLack; }) {
    return exported(value.member);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? exported(*value) : json();
  } else if constexpr (requires(T list) { list.emplace_back(); }) {
    auto list = json::array();
    for (const auto& one : value) list.push_back(exported(one));
    return list;
  } else if constexpr (requires { each_field(value, [](auto&&...) {}); }) {
    auto shown = json::object();
    each_field(value, [&](std::string_view member, const auto& of) {
      const auto* const row = std::ranges::find(kRows<T>, member, &Row::member);
      const bool is_plain = row == kRows<T>.end();
      const auto name = is_plain ? member : row->name;
      if (name.empty()) return;
      auto one = exported(of);
      const bool is_empty_text = one == "";
      if (is_empty_text && !is_plain && row->is_out_if_empty) return;
      shown[std::string(name)] =
          is_empty_text && (is_plain || !row->has_empty_text) ? json() : std::move(one);
    });
    complete(value, shown);
    return shown;
  } else {
    return TextJsonWriter::write(value);
  }
}

}  // namespace

json to_json(const MuteRecord& record) { return exported(record); }
json to_json(const Drift& drift) { return exported(drift); }
json to_json(const ChangeRecord& change) { return exported(change); }
json to_json(const all_nodes::Progress& progress) { return exported(progress); }

std::string status_json(const NodeState& state, const Moment& now) {
  auto document = exported(state);
  document["schema"] = "spark-reconcile/daemon-status/v1";
  document["digest"] = state.file.digest.empty() ? json() : json(state.file.digest);
  document["generated_at"] = utc_text(now.wall);
  document["exit_code"] = static_cast<int>(gate::exit_code_of(state.verdict));
  document["why"] = written(why_of(state));
  document["pass"] =
      is_set(state.pass_at)
          ? json{{"at", exported(state.pass_at)},
                 {"took_seconds", exported(state.pass_took)},
                 {"error", state.pass_error.empty() ? json() : json(state.pass_error)}}
          : json();
  if (state.gate) document["gate"]["at"] = exported(state.gate_at);
  if (state.source) document["source"]["says"] = source_lines(*state.source, state.file.digest);
  if (!state.hardware.facts) document["hardware"] = nullptr;
  // Text of the host or the file may hold bytes that are not UTF-8: replaced, never thrown about.
  return json_text(document, 2) + "\n";
}

}  // namespace spark::node_state
