#include "host/linux/linux_storage.hpp"

#include <array>
#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_document.hpp"
#include "base/random.hpp"
#include "base/unique_fd.hpp"
#include "host/linux/mount_table.hpp"
#include "host/linux/netlink/changes.hpp"
#include "host/nvme_sysfs.hpp"
#include "host/process/file_io.hpp"
#include "host/process/helper_program.hpp"
#include "protocol/nvme.hpp"
#include "protocol/volume.hpp"

namespace spark::host {
namespace {

using std::chrono::milliseconds;

constexpr const char* kSys = "/sys";
/// A volume that is there answers in milliseconds; one whose target is lost waits for it.
constexpr milliseconds kAnswer{3'000};
/// What is not written yet may be gigabytes.
constexpr milliseconds kSyncTime{60'000};
constexpr milliseconds kDiscoverTime{8'000};

std::unexpected<Error> no_storage_answer() {
  return fail(ErrorCode::kInvalid, fmt::format("'{}' gave no answer", name_of(Helper::kStorage)));
}

/// What spark-storage printed.
Result<std::string> ask(std::vector<std::string> words, milliseconds deadline) {
  auto ran = run_helper(Helper::kStorage, std::move(words), deadline);
  if (!ran) return std::unexpected(ran.error());
  return std::move(ran->out);
}

/// Of {"errno": 5, "what": …}.
Result<> outcome_of(const Result<std::string>& text, const std::string& what) {
  if (!text && text.error().code == ErrorCode::kTimeout) {
    return fail(ErrorCode::kTimeout, what + ": no answer; is its target lost?");
  }
  if (!text) return std::unexpected(text.error());
  const auto answer = value_from_text<protocol::VolumeAnswer>(*text);
  if (!answer) return no_storage_answer();
  return answer->error == 0 ? Result<>{} : fail_errno(answer->error, what);
}

/// Opens the directory below `root`, following no link; makes what is absent if asked to.
/// Errors: kNotFound; kInvalid.
Result<UniqueFd> walk(const std::string& root, const std::string& path, bool make, bool& made,
                      const std::string& what) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd directory(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  made = false;
  for (std::size_t at = 1; directory.valid() && at < path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    const auto part = path.substr(at, end - at);
    made = make && mkdirat(directory.get(), part.c_str(), 0755) == 0;
    directory = UniqueFd(openat(directory.get(), part.c_str(), kFlags));
    at = end + 1;
  }
  if (!directory.valid()) {
    return errno == ENOTDIR || errno == ELOOP
               ? fail(ErrorCode::kInvalid,
                      what + ": it is no directory, or a symbolic link is on the way")
               : fail_errno(errno, what);
  }
  return directory;
}

/// The directory itself, for what O_PATH does not allow.
UniqueFd reopened(const UniqueFd& directory) {
  return UniqueFd(openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

Result<> set_immutable(const UniqueFd& directory, bool on, const std::string& what) {
  unsigned flags = 0;
  if (ioctl(directory.get(), FS_IOC_GETFLAGS, &flags) != 0) {
    return errno == ENOTTY ? fail(ErrorCode::kUnsupported,
                                  what + ": this file system has no immutable directories")
                           : fail_errno(errno, what);
  }
  const unsigned wanted = on ? flags | FS_IMMUTABLE_FL : flags & ~unsigned{FS_IMMUTABLE_FL};
  if (wanted != flags && ioctl(directory.get(), FS_IOC_SETFLAGS, &wanted) != 0) {
    return fail_errno(errno, what);
  }
  return {};
}

std::int64_t seconds_since_boot() {
  timespec now{};
  static_cast<void>(clock_gettime(CLOCK_BOOTTIME, &now));  // cannot fail
  return now.tv_sec;
}

}  // namespace

Result<NvmeWorld> LinuxStorage::nvme() {
  constexpr std::string_view kEnding = ".state";
  NvmeWorld world{.program = find_helper(Helper::kStorage).value_or(""),
                  .controllers = read_nvme_controllers(kSys),
                  .namespaces = read_nvme_namespaces(kSys)};
  const auto names = files_.list(protocol::kNvmeFolder);
  if (!names) return std::unexpected(names.error());
  for (const auto& name : *names) {
    if (!name.ends_with(kEnding)) continue;
    const auto text = files_.read(fmt::format("{}/{}", protocol::kNvmeFolder, name));
    if (!text) return std::unexpected(text.error());
    // A state that cannot be read counts as none: the next attempt writes it again.
    if (auto attempt = parse_attempt(text->value_or(""), seconds_since_boot())) {
      world.attempts.emplace(name.substr(0, name.size() - kEnding.size()), *std::move(attempt));
    }
  }
  return world;
}

Result<NvmeWorld> LinuxStorage::await_nvme(const std::function<bool(const NvmeWorld&)>& until,
                                           std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  // Most often it is there, and then nothing has to be listened to.
  if (auto first = nvme(); !first || until(*first)) return first;
  const auto events = open_device_events();
  if (!events) return std::unexpected(events.error());
  // Again, since it may have come before the socket was open.
  while (true) {
    const bool is_last = std::chrono::steady_clock::now() >= end;
    auto world = nvme();
    if (!world || until(*world) || is_last) return world;
    const auto changed = wait_for_device_event(events->get(), end);
    if (!changed) return std::unexpected(changed.error());
  }
}

Result<std::vector<MountInfo>> LinuxStorage::mounts() {
  const auto text = read_proc("/proc/self/mountinfo");
  if (!text) return std::unexpected(text.error());
  auto mounts = parse_mountinfo(*text);
  if (!mounts) return mounts;
  for (auto& mount : *mounts) {
    const auto device = fmt::format("{}/dev/block/{}", kSys, mount.device);
    mount.gone = mount.source.starts_with("/dev/") && access(device.c_str(), F_OK) != 0;
  }
  return mounts;
}

Result<Mountpoint> LinuxStorage::mountpoint(const std::string& path) {
  const auto what = fmt::format("look at '{}'", path);
  bool made = false;
  const auto directory = walk(root_, path, false, made, what);
  if (!directory) {
    switch (directory.error().code) {
      case ErrorCode::kNotFound:
        return Mountpoint{};
      case ErrorCode::kInvalid:
        return Mountpoint{.exists = true};
      default:
        return std::unexpected(directory.error());
    }
  }
  const auto open_one = reopened(*directory);
  if (!open_one.valid()) return fail_errno(errno, what);
  const auto names = list_names(open_one.get(), what);
  if (!names) return std::unexpected(names.error());
  unsigned flags = 0;
  // A file system without such flags has none set.
  const bool told = ioctl(open_one.get(), FS_IOC_GETFLAGS, &flags) == 0;
  return Mountpoint{.exists = true,
                    .is_directory = true,
                    .empty = names->empty(),
                    .immutable = told && (flags & FS_IMMUTABLE_FL) != 0};
}

Result<Superblock> LinuxStorage::superblock(const std::string& name) {
  const auto text = ask({"superblock", "/dev/" + name}, kAnswer);
  if (auto read = outcome_of(text, fmt::format("read '/dev/{}'", name)); !read) {
    return std::unexpected(read.error());
  }
  return parse_superblock(*text);
}

Result<> LinuxStorage::try_out(const std::string& path, bool writes) {
  return outcome_of(ask({"try", path, writes ? "rw" : "ro"}, kAnswer),
                    fmt::format("{} '{}'", writes ? "write and sync a file in" : "read", path));
}

Result<> LinuxStorage::sync(const std::string& path) {
  return outcome_of(ask({"sync", path}, kSyncTime), fmt::format("sync '{}'", path));
}

Result<> LinuxStorage::claim(const std::string& name) {
  return outcome_of(ask({"claim", "/dev/" + name}, kAnswer), fmt::format("claim '/dev/{}'", name));
}

Result<std::vector<std::string>> LinuxStorage::users(const std::string& path,
                                                     const std::string& device) {
  return find_volume_users("/proc", path, device);
}

Result<std::vector<NvmeOffer>> LinuxStorage::discover(const IpAddress& address, std::uint16_t port,
                                                      const std::string& via) {
  std::vector<std::string> words{"discover", address.text(), std::to_string(port)};
  if (!via.empty()) words.push_back(via);
  const auto text = ask(std::move(words), kDiscoverTime);
  return text ? parse_offers(*text) : std::unexpected(text.error());
}

Result<std::string> LinuxStorage::random_uuid() {
  std::array<std::uint8_t, 16> bytes{};
  if (const auto filled = fill_random(bytes); !filled) return std::unexpected(filled.error());
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x40U);  // RFC 9562, 5.4: version 4
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  }
  return text;
}

Result<bool> LinuxStorage::make_mountpoint(const std::string& path) {
  const auto what = fmt::format("make the mountpoint '{}'", path);
  bool made = false;
  const auto directory = walk(root_, path, true, made, what);
  if (!directory) return std::unexpected(directory.error());
  const auto open_one = reopened(*directory);
  if (!open_one.valid()) return fail_errno(errno, what);
  auto set = set_immutable(open_one, true, what + " immutable");
  if (!set) return std::unexpected(set.error());
  return made;
}

Result<> LinuxStorage::release_mountpoint(const std::string& path) {
  const auto what = fmt::format("let go of the mountpoint '{}'", path);
  bool made = false;
  const auto directory = walk(root_, path, false, made, what);
  if (!directory) {
    return directory.error().code == ErrorCode::kNotFound ? Result<>{}
                                                          : std::unexpected(directory.error());
  }
  const auto open_one = reopened(*directory);
  return open_one.valid() ? set_immutable(open_one, false, what) : fail_errno(errno, what);
}

Result<> LinuxStorage::keep_trying(const std::string& controller) {
  // ctrl_loss_tmo is kept as a number of attempts, so the delay between them goes first.
  constexpr std::array<std::pair<const char*, const char*>, 2> kTimers{
      {{"reconnect_delay", "2"}, {"ctrl_loss_tmo", "-1"}}};
  for (const auto& [name, value] : kTimers) {
    const auto path = fmt::format("{}/class/nvme/{}/{}", kSys, controller, name);
    const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid()) return fail_errno(errno, fmt::format("write '{}'", path));
    if (auto written = write_all(file.get(), value, fmt::format("write '{}'", path)); !written) {
      return written;
    }
  }
  return {};
}

Result<NvmeAttempt> parse_attempt(const std::string& text, std::int64_t now) {
  auto attempt = value_from_text<protocol::ConnectAttempt>(text);
  if (!attempt) {
    return fail(ErrorCode::kInvalid,
                "what an attempt to connect has left cannot be read: " + attempt.error().what);
  }
  return NvmeAttempt{.outcome = std::move(attempt->outcome),
                     .reason = std::move(attempt->reason),
                     .what = std::move(attempt->what),
                     .seconds_ago = now - attempt->at};
}

Result<Superblock> parse_superblock(const std::string& text) {
  auto answer = value_from_text<protocol::SuperblockAnswer>(text);
  if (!answer) {
    return fail(ErrorCode::kInvalid, fmt::format("'{}' gave no superblock ({})",
                                                 name_of(Helper::kStorage), answer.error().what));
  }
  return std::move(answer->superblock);
}

Result<std::vector<NvmeOffer>> parse_offers(const std::string& text) {
  auto answer = value_from_text<protocol::DiscoveryAnswer>(text);
  if (!answer) {
    return fail(ErrorCode::kInvalid, fmt::format("'{}' gave no list of offers ({})",
                                                 name_of(Helper::kStorage), answer.error().what));
  }
  if (!answer->reason.empty()) {
    const bool waits = answer->reason == protocol::kNoNetwork ||
                       answer->reason == protocol::kPortClosed ||
                       answer->reason == protocol::kSilent;
    return fail(waits ? ErrorCode::kTimeout : ErrorCode::kSystem, std::move(answer->what));
  }
  return std::move(answer->offers);
}

}  // namespace spark::host
