#include "cli/input/named_file.hpp"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/arguments.hpp"

namespace spark::cli {
namespace {

namespace fs = std::filesystem;

/// A directory of the path that is not there, or is none.
struct BrokenWay {
  fs::path at;
  bool is_file = false;
};

std::optional<BrokenWay> broken_way(const std::string& path) {
  std::error_code error;
  fs::path way;
  for (const auto& part : fs::path(path).parent_path()) {
    way /= part;
    const auto status = fs::status(way, error);
    if (status.type() == fs::file_type::not_found) return BrokenWay{.at = way};
    const bool is_file = fs::exists(status) && !fs::is_directory(status);
    if (is_file) return BrokenWay{.at = way, .is_file = true};
  }
  return std::nullopt;
}

fs::path folder_of(const fs::path& path) {
  const auto folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The file beside it whose name may be meant; empty: none is near.
std::string name_near(const fs::path& path) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_of(path), error)) {
    if (!entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = closest(path.filename().string(), views);
  return near ? (path.parent_path() / *near).string() : "";
}

std::string why_absent(const std::string& path) {
  if (path.contains("://")) {
    return fmt::format(
        "{} is a URL, and the name of a file is taken here: `curl -fsSO {}` fetches "
        "it",
        in_quotes(path), shell_word(path));
  }
  if (path.starts_with('~')) {
    return fmt::format(
        "there is no file {}: in quotes a shell leaves ~ as it is, so leave the "
        "quotes out",
        in_quotes(path));
  }
  std::error_code error;
  if (const auto broken = broken_way(path)) {
    return fmt::format("there is no directory {}: `ls {}` shows what is there",
                       in_quotes(broken->at.string()), shell_word(folder_of(broken->at).string()));
  }
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    return fmt::format("{} is a symbolic link to {}, which is not there", in_quotes(path),
                       in_quotes(fs::read_symlink(path, error).string()));
  }
  const auto near = name_near(path);
  return near.empty() ? fmt::format("there is no file {}: `ls {}` shows which there are",
                                    in_quotes(path), shell_word(folder_of(path).string()))
                      : fmt::format("there is no file {}: did you mean {}?", in_quotes(path),
                                    in_quotes(near));
}

/// "cluster.yaml/x".
std::string why_no_directory(const std::string& path) {
  const auto broken = broken_way(path);
  const auto at = broken ? broken->at.string() : path;
  return fmt::format("{} is no directory", in_quotes(at));
}

}  // namespace

Error fault_of_input(const std::string& path, int number) {
  switch (number) {
    case ENOENT:
      return {ErrorCode::kNotFound, why_absent(path)};
    case ENOTDIR:
      return {ErrorCode::kInvalid, why_no_directory(path) + ": name the file itself"};
    case EISDIR:
      return {ErrorCode::kInvalid,
              fmt::format("{} is a directory: name the file in it, as {}", in_quotes(path),
                          (fs::path(path) / "cluster.yaml").string())};
    case EACCES:
    case EPERM:
      return {ErrorCode::kPermission, fmt::format("you may not read {}", in_quotes(path))};
    default:
      return fail_errno(number, fmt::format("read '{}'", path)).error();
  }
}

Error fault_of_output(const std::string& path, int number, std::string_view option) {
  const auto folder = folder_of(path).string();
  switch (number) {
    case ENOENT:
      return {ErrorCode::kNotFound, fmt::format("there is no directory {}: `mkdir -p {}`",
                                                in_quotes(folder), shell_word(folder))};
    case ENOTDIR:
      return {ErrorCode::kInvalid,
              fmt::format("{}: give {} another name", why_no_directory(path), option)};
    case EISDIR:
      return {ErrorCode::kInvalid,
              fmt::format("{} is a directory: give {} the name of a new file in it",
                          in_quotes(path), option)};
    case EACCES:
    case EPERM:
    case EROFS:
      return {ErrorCode::kInvalid,
              fmt::format("you may not write in {}: give {} another place, as {} ~/{}",
                          folder == "." ? "this directory" : in_quotes(folder), option, option,
                          shell_word(fs::path(path).filename().string()))};
    default:
      return fail_errno(number, fmt::format("write '{}'", path)).error();
  }
}

Error fault_of_root(const std::string& root, Error error) {
  std::error_code unread;
  const auto status = fs::status(root, unread);
  if (status.type() == fs::file_type::not_found) {
    error.what =
        fmt::format("there is no directory {}: --root takes one that is there", in_quotes(root));
  } else if (fs::exists(status) && !fs::is_directory(status)) {
    error.what = fmt::format("{} is no directory: --root takes one", in_quotes(root));
  } else if (error.code == ErrorCode::kPermission) {
    error.what = fmt::format("you may not read the directory {}", in_quotes(root));
  }
  return error;
}

}  // namespace spark::cli
