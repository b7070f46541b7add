#include "helpers/git/object_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sha1.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "base/wait.hpp"
#include "helpers/git/settings.hpp"
#include "host/process/child.hpp"
#include "host/process/file_io.hpp"

namespace spark::helpers {
namespace {

constexpr std::size_t kIdDigits = 40;

/// What the alternates of git(1) read: a path in quotes may hold anything.
std::string quoted_path(const std::string& path) {
  std::string quoted = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

bool is_object_id(std::string_view text) {
  return text.size() == kIdDigits && std::ranges::all_of(text, [](char c) {
           return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
         });
}

std::string object_id(std::string_view type, std::string_view content) {
  const auto head = fmt::format("{} {}", type, content.size());
  SHA1_CTX context;
  SHA1Init(&context);
  const auto add = [&](std::string_view text) {
    SHA1Update(&context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  add({head.c_str(), head.size() + 1});  // with its NUL
  add(content);
  std::array<char, SHA1_DIGEST_STRING_LENGTH> digest{};
  SHA1End(&context, digest.data());
  return digest.data();
}

Result<ObjectReader> ObjectReader::open(const std::string& repository, const std::string& objects,
                                        std::chrono::milliseconds deadline) {
  const std::string what = "read objects";
  auto in = host::make_pipe(what);
  if (!in) return std::unexpected(in.error());
  auto out = host::make_pipe(what);
  if (!out) return std::unexpected(out.error());
  auto environment = git_environment("/dev/null");
  environment.push_back("GIT_DIR=" + repository);
  environment.push_back("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoted_path(objects));
  const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const auto process =
      host::spawn({.words = git_words({"-c", "protocol.allow=never", "-c", "core.commitGraph=false",
                                       "-c", "core.multiPackIndex=false", "-c",
                                       "core.hooksPath=/dev/null", "cat-file", "--batch-command"}),
                   .environment = std::move(environment),
                   .in = in->read_end.get(),
                   .out = out->write_end.get(),
                   .err = nowhere.get(),
                   .most_memory = kMostMemory},
                  what);
  if (!process) return std::unexpected(process.error());
  return ObjectReader(std::move(in->write_end), std::move(out->read_end), *process,
                      std::chrono::steady_clock::now() + deadline);
}

ObjectReader::ObjectReader(ObjectReader&& other) noexcept
    : in_(std::move(other.in_)),
      out_(std::move(other.out_)),
      process_(std::exchange(other.process_, -1)),
      end_(other.end_),
      buffer_(std::move(other.buffer_)) {}

ObjectReader::~ObjectReader() {
  if (process_ < 0) return;
  static_cast<void>(kill(-process_, SIGKILL));  // it may have ended
  static_cast<void>(waitpid(process_, nullptr, 0));
}

bool ObjectReader::fill() {
  while (true) {
    // What comes all the time is no way around the end.
    if (std::chrono::steady_clock::now() >= end_ || !wait_for(out_.get(), POLLIN, end_)) {
      return false;
    }
    std::array<char, 65536> some{};
    const auto size = ::read(out_.get(), some.data(), some.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    buffer_.append(some.data(), static_cast<std::size_t>(size));
    return true;
  }
}

OrFault<std::string> ObjectReader::take_line(const std::string& id) {
  constexpr std::size_t kLongest = 200;
  while (buffer_.find('\n') == std::string::npos) {
    if (buffer_.size() > kLongest || !fill()) {
      return found(GitId::kNotWhatItsNameSays, fmt::format("git cannot read object {}", id));
    }
  }
  const auto end = buffer_.find('\n');
  auto line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

OrFault<std::string> ObjectReader::take(std::size_t bytes, const std::string& id) {
  while (buffer_.size() < bytes) {
    if (!fill()) {
      return found(GitId::kNotWhatItsNameSays, fmt::format("git cannot read object {}", id));
    }
  }
  auto content = buffer_.substr(0, bytes);
  buffer_.erase(0, bytes);
  return content;
}

OrFault<ObjectReader::Header> ObjectReader::ask(std::string_view command, const std::string& id,
                                                GitId missing) {
  if (!is_object_id(id)) {
    return found(GitId::kNotWhatItsNameSays, fmt::format("{} is no object's name", in_quotes(id)));
  }
  if (!host::write_all(in_.get(), fmt::format("{} {}\n", command, id), "ask git")) {
    return found(GitId::kNotWhatItsNameSays, fmt::format("git cannot read object {}", id));
  }
  const auto line = take_line(id);
  if (!line) return std::unexpected(line.error());
  if (*line == id + " missing") {
    const bool may_be_left_out = missing != GitId::kNotWhatItsNameSays;
    return found(missing, fmt::format("object {} is {}", id,
                                      may_be_left_out ? "larger than what is fetched, or missing"
                                                      : "missing"));
  }
  // "ID type size".
  const std::string_view rest =
      std::string_view(*line).substr(std::min(id.size() + 1, line->size()));
  const auto blank = rest.find(' ');
  Header header{.type = std::string(rest.substr(0, blank))};
  const auto size =
      number_in<std::size_t>(blank == std::string_view::npos ? "" : rest.substr(blank + 1));
  if (!line->starts_with(id + " ") || !size) {
    return found(GitId::kNotWhatItsNameSays, fmt::format("git cannot read object {}", id));
  }
  header.size = *size;
  return header;
}

OrFault<std::string> ObjectReader::type_of(const std::string& id) {
  auto header = ask("info", id);
  if (!header) return std::unexpected(header.error());
  return std::move(header->type);
}

OrFault<std::string> ObjectReader::read(const std::string& id, std::string_view type,
                                        std::size_t limit_bytes, GitId too_long) {
  // Asked first, so that nothing of what is too long is unpacked.
  auto header = ask("info", id, too_long);
  if (!header) return std::unexpected(header.error());
  if (header->type != type) {
    return found(GitId::kNotWhatItsNameSays,
                 fmt::format("object {} is a {} and not a {}", id, header->type, type));
  }
  if (header->size > limit_bytes) {
    return found(too_long, fmt::format("object {} has {} bytes, and {} at most are taken", id,
                                       header->size, limit_bytes));
  }
  const auto again = ask("contents", id);
  if (!again) return std::unexpected(again.error());
  if (again->type != header->type || again->size != header->size) {
    return found(GitId::kNotWhatItsNameSays, fmt::format("object {} changes while it is read", id));
  }
  auto content = take(header->size + 1, id);  // and a line feed
  if (!content) return content;
  content->pop_back();
  if (object_id(type, *content) != id) {
    return found(GitId::kNotWhatItsNameSays,
                 fmt::format("object {} has another hash than its name", id));
  }
  return content;
}

}  // namespace spark::helpers
