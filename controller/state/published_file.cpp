#include "state/published_file.hpp"

#include <string_view>

#include "base/json_document.hpp"
#include "host/file_lock.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

constexpr std::string_view kInForceSchema = "spark-reconcile/in-force/v1";

}  // namespace

Result<> write_published_file(host::Files& files, const std::optional<PublishedFile>& published) {
  const auto present = files.read(protocol::kPublishedFile).value_or(std::nullopt);
  if (!published) return present ? files.remove(protocol::kPublishedFile) : Result<>{};
  constexpr unsigned kForAll = 0644;  // users start jobs with what it says
  const auto text = json_text(document_of(kInForceSchema, *published)) + "\n";
  return present == text ? Result<>{} : files.write(protocol::kPublishedFile, text, kForAll);
}

Result<std::optional<PublishedFile>> read_published_file(host::Files& files,
                                                         const std::string& root) {
  // One that was killed leaves its document, and no lock.
  const auto runs = host::is_held((root == "/" ? "" : root) + protocol::kDaemonLockFile);
  if (!runs) return std::unexpected(runs.error());
  if (!*runs) return std::nullopt;
  const auto text = files.read(protocol::kPublishedFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto published = document_from_text<PublishedFile>(kInForceSchema, **text);
  if (!published) return std::unexpected(published.error());
  return *std::move(published);
}

}  // namespace spark::state
