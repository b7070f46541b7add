#include "state/pause.hpp"

#include <algorithm>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "state/journal.hpp"

namespace spark::state {
namespace {

using std::chrono::milliseconds;

/// A pause as the file has it.
struct PauseFile {
  milliseconds since{};       ///< wall clock
  milliseconds until{};       ///< wall clock
  milliseconds until_boot{};  ///< boot clock, of that boot
  std::string boot_id;        ///< empty: it could not be read, or an older version wrote the pause
  std::string reason;
  std::string by;
};

template <EitherConst<PauseFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("since_ms", file.since);
  visit("until_ms", file.until);
  visit("until_boot_ms", may_lack(file.until_boot));
  visit("boot_id", may_lack(file.boot_id));
  visit("reason", file.reason);
  visit("by", file.by);
}

milliseconds length_of(const PauseFile& file) {
  return std::clamp<milliseconds>(file.until - file.since, milliseconds(0), kLongestPause);
}

/// Not positive: it is over.
milliseconds left_of(const PauseFile& file, const Moment& now, const std::string& boot) {
  const bool same_boot = !boot.empty() && file.boot_id == boot;
  const auto left =
      same_boot ? file.until_boot - now.boot : file.until - now.wall.time_since_epoch();
  return std::min(left, length_of(file));
}

}  // namespace

std::optional<Paused> read_pause(host::Host& host, const Moment& now) {
  const auto text = host.files.read(protocol::kPauseFile);
  if (!text || !*text) {
    return std::nullopt;
  }
  const auto file = value_from_text<PauseFile>(**text);
  if (!file) {
    return std::nullopt;
  }
  const auto left = left_of(*file, now, boot_id(host));
  if (left <= milliseconds(0)) {
    return std::nullopt;
  }
  return Paused{.since = later(now, left - length_of(*file)),
                .until = later(now, left),
                .reason = printable(file->reason, kLongestReason),
                .by = file->by};
}

Result<> write_pause(host::Host& host, const Paused& pause) {
  const PauseFile file{.since = pause.since.wall.time_since_epoch(),
                       .until = pause.until.wall.time_since_epoch(),
                       .until_boot = pause.until.boot,
                       .boot_id = boot_id(host),
                       .reason = printable(pause.reason, kLongestReason),
                       .by = pause.by};
  constexpr unsigned kMode = 0600;
  return host.files.write_durably(protocol::kPauseFile,
                                  json_text(TextJsonWriter::write(file), 2) + "\n", kMode);
}

Result<> remove_pause(host::Files& files) { return files.remove(protocol::kPauseFile); }

}  // namespace spark::state
