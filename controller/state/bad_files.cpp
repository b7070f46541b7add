#include "state/bad_files.hpp"

#include <algorithm>
#include <utility>

#include "base/json_document.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

struct BadFileList {
  std::vector<BadFile> files;
};

template <EitherConst<BadFileList> T, class Visit>
void each_field(T& list, Visit visit) {
  visit("files", list.files);
}

}  // namespace

std::vector<BadFile> read_bad_files(host::Files& files) {
  const auto text = files.read(protocol::kBadFiles);
  if (!text || !*text) return {};
  auto list = value_from_text<BadFileList>(**text);
  return list ? std::move(list->files) : std::vector<BadFile>{};
}

Result<> add_bad_file(host::Files& files, BadFile bad) {
  constexpr std::size_t kMost = 100;
  constexpr unsigned kMode = 0600;
  BadFileList list{read_bad_files(files)};
  std::erase_if(list.files, [&](const BadFile& other) { return other.digest == bad.digest; });
  list.files.push_back(std::move(bad));
  if (list.files.size() > kMost) list.files.erase(list.files.begin());
  return files.write_durably(protocol::kBadFiles, json_text(TextJsonWriter::write(list), 2) + "\n",
                             kMode);
}

Result<> forget_bad_files(host::Files& files) { return files.remove_durably(protocol::kBadFiles); }

}  // namespace spark::state
