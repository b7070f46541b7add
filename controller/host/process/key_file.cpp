#include "host/process/key_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/page_token.hpp"
#include "base/text.hpp"

namespace spark::host {
namespace {

constexpr mode_t kReaders = S_IRUSR | S_IWUSR | S_IRGRP;

using Fault = std::unexpected<KeyFileFault>;

/// The command that makes owner and mode right.
std::string remedy_for(const std::string& path, const KeyReader& reader) {
  return fmt::format("`sudo chown root:{0} {1} && sudo chmod 0640 {1}`", reader.name,
                     printable(path));
}

std::optional<KeyFileFault> judge_key(const struct stat& status, const std::string& path,
                                      const KeyReader& reader) {
  const auto name = in_quotes(path);
  const auto mode = status.st_mode & ALLPERMS;
  const auto wrong = [&](std::string_view what) {
    return KeyFileFault{fmt::format("{} {}", name, what), remedy_for(path, reader)};
  };
  if (S_ISLNK(status.st_mode)) {
    return KeyFileFault{name + " is a symbolic link", "put the file itself there"};
  }
  if (!S_ISREG(status.st_mode)) {
    return KeyFileFault{name + " is no regular file",
                        fmt::format("put the {} there in a regular file", reader.thing)};
  }
  if (status.st_nlink > 1) {
    return KeyFileFault{name + " has another name too, by a hard link",
                        fmt::format("remove it, and put a copy of the {} there", reader.thing)};
  }
  if (status.st_uid != 0) return wrong(fmt::format("belongs to user {}", status.st_uid));
  if ((mode & S_IRWXO) != 0) return wrong("is open to everybody, who may have read it");
  if ((mode & S_IWGRP) != 0) return wrong(fmt::format("can be written by group {}", status.st_gid));
  const bool is_readers = reader.ids && status.st_gid == reader.ids->group;
  if ((mode & S_IRGRP) != 0 && status.st_gid != 0 && !is_readers) {
    return wrong(fmt::format("can be read by group {}", status.st_gid));
  }
  if ((mode & ~kReaders) != 0) return wrong(fmt::format("has mode {:04o}", mode));
  return std::nullopt;
}

Fault failed_to(std::string_view what, const std::string& path, int error,
                const KeyReader& reader) {
  if (error == ENOENT) {
    return Fault({fmt::format("there is no {}", in_quotes(path)),
                  reader.missing.empty()
                      ? "copy it from a node that has it, then " + remedy_for(path, reader)
                      : reader.missing});
  }
  if (error == ELOOP || error == ENOTDIR) {
    return Fault(
        {fmt::format("something on the way to {} is a link or no directory", in_quotes(path)),
         "name the place itself by " + reader.setting});
  }
  if (error == EACCES || error == EPERM) {
    return Fault({fmt::format("{} cannot be read by this user", in_quotes(path)),
                  "see that root and " + reader.name + " alone can: " + remedy_for(path, reader),
                  true});
  }
  return Fault({fmt::format("{} {}: {}", what, in_quotes(path), std::strerror(error)),
                "look at the file system that it is on"});
}

}  // namespace

std::expected<UniqueFd, KeyFileFault> open_key_file(const std::string& top, const std::string& path,
                                                    const KeyReader& reader) {
  // A directory at a time, each in the one before: openat2(2) is closed to units with
  // RestrictSUIDSGID.
  UniqueFd folder(::open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string_view left = path;
  while (true) {
    if (!folder.valid()) return failed_to("open", path, errno, reader);
    left.remove_prefix(std::min(left.find_first_not_of('/'), left.size()));
    const auto slash = left.find('/');
    if (slash == std::string_view::npos) break;
    const std::string name(left.substr(0, slash));
    left.remove_prefix(slash);
    folder =
        UniqueFd(openat(folder.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  const std::string name(left);
  struct stat status{};
  if (fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed_to("look at", path, errno, reader);
  }
  // Before the open, which says less of what is wrong and would wait at a FIFO.
  if (auto fault = judge_key(status, path, reader)) return Fault(std::move(*fault));
  UniqueFd file(openat(folder.get(), name.c_str(),
                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) return failed_to("open", path, errno, reader);
  // It may have been replaced in between.
  if (fstat(file.get(), &status) != 0) return failed_to("look at", path, errno, reader);
  if (auto fault = judge_key(status, path, reader)) return Fault(std::move(*fault));
  return file;
}

std::optional<KeyFileFault> key_file_fault(const std::string& top, const std::string& path,
                                           const KeyReader& reader) {
  const auto file = open_key_file(top, path, reader);
  if (!file) return file.error();
  if (!reader.ids) {
    return KeyFileFault{
        fmt::format("there is no user {}, who is to read {}", reader.name, in_quotes(path)),
        "`sudo systemd-sysusers spark-reconcile.conf`, then " + remedy_for(path, reader)};
  }
  struct stat status{};
  if (fstat(file->get(), &status) != 0 || (status.st_mode & S_IRGRP) == 0 ||
      status.st_gid != reader.ids->group) {
    return KeyFileFault{fmt::format("{} cannot be read by {}", in_quotes(path), reader.name),
                        remedy_for(path, reader)};
  }
  return std::nullopt;
}

void hide_memory() {
  static_cast<void>(prctl(PR_SET_DUMPABLE, 0));  // cannot fail
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  static_cast<void>(setrlimit(RLIMIT_CORE, &none));  // the unit has that already, and allows it not
}

namespace {

constexpr const char* kReader = "spark-web";
/// A token, the end of its line, and one more that shows a longer one.
using TokenBytes = std::array<char, kMostTokenBytes + 2>;

struct Wiped {
  TokenBytes bytes{};
  Wiped() = default;
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { explicit_bzero(bytes.data(), bytes.size()); }
};

}  // namespace

KeyReader token_reader(const std::string& path, std::string_view passwd) {
  return {.name = kReader,
          .ids = user_ids(kReader, passwd),
          .thing = "token",
          .setting = "token_file of agent.yaml",
          .missing = fmt::format("make one: `{}`", token_command(printable(path)))};
}

std::optional<KeyFileFault> read_token_file(const std::string& top, const std::string& path,
                                            const KeyReader& reader,
                                            const std::function<void(std::string_view)>& take) {
  const auto file = open_key_file(top, path, reader);
  if (!file) return file.error();
  Wiped text;
  std::size_t size = 0;
  while (size < text.bytes.size()) {
    const auto got = ::read(file->get(), text.bytes.data() + size, text.bytes.size() - size);
    if (got < 0) {
      return KeyFileFault{fmt::format("read {}: {}", in_quotes(path), std::strerror(errno)),
                          "look at the file system that it is on"};
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  const std::string_view all(text.bytes.data(), size);
  if (const auto why = why_no_token(all); !why.empty()) {
    return KeyFileFault{fmt::format("{}, {}", in_quotes(path), why), reader.missing};
  }
  take(token_in(all));
  return std::nullopt;
}

std::optional<KeyFileFault> token_file_fault(const std::string& top, const std::string& path,
                                             const KeyReader& reader) {
  if (auto fault = key_file_fault(top, path, reader)) return fault;
  return read_token_file(top, path, reader, [](std::string_view /*token*/) {});
}

}  // namespace spark::host
