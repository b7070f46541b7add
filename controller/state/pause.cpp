#include "state/pause.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
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

namespace {

using std::chrono::milliseconds;

constexpr const char* kMutesSchema = "spark-reconcile/mutes/v1";
/// Of ids and names, in characters: those of this program are shorter.
constexpr std::size_t kLongestName = 64;

/// A mute as the file has it.
struct StoredMute {
  std::string id;
  std::string alert;
  std::string node;
  BoundedTime time;
  std::string reason;
  std::string by;
  std::string change_id;
};

template <EitherConst<StoredMute> T, class Visit>
void each_field(T& mute, Visit visit) {
  visit("id", mute.id);
  visit("alert", mute.alert);
  visit("node", unless_empty(mute.node));
  each_field(mute.time, visit);
  visit("reason", mute.reason);
  visit("by", mute.by);
  visit("change_id", unless_empty(mute.change_id));
}

struct MutesFile {
  std::vector<StoredMute> mutes;
};

template <EitherConst<MutesFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("mutes", file.mutes);
}

Mute mute_of(const StoredMute& stored, milliseconds left, const Moment& now) {
  return {.id = printable(stored.id, kLongestName),
          .alert = printable(stored.alert, kLongestName),
          .node = printable(stored.node, kLongestName),
          .since = later(now, left - length_of(stored.time, kLongestMute)),
          .until = later(now, left),
          .reason = printable(stored.reason, kLongestReason),
          .by = printable(stored.by, kLongestName),
          .asked = stored.time.since,
          .change_id = printable(stored.change_id, kLongestChangeId)};
}

/// Those that are not over, as the file has them.
Result<std::vector<StoredMute>> read_stored(host::Host& host, const Moment& now) {
  const auto text = host.files.read(protocol::kMutesFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::vector<StoredMute>{};
  auto file = document_from_text<MutesFile>(kMutesSchema, **text);
  if (!file) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is damaged or of another version, and mutes nothing: {}",
                            protocol::kMutesFile, file.error().what));
  }
  const auto boot = boot_id(host);
  std::erase_if(file->mutes, [&](const StoredMute& mute) {
    return left_of(mute.time, kLongestMute, now, boot) <= milliseconds(0);
  });
  if (file->mutes.size() > kMostMutes) file->mutes.resize(kMostMutes);
  return std::move(file->mutes);
}

/// Of a damaged file nothing is kept.
Result<std::vector<StoredMute>> read_to_change(host::Host& host, const Moment& now) {
  auto stored = read_stored(host, now);
  return stored || stored.error().code != ErrorCode::kInvalid ? std::move(stored)
                                                              : std::vector<StoredMute>{};
}

Result<> write_stored(host::Files& files, std::vector<StoredMute> mutes) {
  constexpr unsigned kMode = 0600;
  if (mutes.empty()) return files.remove_durably(protocol::kMutesFile);
  const auto document = document_of(kMutesSchema, MutesFile{std::move(mutes)});
  return files.write_durably(protocol::kMutesFile, json_text(document, 2) + "\n", kMode);
}

}  // namespace

Result<std::vector<Mute>> read_mutes(host::Host& host, const Moment& now) {
  const auto stored = read_stored(host, now);
  if (!stored) return std::unexpected(stored.error());
  const auto boot = boot_id(host);
  std::vector<Mute> mutes;
  for (const auto& mute : *stored) {
    mutes.push_back(mute_of(mute, left_of(mute.time, kLongestMute, now, boot), now));
  }
  return mutes;
}

Result<> add_mute(host::Host& host, const Mute& mute, const Moment& now) {
  auto stored = read_to_change(host, now);
  if (!stored) return std::unexpected(stored.error());
  std::erase_if(*stored, [&](const StoredMute& other) {
    return other.id == mute.id && other.node == mute.node;
  });
  if (stored->size() >= kMostMutes) {
    return fail(ErrorCode::kBusy,
                fmt::format("{} mutes last already: end one of them with `spark-reconcile mute "
                            "--end ID`",
                            kMostMutes));
  }
  stored->push_back({.id = mute.id,
                     .alert = mute.alert,
                     .node = mute.node,
                     .time = bounded_time(mute.since, mute.until, boot_id(host)),
                     .reason = printable(mute.reason, kLongestReason),
                     .by = mute.by,
                     .change_id = mute.change_id});
  return write_stored(host.files, *std::move(stored));
}

Result<std::size_t> end_mutes(host::Host& host, const std::string& id, const std::string& node,
                              const Moment& now) {
  auto stored = read_to_change(host, now);
  if (!stored) return std::unexpected(stored.error());
  const auto ended = std::erase_if(*stored, [&](const StoredMute& mute) {
    return mute.id == id && (node.empty() || mute.node == node);
  });
  if (ended == 0) return 0;
  if (auto written = write_stored(host.files, *std::move(stored)); !written) {
    return std::unexpected(written.error());
  }
  return ended;
}

}  // namespace spark::state
