#include "state/pause.hpp"

#include <algorithm>
#include <utility>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "state/journal.hpp"

namespace spark::state {

using std::chrono::milliseconds;

BoundedTime bounded_time(const Moment& since, const Moment& until, std::string boot_id) {
  return {.since = since.wall.time_since_epoch(),
          .until = until.wall.time_since_epoch(),
          .until_boot = until.boot,
          .boot_id = std::move(boot_id)};
}

milliseconds length_of(const BoundedTime& time, milliseconds longest) {
  return std::clamp(time.until - time.since, milliseconds(0), longest);
}

milliseconds left_of(const BoundedTime& time, milliseconds longest, const Moment& now,
                     const std::string& boot_id) {
  const bool same_boot = !boot_id.empty() && time.boot_id == boot_id;
  const auto left =
      same_boot ? time.until_boot - now.boot : time.until - now.wall.time_since_epoch();
  return std::min(left, length_of(time, longest));
}

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
