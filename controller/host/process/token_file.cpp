#include "host/process/token_file.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "base/page_token.hpp"
#include "base/text.hpp"

namespace spark::host {
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
