#include "cli/plan/plan_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/input/named_file.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kLargestPlan = 16UL * 1024 * 1024;

Result<> write_all(int fd, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    const auto written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return fail_errno(errno, fmt::format("write '{}'", path));
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  return {};
}

/// Replaces (or makes) a file in one rename.
Result<> replace(const std::string& path, const std::string& text) {
  const auto fresh = fmt::format("{}.new-{}", path, getpid());
  {
    const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd.valid()) return std::unexpected(fault_of_output(path, errno, "--out"));
    if (auto written = write_all(fd.get(), text, path); !written) {
      static_cast<void>(::unlink(fresh.c_str()));  // the error that matters is the first one
      return written;
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const int number = errno;
    static_cast<void>(::unlink(fresh.c_str()));
    return std::unexpected(fault_of_output(path, number, "--out"));
  }
  return {};
}

/// Writes into what is there: a device or a pipe, which must not become a file.
Result<> write_into(const std::string& path, const std::string& text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return std::unexpected(fault_of_output(path, errno, "--out"));
  return write_all(fd.get(), text, path);
}

}  // namespace

std::string plan_file_text(const PlanFile& saved) {
  return json_text(document_of(kPlanFileSchema, saved), 2) + "\n";
}

Result<> write_plan_file(const std::string& path, const std::string& text) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return write_into(path, text);
  }
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
    // Following it would write as root wherever the owner of the link wants; replacing it would
    // take /dev/stdout away.
    return fail(
        ErrorCode::kInvalid,
        fmt::format("'{}' is a symbolic link, which is not replaced: name the file itself", path));
  }
  return replace(path, text);
}

Result<PlanFile> read_plan_file(const std::string& path) {
  const auto text = read_named_file(path, kLargestPlan, FileUse::kAct);
  if (!text && text.error().code == ErrorCode::kNotFound) {
    const auto advice =
        may_be_node(path) ? advice_to_go_there(*verb_named("apply"), path)
        : is_name_of_yaml(path)
            ? "the cluster's file is named by -f: " + line_to_type({"apply", path})
            : "`spark-reconcile plan` shows what apply would change, and saves it with --out";
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no saved plan {}, which a word behind apply names: {}",
                            in_quotes(path), advice));
  }
  if (!text) return std::unexpected(text.error());
  const auto not_one = [&](const std::string& why) {
    const bool is_of_plan = parse_json(*text).has_value();  // else the JSON parser says why
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is no plan saved by `spark-reconcile plan --out`{}; a cluster "
                            "file is applied by {}",
                            path, is_of_plan ? fmt::format(" ({})", why) : "",
                            line_to_type({"apply", "-f", path})));
  };
  auto saved = document_from_text<PlanFile>(kPlanFileSchema, *text);
  if (!saved) return not_one(saved.error().what);
  if (saved->node.empty()) return not_one("at '/node': expected the name of a node");
  return saved;
}

}  // namespace spark::cli
