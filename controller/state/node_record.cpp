#include "state/node_record.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/ledger.hpp"

namespace spark::state {
namespace {

constexpr const char* kRecordSchema = "spark-reconcile/machine/v1";

struct Record {
  std::string machine_id;  ///< of the machine that wrote it; empty: it had none
  std::uint64_t turn = 0;  ///< grows with each node that this machine becomes
};

template <EitherConst<Record> T, class Visit>
void each_field(T& record, Visit visit) {
  visit("machine_id", record.machine_id);
  visit("turn", record.turn);
}

/// What a node's directory says of this machine.
struct Claim {
  std::string node;
  std::optional<Record> record;  ///< empty: an earlier version wrote the state
};

std::string record_path(const std::string& node) { return state_directory(node) + kRecordName; }

/// As machine-id(5) has it; "uninitialized" and the like are none.
std::string valid_id(const std::string& text) {
  constexpr std::size_t kDigits = 32;
  const auto id = text.substr(0, text.find('\n'));
  return id.size() == kDigits && id.find_first_not_of("0123456789abcdef") == std::string::npos
             ? id
             : std::string();
}

std::string own_id(host::View& view) {
  const auto& identity = view.identity();
  return identity ? valid_id(identity->machine_id) : std::string();
}

/// Empty: there is none, or a damaged one, which must bar nobody from his own machine.
std::optional<Record> record_from(const Result<std::optional<std::string>>& text) {
  if (!text || !*text) return std::nullopt;
  auto record = document_from_text<Record>(kRecordSchema, **text);
  if (!record) return std::nullopt;
  record->machine_id = valid_id(record->machine_id);
  return *std::move(record);
}

/// Another version wrote it, and it is whole.
bool is_newer(const Result<std::optional<std::string>>& text) {
  const auto document =
      text && *text ? nlohmann::json::parse(**text, nullptr, false) : nlohmann::json();
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  return document.is_object() && schema != document.end() && schema->is_string() &&
         *schema != kRecordSchema;
}

/// A machine without an id of its own cannot be told from another.
bool is_foreign(const std::optional<Record>& record, const std::string& own_id) {
  return record && !own_id.empty() && !record->machine_id.empty() && record->machine_id != own_id;
}

bool has_file(host::View& view, const std::string& path) {
  const auto& text = view.file(path);
  return text && *text;
}

/// Of every node whose state lies here and is not another machine's.
std::vector<Claim> own_claims(host::View& view) {
  std::vector<Claim> claims;
  const auto names = view.directory(protocol::kStateDirectory);
  if (!names) return claims;
  const auto id = own_id(view);
  for (const auto& node : *names) {
    auto record = record_from(view.file(record_path(node)));
    const bool has_state =
        record || has_file(view, ledger_path(node)) || has_file(view, history_path(node));
    if (has_state && !is_foreign(record, id)) {
      claims.push_back({.node = node, .record = std::move(record)});
    }
  }
  return claims;
}

std::uint64_t turn_of(const Claim& claim) { return claim.record ? claim.record->turn : 0; }

}  // namespace

Result<> check_owner(host::View& view, const std::string& node) {
  const auto record = record_from(view.file(record_path(node)));
  const auto id = own_id(view);
  if (!is_foreign(record, id)) return {};
  return fail(
      ErrorCode::kInvalid,
      fmt::format("what '{0}' remembers of '{1}' belongs to another machine (machine id {2}, this "
                  "one has {3}), so this disk is a copy and this machine is not '{1}'. Give it a "
                  "host name and a node of its own, and remove '{0}'. Where it is the same machine "
                  "with a new machine id, remove only '{4}'",
                  state_directory(node), node, record->machine_id, id, record_path(node)));
}

bool is_of_another_machine(host::Files& files, const std::string& node) {
  const auto id = files.read("/etc/machine-id");
  return is_foreign(record_from(files.read(record_path(node))),
                    id ? valid_id(id->value_or("")) : "");
}

std::string remembered_node(host::View& view) {
  const auto claims = own_claims(view);
  const auto newest = std::ranges::max_element(claims, {}, turn_of);
  if (newest == claims.end() || (!newest->record && claims.size() > 1)) return {};
  return newest->node;
}

Result<> remember_node(host::Host& host, const std::string& node) {
  host::View view(host);
  const auto id = own_id(view);
  const auto claims = own_claims(view);
  const auto newest = std::ranges::max_element(claims, {}, turn_of);
  const auto turn = newest == claims.end() ? 0 : turn_of(*newest);
  const auto own = std::ranges::find(claims, node, &Claim::node);
  if (is_newer(view.file(record_path(node)))) {
    return fail(ErrorCode::kInvalid,
                fmt::format("a newer version wrote '{}': install that one again, or move the file "
                            "away",
                            record_path(node)));
  }
  const bool is_known = own != claims.end() && own->record && own->record->turn == turn &&
                        own->record->machine_id == id;
  if (is_known) return {};
  constexpr unsigned kMode = 0600;
  const auto json = document_of(kRecordSchema, Record{.machine_id = id, .turn = turn + 1});
  return host.files.write_durably(record_path(node), json_text(json, 2) + "\n", kMode);
}

}  // namespace spark::state
