#pragma once
// helper_document: a document that a helper wrote, for who runs as root.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "host/files.hpp"

namespace spark::host {

/// Where a document is, who wrote it, and what it is.
struct HelperFile {
  std::string path;
  std::string user;
  std::size_t most_bytes = 0;
  std::string_view schema;
};

/// Empty: there is none. Errors: those of Files::read_helpers; kInvalid: "'PATH' is not
/// understood". The words of the parser are left out: they hold bytes of the text.
template <class T>
Result<std::optional<T>> helper_document(Files& files, const HelperFile& file) {
  const auto text = files.read_helpers(file.path, file.user, file.most_bytes);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto document = document_from_text<T>(file.schema, **text);
  if (!document) return fail(ErrorCode::kInvalid, fmt::format("'{}' is not understood", file.path));
  return std::move(*document);
}

}  // namespace spark::host
