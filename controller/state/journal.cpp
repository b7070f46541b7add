#include "state/journal.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
#include "plan/read_step.hpp"
#include "plan/release_mark.hpp"
#include "protocol/paths.hpp"
#include "state/ledger.hpp"

namespace spark::state {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* kSchema = "spark-reconcile/journal/v1";
constexpr unsigned kMode = 0600;
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

/// A name of a file may hold any bytes.
std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json tables_json(const Tables& tables) {
  auto document = json::object();
  for (const auto& [name, link] : tables) {
    document[name] = {{"index", link.index}, {"lines", link.lines}};
  }
  return document;
}

/// Throws json::exception.
Tables tables_from_json(const json& document) {
  Tables tables;
  for (const auto& [name, link] : document.items()) {
    tables[name] = {.index = link.at("index").get<int>(),
                    .lines = link.at("lines").get<std::vector<std::string>>()};
  }
  return tables;
}

std::string text_of(const Journal& journal) {
  const auto within = journal.request.confirm_within;
  const json document{{"schema", kSchema},
                      {"id", journal.id},
                      {"node", journal.node},
                      {"digest", journal.digest},
                      {"boot_id", journal.boot_id},
                      {"file", journal.request.file},
                      {"text", journal.request.text},
                      {"by", journal.request.by},
                      {"confirm_within_ms", within ? json(within->count()) : json()},
                      {"began_ms", journal.began.wall.time_since_epoch().count()},
                      {"began_boot_ms", journal.began.boot.count()},
                      {"released", journal.released},
                      {"applied", journal.applied},
                      {"over", journal.over.empty() ? json() : json(text_of(journal.over.front()))},
                      {"before", to_json(journal.before)},
                      {"tables", tables_json(journal.tables)},
                      {"ledger", to_json(journal.after)}};
  auto text = text_of(document);
  // One at a time: ten thousand would be more than all else that an apply holds.
  text.replace(text.size() - 1, 1, R"(,"steps":[)");
  for (const auto& step : journal.steps) {
    if (&step != journal.steps.data()) text += ',';
    text += text_of(step.record());
  }
  text += "]}\n";
  return text;
}

Result<Journal> parse_journal(const std::string& path, const std::string& text, std::size_t depth) {
  const auto damaged = [&](std::string_view why) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is damaged or of a newer version ({}): move it away to go on "
                            "without it (what it was to roll back then stays)",
                            path, why));
  };
  Journal journal;
  try {
    const auto document = json::parse(text);
    if (document.at("schema") != kSchema) return damaged("another schema");
    const auto text_at = [&](const char* name) { return document.at(name).get<std::string>(); };
    journal.id = text_at("id");
    journal.node = text_at("node");
    journal.digest = text_at("digest");
    journal.boot_id = text_at("boot_id");
    journal.request = {.file = text_at("file"),
                       .text = text_at("text"),
                       .by = text_at("by"),
                       .confirm_within = {},
                       .takes_back = {}};
    const auto time_at = [&](const char* name) { return milliseconds_of(document.at(name)); };
    if (!document.at("confirm_within_ms").is_null()) {
      journal.request.confirm_within = time_at("confirm_within_ms");
    }
    journal.began = {.wall = decltype(Moment::wall)(time_at("began_ms")),
                     .boot = time_at("began_boot_ms")};
    // An earlier version did not say so.
    journal.released = document.value("released", false);
    journal.tables = tables_from_json(document.value("tables", json::object()));
    journal.applied = document.at("applied").get<bool>();
    if (const auto over = document.value("over", json()); !over.is_null()) {
      if (depth == kMostInterrupted) return damaged("too many in one another");
      auto below = parse_journal(path, over.get<std::string>(), depth + 1);
      if (!below) return below;
      journal.over.push_back(std::move(*below));
    }
    for (const auto& record : document.at("steps")) {
      auto step = plan::read_step(record);
      if (!step) return damaged(step.error().what);
      journal.steps.push_back(std::move(*step));
    }
    const auto before = ledger_from_json(document.at("before"));
    const auto after = ledger_from_json(document.at("ledger"));
    if (!before || !after) return damaged("its ledger");
    journal.before = *before;
    journal.after = *after;
  } catch (const json::exception& error) {
    return damaged(error.what());
  }
  return journal;
}

}  // namespace

Result<Journal> parse_journal(const std::string& path, const std::string& text) {
  return parse_journal(path, text, 0);
}

kinds::Ledger Journal::known() const {
  auto known = merged(before, after);
  // Somebody has asked for the node again, though not to the end.
  if (!released) plan::unmark_released(known);
  return known;
}

milliseconds Journal::left(const Moment& now, const std::string& boot) const {
  if (!request.confirm_within || boot != boot_id) {
    return milliseconds(0);
  }
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
    if (*text) {
      return std::pair(path, **text);
    }
  }
  return std::nullopt;
}

Result<std::optional<Journal>> read_journal(host::View& view, const std::string& node) {
  const auto found = find_journal(view, node);
  if (!found) return std::unexpected(found.error());
  if (!*found) {
    return std::nullopt;
  }
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

Journal going_on_from(const Journal& interrupted, Journal journal) {
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
  if (auto written = is_volatile(journal) ? files.write(path, text, kMode)
                                          : files.write_durably(path, text, kMode);
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
  if (!interrupted) {
    return remove_journal(files, node);
  }
  const auto [in_memory, on_disk] = journal_paths(node);
  return write_journal(files, *interrupted,
                       path_of(*interrupted) == in_memory ? on_disk : in_memory);
}

}  // namespace spark::state
