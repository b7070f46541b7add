#include "host/process/helper_program.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "base/exit_code.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

/// Started without a word a helper says what it is, and ends.
constexpr std::chrono::seconds kStartTime{10};

/// The Debian package of a shared library: "libsdbus-c++.so.1" is in libsdbus-c++1,
/// "libnl-3.so.200" in libnl-3-200 (Debian Policy 8.1).
std::string package_of(std::string_view library) {
  constexpr std::string_view kSuffix = ".so.";
  const auto at = library.find(kSuffix);
  const auto name = library.substr(0, at);
  const bool ends_in_digit = std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  return fmt::format("{}{}{}", name, ends_in_digit ? "-" : "", library.substr(at + kSuffix.size()));
}

/// The library that the loader did not find; empty: its words are about something else.
std::string_view missing_library(std::string_view words) {
  constexpr std::string_view kBefore = "error while loading shared libraries: ";
  constexpr std::string_view kAfter = ": cannot open shared object file";
  const auto begin = words.find(kBefore);
  const auto end = words.find(kAfter);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  const auto name = words.substr(begin + kBefore.size(), end - begin - kBefore.size());
  const auto version = name.find(".so.");
  return version == 0 || version == std::string_view::npos ? std::string_view{} : name;
}

/// The first line on stderr, without the path that the loader puts before it.
std::string_view first_words(const std::string& program, std::string_view text) {
  auto line = text.substr(0, text.find('\n'));
  if (line.starts_with(program + ": ")) line.remove_prefix(program.size() + 2);
  return line;
}

std::unexpected<Error> no_answer(const std::string& program, const ChildOutput& output) {
  constexpr int kNotStarted = 127;  // of the dynamic loader, as of a shell
  if (output.status == kNotStarted) {
    return fail(ErrorCode::kInvalid, why_not_started(program, output));
  }
  const auto words = first_words(program, output.err);
  return fail(ErrorCode::kInvalid, fmt::format("'{}' gave no answer: {}{}it ended with {}", program,
                                               words, words.empty() ? "" : "; ", output.status));
}

}  // namespace

std::string_view name_of(Helper helper) {
  switch (helper) {
    case Helper::kBusCall:
      return "spark-bus-call";
    case Helper::kVerbsProbe:
      return "spark-verbs-probe";
    case Helper::kStorage:
      return "spark-storage";
    case Helper::kPeers:
      return "spark-peers";
    case Helper::kWeb:
      return "spark-web";
  }
  return "";
}

Result<std::string> own_program() {
  auto path = link_target("/proc/self/exe");
  if (path.empty()) return fail_errno(errno, "find this program's own file");
  // proc(5): that of a file that was unlinked, as an upgrade does it while this program runs.
  constexpr std::string_view kUnlinked = " (deleted)";
  if (path.ends_with(kUnlinked) && access(path.c_str(), F_OK) != 0) {
    path.erase(path.size() - kUnlinked.size());
  }
  if (access(path.c_str(), X_OK) != 0) {
    return fail(ErrorCode::kNotFound,
                fmt::format("'{}', this program, was removed since it began", path));
  }
  return path;
}

Result<std::string> find_helper(Helper helper) {
  const auto own = own_program();
  if (!own) return own;
  const auto name = name_of(helper);
  const auto directory = own->substr(0, own->rfind('/'));
  const auto above = directory.substr(0, directory.rfind('/'));
  for (const auto& place : {fmt::format("{}/{}", directory, name),
                            fmt::format("{}/libexec/spark-reconcile/{}", above, name)}) {
    if (access(place.c_str(), X_OK) == 0) return place;
    if (access(place.c_str(), F_OK) == 0) {
      return fail(ErrorCode::kPermission,
                  fmt::format("'{}' is not executable: `chmod 755 {}`", place, place));
    }
  }
  return fail(
      ErrorCode::kNotFound,
      fmt::format("'{}' is neither beside '{}' nor in ../libexec/spark-reconcile: install it "
                  "with this program",
                  name, *own));
}

Result<ChildOutput> run_helper(Helper helper, std::vector<std::string> words,
                               std::chrono::milliseconds deadline) {
  const auto program = find_helper(helper);
  if (!program) return fail(ErrorCode::kInvalid, program.error().what);
  words.insert(words.begin(), *program);
  auto ran = run_child(words, deadline);
  if (!ran) {
    return ran.error().code == ErrorCode::kTimeout ? std::move(ran)
                                                   : fail(ErrorCode::kInvalid, ran.error().what);
  }
  if (ran->out.empty()) return no_answer(*program, *ran);
  if (!ran->err.empty()) {
    // A library's warning. Where stderr is closed nobody asked for it.
    static_cast<void>(write_all(STDERR_FILENO, ran->err, "stderr"));
  }
  return ran;
}

Result<> check_helper(Helper helper) {
  const auto program = find_helper(helper);
  if (!program) return fail(ErrorCode::kInvalid, program.error().what);
  const auto ran = run_child({*program}, kStartTime);
  if (!ran) {
    return fail(ran.error().code == ErrorCode::kTimeout ? ErrorCode::kTimeout : ErrorCode::kInvalid,
                fmt::format("'{}' does not start: {}", *program, ran.error().what));
  }
  return ran->status == static_cast<int>(ExitCode::kUsage)
             ? Result<>{}
             : fail(ErrorCode::kInvalid, why_not_started(*program, *ran));
}

std::string why_not_started(const std::string& program, const ChildOutput& output) {
  const auto words = first_words(program, output.err);
  const auto library = missing_library(words);
  return fmt::format("'{}' does not start: {}{}exit status {}{}", program, words,
                     words.empty() ? "" : "; ", output.status,
                     library.empty() ? ""
                                     : fmt::format(". Install the package that has it: `apt-get "
                                                   "install {}`",
                                                   package_of(library)));
}

}  // namespace spark::host
