#include "helpers/git/refs.hpp"

#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "helpers/git/object_reader.hpp"
#include "host/process/own_file.hpp"

namespace spark::helpers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPackedRefs = std::size_t{16} * 1024 * 1024;

}  // namespace

std::map<std::string, std::string> read_refs(const std::string& repository,
                                             const std::string& folder, std::size_t most) {
  std::map<std::string, std::string> refs;
  const auto add = [&](std::string name, std::string_view id) {
    if (name.starts_with(folder) && is_object_id(id) && refs.size() <= most) {
      refs.insert_or_assign(std::move(name), std::string(id));
    }
  };
  // gitrepository-layout(5): a file of its own outranks the line of packed-refs.
  const auto packed = host::read_plain(repository + "/packed-refs", kLargestPackedRefs);
  const auto text = packed.value_or(std::nullopt).value_or("");
  for (const auto line : lines_of(text)) {
    const auto blank = line.find(' ');
    if (blank != std::string_view::npos) {
      add(std::string(line.substr(blank + 1)), line.substr(0, blank));
    }
  }
  std::error_code error;
  for (fs::recursive_directory_iterator at(fs::path(repository) / folder, error), end;
       !error && at != end && refs.size() <= most; at.increment(error)) {
    const auto name = at->path().string();
    constexpr std::size_t kLongest = 200;
    if (name.ends_with(".lock")) continue;
    const auto content = host::read_plain(name, kLongest).value_or(std::nullopt).value_or("");
    add(name.substr(repository.size() + 1),
        std::string_view(content).substr(0, content.find('\n')));
  }
  return refs;
}

}  // namespace spark::helpers
