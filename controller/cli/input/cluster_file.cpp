#include "cli/input/cluster_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "cli/input/user_name.hpp"
#include "config/yaml/document_text.hpp"
#include "host/process/trusted_file.hpp"
#include "protocol/source.hpp"
#include "state/source.hpp"

namespace spark::cli {
namespace {

/// One byte more than the parser takes, so that it refuses a file that goes on.
constexpr std::size_t kRead = config::kLargestFileBytes + 1;

/// At most so many bytes: what goes on after them is left unread.
Result<std::string> read_beginning(int fd, std::size_t bytes, const std::string& name) {
  std::string text;
  std::array<char, 16384> buffer{};
  while (text.size() < bytes) {
    const auto got = ::read(fd, buffer.data(), std::min(buffer.size(), bytes - text.size()));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) return fail_errno(errno, fmt::format("read '{}'", name));
    if (got == 0) {
      break;
    }
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool acts(Verb verb) { return verb == Verb::kApply || verb == Verb::kRelease; }

/// The file where nobody named another: root's alone, as the daemon follows it unasked.
Result<> check_default_file(const std::string& root) {
  auto checked = host::check_takeable(root, protocol::kDefaultFile);
  if (!checked && checked.error().code == ErrorCode::kBusy) {
    checked.error().what += ": apply it when that has ended";
  }
  return checked;
}

/// The file that came from git: the judging user's alone.
Result<ClusterFile> read_followed_file(const config::SourceSpec& source, const std::string& root,
                                       host::Files& files) {
  if (auto checked = state::check_followed(root); !checked) {
    return std::unexpected(checked.error());
  }
  auto text = files.read(protocol::kFollowedFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) {
    return fail(ErrorCode::kNotFound,
                "this machine follows a git repository, and nothing was accepted from it yet: "
                "`spark-reconcile sync` fetches it now and says why");
  }
  auto file = parse_cluster_text(protocol::kFollowedFile, std::move(**text));
  const auto judgement = state::read_judgement(files, root);
  if (!judgement) return std::unexpected(judgement.error());
  if (auto is_it = state::check_followed_text(source, *judgement, file.parsed.cluster.digest);
      !is_it) {
    return std::unexpected(is_it.error());
  }
  file.commit = state::commit_of(*(*judgement)->accepted);
  return file;
}

Result<UniqueFd> open_named_file(const std::string& path, FileUse use) {
  // O_NONBLOCK: a FIFO that nobody writes would hang the open.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return fail_errno(errno, fmt::format("open '{}'", path));
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return fail_errno(errno, fmt::format("stat '{}'", path));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is not a regular file; a stream can be given with -f -", path));
  }
  if (use == FileUse::kAct) {
    const host::Trust trust{.owners = {geteuid(), user_id()}, .own_group = true};
    if (auto trusted = host::check_trust(fd.get(), path, trust); !trusted) {
      return std::unexpected(trusted.error());
    }
  }
  return fd;
}

}  // namespace

Result<std::string> read_named_file(const std::string& path, std::size_t limit, FileUse use) {
  const auto fd = open_named_file(path, use);
  if (!fd) return std::unexpected(fd.error());
  auto text = read_beginning(fd->get(), limit + 1, path);
  if (text && text->size() > limit) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is larger than {} MiB, and nothing of it is used: see that it is "
                            "the file that you mean",
                            path, limit / (1024UL * 1024)));
  }
  return text;
}

ClusterFile parse_cluster_text(std::string name, std::string text) {
  ClusterFile file{.name = std::move(name), .text = std::move(text)};
  file.parsed = config::parse(file.text);
  return file;
}

Result<ClusterFile> read_cluster_file(const Arguments& arguments, host::Files& files) {
  if (arguments.file == "-") {
    auto text = read_beginning(STDIN_FILENO, kRead, "<stdin>");
    if (!text) return std::unexpected(text.error());
    return parse_cluster_text("<stdin>", std::move(*text));
  }
  const bool is_acted_on = acts(arguments.verb);
  if (!arguments.file.empty()) {
    const auto fd = open_named_file(arguments.file, is_acted_on ? FileUse::kAct : FileUse::kLook);
    if (!fd) return std::unexpected(fd.error());
    auto text = read_beginning(fd->get(), kRead, arguments.file);
    if (!text) return std::unexpected(text.error());
    return parse_cluster_text(arguments.file, std::move(*text));
  }
  const auto source = state::read_source(files, arguments.root);
  if (source && *source) return read_followed_file(**source, arguments.root, files);
  // Which file counts is not to be guessed.
  if (!source && is_acted_on) return std::unexpected(source.error());
  if (is_acted_on) {
    if (auto checked = check_default_file(arguments.root); !checked) {
      return std::unexpected(checked.error());
    }
  }
  auto text = files.read(protocol::kDefaultFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no {}: put the cluster's file there, or name one with "
                            "-f cluster.yaml; `spark-reconcile init` writes a first one",
                            protocol::kDefaultFile));
  }
  return parse_cluster_text(protocol::kDefaultFile, std::move(**text));
}

}  // namespace spark::cli
