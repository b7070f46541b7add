#include "daemon/reconcile/all_nodes_record.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "protocol/all_nodes.hpp"
#include "protocol/paths.hpp"

namespace spark::daemon {

using all_nodes::Order;
using all_nodes::Stage;
using all_nodes::State;
using std::chrono::milliseconds;

template <EitherConst<AllNodesRecord> T, class Visit>
void each_field(T& record, Visit visit) {
  visit("state", record.state);
  visit("number", record.number);
  visit("nonce", record.nonce);
  visit("former_nonce", record.former_nonce);
  visit("taken", record.taken);
  visit("offer", record.offer);
  visit("decision", unless_empty(record.decision));
  visit("boot_id", record.boot_id);
  visit("taken_boot_ms", record.taken_at);
  visit("went_boot_ms", record.went_at);
  visit("tells_until_boot_ms", record.tells_until);
  visit("began_boot_ms", record.began_at);
  visit("turned_boot_ms", may_lack(record.turned_at));
}

namespace {

constexpr std::string_view kAllNodesRecordSchema = "spark-reconcile/all-nodes-record/v1";
constexpr unsigned kAllNodesRecordMode = 0600;

}  // namespace

Result<std::optional<AllNodesRecord>> read_all_nodes(host::Files& files) {
  const std::string path = protocol::kAllNodesRecord;
  const auto text = files.read(path);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto record = document_from_text<AllNodesRecord>(kAllNodesRecordSchema, **text);
  if (record) return std::move(*record);
  const auto aside = path + ".damaged";
  if (auto kept = files.write_durably(aside, **text, kAllNodesRecordMode); !kept) {
    return std::unexpected(kept.error());
  }
  return fail(ErrorCode::kInvalid,
              fmt::format("'{}' is not the file that was kept there: somebody changed it, or the "
                          "disk did. It is '{}' now",
                          path, aside));
}

Result<> write_all_nodes(host::Files& files, const AllNodesRecord& record) {
  const auto text = json_text(document_of(kAllNodesRecordSchema, record), 2) + "\n";
  return files.write_durably(protocol::kAllNodesRecord, text, kAllNodesRecordMode);
}

const all_nodes::Led* undecided(const State& state) {
  const auto& led = state.led;
  return led && !is_decided(led->order) ? &*led : nullptr;
}

bool is_timed(const State& state) {
  const auto work = work_of(state);
  return state.part && state.part->stage > Stage::kYes && !has_ended(state.part->stage) &&
         work != all_nodes::Work::kKeep && work != all_nodes::Work::kGoBack;
}

milliseconds within_of(const AllNodesRecord& record) {
  return record.offer ? record.offer->within : milliseconds(protocol::kUsualWithin);
}

milliseconds timer_ends(const AllNodesRecord& record) {
  return record.began_at + within_of(record);
}

milliseconds decision_ends(const AllNodesRecord& record) {
  const auto within = within_of(record);
  return record.went_at + within - margin_of(within);
}

}  // namespace spark::daemon
