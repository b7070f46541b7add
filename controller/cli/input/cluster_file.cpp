#include "cli/input/cluster_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "cli/input/named_file.hpp"
#include "cli/input/user_name.hpp"
#include "cli/input/verb.hpp"
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

VerbSpec::OfFile use_of(const Arguments& arguments) {
  return arguments.verb == nullptr ? VerbSpec::OfFile::kInForce : arguments.verb->file;
}

bool acts(const Arguments& arguments) { return use_of(arguments) == VerbSpec::OfFile::kActedOn; }

/// The file where nobody named another: root's alone, as the daemon follows it unasked.
Result<> check_default_file(const std::string& root) {
  auto checked = host::check_takeable(root, protocol::kDefaultFile);
  if (!checked && checked.error().code == ErrorCode::kBusy) {
    checked.error().what += ": apply it when that has ended";
  }
  return checked;
}

/// The file that came from git: the judging user's alone.
Result<ClusterFile> read_followed_file(const config::SourceSpec& source, host::Files& files) {
  auto text = state::read_followed(files);
  if (!text) return std::unexpected(text.error());
  if (!*text) {
    return fail(ErrorCode::kNotFound,
                "this machine follows a git repository, and nothing was accepted from it yet: "
                "`sudo spark-reconcile sync` fetches it now and says why");
  }
  auto file = parse_cluster_text(protocol::kFollowedFile, std::move(**text));
  const auto judgement = state::read_judgement(files);
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
  if (!fd.valid()) return std::unexpected(fault_of_input(path, errno));
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return fail_errno(errno, fmt::format("stat '{}'", path));
  if (S_ISDIR(status.st_mode)) return std::unexpected(fault_of_input(path, EISDIR));
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

/// The file that this machine follows, as it is.
Result<ClusterFile> read_own_file(const Arguments& arguments, host::Files& files) {
  const bool is_acted_on = acts(arguments);
  const auto source = state::read_source(files, arguments.root);
  if (source && *source) return read_followed_file(**source, files);
  // Which file counts is not to be guessed.
  const bool is_followed = state::followed_url(files).value_or(std::nullopt).has_value();
  if (!source && (is_acted_on || is_followed)) return std::unexpected(source.error());
  if (is_acted_on) {
    if (auto checked = check_default_file(arguments.root); !checked) {
      return std::unexpected(checked.error());
    }
  }
  auto text = files.read(protocol::kDefaultFile);
  if (!text && text.error().code == ErrorCode::kPermission) {
    return std::unexpected(fault_of_input(protocol::kDefaultFile, EACCES));
  }
  if (!text) return std::unexpected(text.error());
  if (!*text) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no {}: put the cluster's file there, or name one with "
                            "-f cluster.yaml; `sudo spark-reconcile init --discover` writes a "
                            "first one",
                            protocol::kDefaultFile));
  }
  return parse_cluster_text(protocol::kDefaultFile, std::move(**text));
}

/// The file itself is what the verb is about; others show how this machine is.
bool judges_the_file(const Arguments& arguments) {
  // Facts are of another machine, of whose daemon nothing is known here.
  return !arguments.facts.empty() || use_of(arguments) != VerbSpec::OfFile::kInForce;
}

/// Empty: the file is the one in force, or the daemon has not said yet what comes of it.
std::optional<state::NewerFile> why_not_in_force(const Result<ClusterFile>& file,
                                                 const state::PublishedFile& in_force) {
  const auto& told = in_force.newer;
  if (!file) {
    return state::NewerFile{.file = told ? told->file : in_force.file,
                            .is_refused = file.error().code != ErrorCode::kBusy,
                            .why = file.error().what};
  }
  const auto& digest = file->parsed.cluster.digest;
  if (file->text == in_force.text) return std::nullopt;
  if (!file->valid()) {
    const auto errors = error_text(*file);
    return state::NewerFile{.file = file->name,
                            .digest = digest,
                            .is_refused = true,
                            .why = errors.substr(0, errors.find('\n')),
                            .commit = file->commit ? file->commit->id : ""};
  }
  if (told && told->digest == digest) return told;
  if (in_force.file == protocol::kFollowedFile && file->name != in_force.file) {
    return state::NewerFile{.file = file->name,
                            .digest = digest,
                            .is_refused = false,
                            .why = "this machine follows a git repository"};
  }
  return std::nullopt;
}

/// What a running daemon has in force instead of `file`; where it has nothing else, `file`.
Result<ClusterFile> file_in_force(Result<ClusterFile> file, const std::string& root,
                                  host::Files& files) {
  // Who may not read the file is not shown what was in it.
  if (!file && file.error().code == ErrorCode::kPermission) return file;
  const auto known = state::read_published_file(files, root);
  if (!known || !*known) return file;  // the file's own error says more
  const auto& in_force = **known;
  auto newer = why_not_in_force(file, in_force);
  if (!newer) return file;
  auto shown = parse_cluster_text(in_force.file, in_force.text);
  shown.commit = in_force.commit;
  shown.newer = std::move(newer);
  return shown;
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
  if (!arguments.file.empty()) {
    const auto use = acts(arguments) ? FileUse::kAct : FileUse::kLook;
    const auto fd = open_named_file(arguments.file, use);
    if (!fd) return std::unexpected(fd.error());
    auto text = read_beginning(fd->get(), kRead, arguments.file);
    if (!text) return std::unexpected(text.error());
    return parse_cluster_text(arguments.file, std::move(*text));
  }
  auto file = read_own_file(arguments, files);
  return judges_the_file(arguments) ? file : file_in_force(std::move(file), arguments.root, files);
}

std::string error_text(const ClusterFile& file) {
  std::string errors;
  for (const auto& diagnostic : file.parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError) {
      errors += config::render(diagnostic, file.name, file.text);
    }
  }
  return errors;
}

std::string not_in_force_line(const ClusterFile& file) {
  if (!file.newer) return {};
  const auto& [path, digest, is_refused, why, commit] = *file.newer;
  const bool has_place = why.starts_with(path + ":");
  const auto name =
      commit.empty() ? path
                     : fmt::format("commit {:.12}, {}", commit, path.substr(path.rfind('/') + 1));
  const auto what = name + (has_place ? why.substr(path.size()) : ": " + why);
  const auto* const remedy = !is_refused      ? ""
                             : commit.empty() ? "; correct it: `spark-reconcile validate`"
                                              : "; correct it in the repository";
  return printable(fmt::format("spark-reconcile: {}; it is {}, so this is of the file in force "
                               "(digest {:.12}){}",
                               what, is_refused ? "refused" : "not in force yet",
                               file.parsed.cluster.digest, remedy)) +
         "\n";
}

}  // namespace spark::cli
