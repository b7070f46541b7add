#include "spec/document_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark {
namespace {

constexpr std::size_t kMostBytes = 256UL * 1024;

}  // namespace

bool text_is_acceptable(std::string_view text, Findings& findings) {
  if (text.size() > kMostBytes) {
    findings.add(SpecId::kLimit, {1, 1},
                 fmt::format("the file is larger than {} KiB", kMostBytes / 1024));
    return false;
  }
  Where where{1, 1};
  const auto refuse = [&](std::string message, std::string reason) {
    findings.add(SpecId::kBytes, where, std::move(message), std::move(reason));
    return false;
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool line_ends = byte == '\n';
    const bool harmless = (byte >= 0x20 && byte < 0x7F) || line_ends || byte == '\t' ||
                          (byte == '\r' && text.substr(i + 1).starts_with('\n'));
    // The parser takes some directives without a word, also after the document.
    if (byte == '%' && where.column == 1) {
      findings.add_about_text(SpecId::kDirective, where, "a directive is not allowed",
                              "delete the line that begins with '%'");
    }
    std::size_t size = 1;
    if (!harmless) {
      const auto point = decode_utf8(text.substr(i));
      if (!point) {
        return refuse(fmt::format("byte 0x{:02x} is not UTF-8", byte),
                      "save the file as UTF-8 text");
      }
      if (point->value == 0xFEFF && i == 0) {
        return refuse("the file begins with a byte order mark",
                      "save it as UTF-8 without a byte order mark (BOM)");
      }
      if (is_hidden(point->value)) {
        return refuse(
            fmt::format("hidden character U+{:04X}", static_cast<std::uint32_t>(point->value)),
            "a control character can make the file look other than it is: delete it");
      }
      size = point->size;
    }
    i += size;
    where.column += static_cast<int>(size);
    if (line_ends) where = {where.line + 1, 1};
  }
  return true;
}

}  // namespace spark
