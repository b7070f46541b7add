#include "state/pause.hpp"

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "state/bounded_time.hpp"
#include "state/journal.hpp"

namespace spark::state {
namespace {

using std::chrono::milliseconds;

/// A pause as the file has it.
struct PauseFile {
  BoundedTime time;
  std::string reason;
  std::string by;
  std::string change_id;
};

template <EitherConst<PauseFile> T, class Visit>
void each_field(T& file, Visit visit) {
  each_field(file.time, visit);
  visit("reason", file.reason);
  visit("by", file.by);
  visit("change_id", unless_empty(file.change_id));
}

}  // namespace

std::optional<Paused> read_pause(host::Host& host, const Moment& now) {
  const auto text = host.files.read(protocol::kPauseFile);
  if (!text || !*text) return std::nullopt;
  const auto file = value_from_text<PauseFile>(**text);
  if (!file) return std::nullopt;
  const auto left = left_of(file->time, kLongestPause, now, boot_id(host));
  if (left <= milliseconds(0)) return std::nullopt;
  return Paused{.since = later(now, left - length_of(file->time, kLongestPause)),
                .until = later(now, left),
                .reason = printable(file->reason, kLongestReason),
                .by = file->by,
                .change_id = printable(file->change_id)};
}

Result<> write_pause(host::Host& host, const Paused& pause) {
  const PauseFile file{.time = bounded_time(pause.since, pause.until, boot_id(host)),
                       .reason = printable(pause.reason, kLongestReason),
                       .by = pause.by,
                       .change_id = pause.change_id};
  constexpr unsigned kMode = 0600;
  return host.files.write_durably(protocol::kPauseFile,
                                  json_text(TextJsonWriter::write(file), 2) + "\n", kMode);
}

Result<> remove_pause(host::Files& files) { return files.remove(protocol::kPauseFile); }

}  // namespace spark::state
