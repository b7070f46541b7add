#include "helpers/peers/record_told.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::helpers {
namespace {

using protocol::NodeSigns;
using protocol::RailsTold;
using protocol::Recorded;
using protocol::Span;

bool is_within(const Recorded& sign, const Span& window) {
  if (sign.at > window.to) return false;
  const bool still_stands = protocol::is_fault(sign.sign) && !sign.lasted;
  return still_stands ||
         sign.at + sign.lasted.value_or(std::chrono::milliseconds(0)) >= window.from;
}

/// The document with that name of its path. Empty: there is none. Errors: kInvalid.
template <class T>
Result<std::optional<T>> document_in(const std::string& folder, std::string_view path,
                                     std::string_view schema, std::size_t limit) {
  const auto text = host::read_plain(folder + "/" + std::string(file_name(path)), limit);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto document = document_from_text<T>(schema, **text);
  if (!document) return std::unexpected(document.error());
  return std::optional(std::move(*document));
}

}  // namespace

NodeSigns within(NodeSigns record, const Span& window) {
  std::erase_if(record.signs, [&](const Recorded& sign) { return !is_within(sign, window); });
  std::erase_if(record.covered,
                [&](const Span& span) { return span.to < window.from || span.from > window.to; });
  return record;
}

Result<protocol::RecordTold> record_told(const std::string& folder,
                                         const std::optional<Span>& window) {
  protocol::RecordTold told;
  if (window) {
    auto record = document_in<NodeSigns>(folder, protocol::kRecordFile, protocol::kRecordSchema,
                                         protocol::kMostRecordedBytes);
    if (!record) return std::unexpected(record.error());
    if (!*record) return fail(ErrorCode::kNotFound, "no daemon has recorded anything there");
    told.record = within(std::move(**record), *window);
  }
  auto rails = document_in<RailsTold>(folder, protocol::kRailsFile, protocol::kRailsSchema,
                                      protocol::kMostRailsBytes);
  if (!rails) return std::unexpected(rails.error());
  told.rails = std::move(*rails);
  told.now = now().wall;
  return told;
}

}  // namespace spark::helpers
