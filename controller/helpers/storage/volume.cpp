#include "helpers/storage/volume.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/unique_fd.hpp"

namespace spark::helpers {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// Enough for the superblocks of ext4 (at 1 KiB), xfs (at 0) and btrfs (at 64 KiB).
constexpr std::size_t kHead = std::size_t{128} * 1024;
constexpr std::size_t kAlignment = 4096;  // of O_DIRECT, for any block size in use

// linux/fs/ext4/ext4.h, struct ext4_super_block, little-endian.
constexpr std::size_t kExt = 1024;
constexpr std::size_t kExtMountTime = kExt + 0x2C;
constexpr std::size_t kExtMountCount = kExt + 0x34;
constexpr std::size_t kExtMagic = kExt + 0x38;
constexpr std::size_t kExtState = kExt + 0x3A;
constexpr std::size_t kExtIncompat = kExt + 0x60;
constexpr std::size_t kExtUuid = kExt + 0x68;
constexpr std::uint32_t kExtMagicNumber = 0xEF53;
constexpr std::uint32_t kExtValid = 0x1;    // EXT4_VALID_FS
constexpr std::uint32_t kExtRecover = 0x4;  // EXT4_FEATURE_INCOMPAT_RECOVER
constexpr std::uint32_t kExtMmp = 0x100;    // EXT4_FEATURE_INCOMPAT_MMP
constexpr std::size_t kBtrfsMagic = 0x10000 + 64;

std::uint32_t u16_at(Bytes bytes, std::size_t at) {
  return static_cast<std::uint32_t>(bytes[at]) | static_cast<std::uint32_t>(bytes[at + 1]) << 8U;
}

std::uint32_t u32_at(Bytes bytes, std::size_t at) {
  return u16_at(bytes, at) | u16_at(bytes, at + 2) << 16U;
}

bool has_text(Bytes bytes, std::size_t at, std::string_view text) {
  return std::ranges::equal(bytes.subspan(at, text.size()), text, [](std::uint8_t a, char b) {
    return a == static_cast<std::uint8_t>(b);
  });
}

Superblock read_ext(Bytes head) {
  Superblock found{.type = "ext4"};
  const auto incompat = u32_at(head, kExtIncompat);
  // With a journal the kernel leaves the state alone and marks the journal instead.
  found.clean = (u16_at(head, kExtState) & kExtValid) != 0 && (incompat & kExtRecover) == 0;
  found.mmp = (incompat & kExtMmp) != 0;
  found.mounts = u16_at(head, kExtMountCount);
  found.mounted_at = u32_at(head, kExtMountTime);
  for (const auto byte : head.subspan(kExtUuid, 16)) found.uuid += fmt::format("{:02x}", byte);
  return found;
}

Superblock superblock_in(Bytes head) {
  if (u16_at(head, kExtMagic) == kExtMagicNumber) return read_ext(head);
  if (has_text(head, 0, "XFSB")) return {.type = "xfs"};
  if (has_text(head, kBtrfsMagic, "_BHRfS_M")) return {.type = "btrfs"};
  const bool zeros = std::ranges::all_of(head, [](std::uint8_t byte) { return byte == 0; });
  return {.type = zeros ? "empty" : "other"};
}

}  // namespace

SuperblockRead read_superblock(const std::string& device) {
  const UniqueFd file(open(device.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (!file.valid()) return {{}, errno};
  const Handle<std::uint8_t, std::free> buffer(
      static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kHead)));
  if (!buffer) return {{}, ENOMEM};
  std::memset(buffer.get(), 0, kHead);
  for (std::size_t done = 0; done < kHead;) {
    const auto size =
        pread(file.get(), buffer.get() + done, kHead - done, static_cast<off_t>(done));
    if (size == 0) {
      break;  // a device smaller than that
    }
    if (size < 0 && errno != EINTR) return {{}, errno};
    done += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  }
  return {superblock_in({buffer.get(), kHead}), 0};
}

int try_out(const std::string& path, bool writes) {
  if (!writes) {
    const Handle<DIR, closedir> directory(opendir(path.c_str()));
    struct statvfs status{};
    errno = 0;
    const bool read = directory && readdir(directory.get()) != nullptr;
    return read && statvfs(path.c_str(), &status) == 0 ? 0 : (errno != 0 ? errno : EIO);
  }
  const UniqueFd file(open(path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.valid()) return errno;
  const std::array<char, 4096> block{};
  const bool written =
      write(file.get(), block.data(), block.size()) == static_cast<ssize_t>(block.size());
  return written && fsync(file.get()) == 0 ? 0 : (errno != 0 ? errno : EIO);
}

int sync_at(const std::string& path) {
  const UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.valid() && syncfs(directory.get()) == 0 ? 0 : errno;
}

int claim(const std::string& device) {
  const UniqueFd file(open(device.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
  return file.valid() ? 0 : errno;
}

}  // namespace spark::helpers
