#include "state/journal.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "plan/release.hpp"
#include "plan/step.hpp"
#include "protocol/paths.hpp"
#include "state/ledger.hpp"

namespace spark::state {

template <EitherConst<LinkTables> T, class Visit>
void each_field(T& link, Visit visit) {
  visit("index", link.index);
  visit("lines", link.lines);
}

/// All but `steps`, which are written one at a time, and `over`, which is a text in the text.
template <EitherConst<Journal> T, class Visit>
void each_field(T& journal, Visit visit) {
  visit("id", journal.id);
  visit("node", journal.node);
  visit("digest", journal.digest);
  visit("boot_id", journal.boot_id);
  visit("file", journal.request.file);
  visit("text", journal.request.text);
  visit("by", journal.request.by);
  visit("confirm_within_ms", journal.request.confirm_within);
  visit("commit", unless_empty(journal.request.commit));
  visit("change_id", unless_empty(journal.request.change_id));
  visit("began_ms", journal.began.wall);
  visit("began_boot_ms", journal.began.boot);
  visit("released", may_lack(journal.released));  // an earlier version did not say so
  visit("applied", journal.applied);
  visit("before", journal.before);
  visit("ledger", journal.after);
  visit("tables", may_lack(journal.tables));
}

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* kJournalSchema = "spark-reconcile/journal/v1";
constexpr unsigned kJournalMode = 0600;
/// Nobody is interrupted more often, each time on another file.
constexpr std::size_t kMostInterrupted = 8;

/// A reboot rolls all its changes back by itself.
bool is_volatile(const Journal& journal) {
  return std::ranges::all_of(journal.steps, &plan::Step::is_volatile) &&
         journal.before == journal.after && !journal.request.confirm_within &&
         std::ranges::all_of(journal.over, is_volatile);
}

/// What leads from before `first` to after `again`, a later step of the same name.
plan::Step from_before(const plan::Step& first, const plan::Step& again) {
  auto record = again.record();
  record["before"] = first.record()["before"];
  return plan::read_step(record).value_or(first);
}

std::string text_of(const Journal& journal);

/// The object without its steps and its last brace.
std::string head_of(const Journal& journal) {
  auto document = document_of(kJournalSchema, journal);
  // As ledger.json has them, also where a text is not UTF-8.
  document["before"] = JsonWriter::write(journal.before);
  document["ledger"] = JsonWriter::write(journal.after);
  document["over"] = journal.over.empty() ? json() : json(text_of(journal.over.front()));
  auto text = json_text(document);
  text.pop_back();
  return text;
}

std::string text_of(const Journal& journal) {
  auto text = head_of(journal) + R"(,"steps":[)";
  // One at a time: ten thousand would be more than all else that an apply holds. They are much
  // alike, so the first says how much room they take.
  for (const auto& step : journal.steps) {
    const auto record = json_text(step.record());
    if (&step == journal.steps.data()) {
      constexpr std::size_t kComma = 1;
      constexpr std::size_t kLonger = 8;
      text.reserve(text.size() + journal.steps.size() * (record.size() + kComma + kLonger));
    } else {
      text += ',';
    }
    text += record;
  }
  text += "]}\n";
  return text;
}

Result<std::vector<plan::Step>> steps_in(const json& document) {
  const auto records = document.find("steps");
  if (records == document.end() || !records->is_array()) {
    return fail(ErrorCode::kInvalid, "at '/steps': expected a list");
  }
  std::vector<plan::Step> steps;
  for (const auto& record : *records) {
    auto step = plan::read_step(record);
    if (!step) {
      return fail(ErrorCode::kInvalid, fmt::format("step {}: {}", steps.size(), step.error().what));
    }
    steps.push_back(*std::move(step));
  }
  return steps;
}

/// Errors: kInvalid, saying where it is wrong.
Result<Journal> journal_in(const std::string& text, std::size_t depth) {
  const auto document = parse_json(text);
  if (!document) return std::unexpected(document.error());
  if (auto known = check_schema(*document, kJournalSchema); !known)
    return std::unexpected(known.error());
  auto journal = value_from<Journal>(*document);
  if (!journal) return journal;
  auto steps = steps_in(*document);
  if (!steps) return std::unexpected(steps.error());
  journal->steps = *std::move(steps);
  journal->before = with_todays_names(journal->before);
  journal->after = with_todays_names(journal->after);
  if (const auto over = document->value("over", json()); !over.is_null()) {
    if (depth == kMostInterrupted) return fail(ErrorCode::kInvalid, "too many in one another");
    if (!over.is_string()) return fail(ErrorCode::kInvalid, "at '/over': expected a text");
    auto below = journal_in(over.get<std::string>(), depth + 1);
    if (!below) return below;
    journal->over.push_back(*std::move(below));
  }
  return journal;
}

}  // namespace

Result<Journal> parse_journal(const std::string& path, const std::string& text) {
  auto journal = journal_in(text, 0);
  if (!journal) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("'{}' is damaged or of a newer version ({}): install that version again; "
                    "or move it away to go on without it (what the interrupted apply "
                    "changed then stays as it is)",
                    path, journal.error().what));
  }
  return journal;
}

kinds::Ledger Journal::known() const {
  auto known = merged(before, after);
  // Somebody has asked for the node again, though not to the end.
  if (!released) plan::unmark_released(known);
  return known;
}

milliseconds Journal::left(const Moment& now, const std::string& boot) const {
  if (!request.confirm_within || boot != boot_id) return milliseconds(0);
  return std::max(began.boot + *request.confirm_within - now.boot, milliseconds(0));
}

std::array<std::string, 2> journal_paths(const std::string& node) {
  return {fmt::format("{}{}.json", protocol::kVolatileJournals, node),
          state_directory(node) + "/journal.json"};
}

Result<std::optional<std::pair<std::string, std::string>>> find_journal(host::View& view,
                                                                        const std::string& node) {
  // Where there are two, the one of now is lasting, or has changed nothing yet.
  for (const auto& path : journal_paths(node) | std::views::reverse) {
    const auto& text = view.file(path);
    if (!text && text.error().code == ErrorCode::kUnsupported) {
      continue;  // facts of an earlier version do not tell
    }
    if (!text) return std::unexpected(text.error());
    if (*text) return std::pair(path, **text);
  }
  return std::nullopt;
}

Result<std::optional<Journal>> read_journal(host::View& view, const std::string& node) {
  const auto found = find_journal(view, node);
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::nullopt;
  return parse_journal((*found)->first, (*found)->second);
}

Result<kinds::Ledger> known_ledger(host::View& view, const std::string& node) {
  const auto journal = read_journal(view, node);
  if (!journal) return std::unexpected(journal.error());
  return *journal ? (*journal)->known() : read_ledger(view, node);
}

std::string boot_id(host::Host& host) {
  const auto id = host.sysctl.read("kernel.random.boot_id");
  return id ? id->text : "";
}

std::string new_id(const Moment& began) {
  // Two of one process may begin in one millisecond.
  static std::atomic<std::int64_t> last = 0;
  const std::int64_t now = began.wall.time_since_epoch().count();
  auto before = last.load();
  while (!last.compare_exchange_weak(before, std::max(now, before + 1))) {
  }
  return fmt::format("{}-{}", std::max(now, before + 1), getpid());
}

Journal begin_journal(host::Host& host, const plan::Plan& plan, const kinds::Ledger& before,
                      ApplyRequest request) {
  const auto began = now();
  return {.id = new_id(began),
          .node = plan.node,
          .digest = plan.digest,
          .boot_id = boot_id(host),
          .request = std::move(request),
          .began = began,
          .steps = plan.steps,
          .before = before,
          .after = plan.remember};
}

Journal resuming(const Journal& interrupted, Journal journal) {
  const bool rebooted = interrupted.boot_id != journal.boot_id;
  std::vector<plan::Step> steps;
  for (const auto& first : interrupted.steps) {
    if (rebooted && first.is_volatile) {
      continue;  // the reboot rolled it back
    }
    const auto again = std::ranges::find(journal.steps, first.name(), &plan::Step::name);
    steps.push_back(again == journal.steps.end() ? first : from_before(first, *again));
  }
  for (auto& step : journal.steps) {
    if (std::ranges::find(steps, step.name(), &plan::Step::name) == steps.end()) {
      steps.push_back(std::move(step));
    }
  }
  journal.steps = std::move(steps);
  if (journal.request.text.empty()) {
    // A correction goes on with what an apply began: who rolls that back rolls back its file.
    const auto within = journal.request.confirm_within;
    journal.request = interrupted.request;
    journal.request.confirm_within = within;
  }
  journal.before = interrupted.before;
  if (!rebooted) journal.tables = interrupted.tables;
  journal.over = interrupted.over;
  return journal;
}

Result<Journal> beginning_after(Journal interrupted, Journal journal) {
  std::size_t depth = 1;
  for (const auto* below = &interrupted; !below->over.empty(); below = &below->over.front()) {
    ++depth;
  }
  if (depth > kMostInterrupted) {
    return fail(ErrorCode::kBusy,
                fmt::format("{} applies of different files were interrupted, one after the other: "
                            "`spark-reconcile rollback` takes all of them back",
                            depth));
  }
  journal.over.push_back(std::move(interrupted));
  return journal;
}

std::string path_of(const Journal& journal) {
  const auto [in_memory, on_disk] = journal_paths(journal.node);
  return is_volatile(journal) ? in_memory : on_disk;
}

Result<> write_journal(host::Files& files, const Journal& journal, const std::string& replaced) {
  const auto path = path_of(journal);
  const auto text = text_of(journal);
  if (auto written = is_volatile(journal) ? files.write(path, text, kJournalMode)
                                          : files.write_durably(path, text, kJournalMode);
      !written) {
    return written;
  }
  return replaced.empty() || replaced == path ? Result<>{} : files.remove(replaced);
}

std::optional<Journal> interrupted_before(host::View& before, const std::string& node) {
  return read_journal(before, node).value_or(std::nullopt);
}

bool resumes(const Journal& interrupted, const config::Node& node, const plan::Plan& plan) {
  return interrupted.digest == plan.digest && interrupted.released == node.released;
}

void discard_unfinished(host::Files& files, const std::string& node, const host::View& view) {
  auto paths = view.sources();
  const auto own = state_directory(node);
  paths.insert(paths.end(), {own, own + "/files"});
  for (const auto& path : paths) {
    static_cast<void>(files.discard_unfinished(path));  // it does no harm, but to the eye
  }
}

Result<> clean_up_after(host::Host& host, const Journal& interrupted,
                        const kinds::Ledger& remembered) {
  if (interrupted.boot_id == boot_id(host)) {
    for (const auto& step : interrupted.steps) {
      if (!step.clean_up) continue;
      if (auto done = step.clean_up(remembered, host); !done) return done;
    }
  }
  return interrupted.over.empty() ? Result<>{}
                                  : clean_up_after(host, interrupted.over.front(), remembered);
}

Result<> remove_journal(host::Files& files, const std::string& node) {
  for (const auto& path : journal_paths(node)) {
    if (auto removed = files.remove(path); !removed) return removed;
  }
  return {};
}

Result<> remove_journal(host::Files& files, const std::string& node,
                        const std::optional<Journal>& interrupted) {
  if (!interrupted) return remove_journal(files, node);
  const auto [in_memory, on_disk] = journal_paths(node);
  return write_journal(files, *interrupted,
                       path_of(*interrupted) == in_memory ? on_disk : in_memory);
}

}  // namespace spark::state
