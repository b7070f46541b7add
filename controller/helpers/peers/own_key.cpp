#include "helpers/peers/own_key.hpp"

#include <cerrno>
#include <cstddef>

#include <fmt/format.h>
#include <unistd.h>

#include "host/process/file_io.hpp"
#include "host/process/key_file.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

/// A key and blanks around it.
constexpr std::size_t kMostKeyBytes = 256;

/// Errors: in words for people, with what to do.
Result<Secret> read_key(const std::string& top, const std::string& path) {
  const auto passwd = host::read_proc("/etc/passwd");
  const host::KeyReader reader{
      .name = protocol::kPeersUser,
      .ids = passwd ? host::user_ids(protocol::kPeersUser, *passwd) : std::nullopt};
  const auto file = host::open_key_file(top, path, reader);
  if (!file) {
    return fail(ErrorCode::kInvalid, fmt::format("{}: {}", file.error().what, file.error().remedy));
  }
  auto bytes = locked_bytes(kMostKeyBytes + 1);
  std::size_t size = 0;
  while (size <= kMostKeyBytes) {
    const auto got = ::read(file->get(), bytes.get() + size, kMostKeyBytes + 1 - size);
    if (got < 0) return fail_errno(errno, fmt::format("read '{}'", path));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  Result<Secret> key = fail(ErrorCode::kInvalid, "it is longer than a key");
  if (size <= kMostKeyBytes) {
    key = Secret::parse({reinterpret_cast<const char*>(bytes.get()), size});
  }
  if (key) return key;
  return fail(ErrorCode::kInvalid,
              fmt::format("'{}': {}: copy the file of a node that has the right one", path,
                          key.error().what));
}

}  // namespace

const OwnKey& KeyFile::look() {
  if (path_.empty()) return key_;
  const auto now = host::file_stamp(top_ + path_);
  if (was_read_ && now == stamp_) return key_;
  was_read_ = true;
  stamp_ = now;
  auto read = read_key(top_, path_);
  if (!read) {
    key_ = {.secret = nullptr,
            .failed = fmt::format("{} [{}]", read.error().what, protocol::kKeyId)};
  } else if (!key_.secret || *key_.secret != *read) {
    key_ = {.secret = std::make_shared<const Secret>(std::move(*read)), .failed = ""};
  }
  return key_;
}

}  // namespace spark::helpers
