#pragma once
// page_text: what a page of docs/ says about an id, as plain text.

#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

/// "## SR-LINK-001: no device", and what is below it.
struct PageSection {
  std::string id;
  std::string title;
  std::string anchor;                ///< of its heading: "sr-link-001-no-device"
  std::vector<ExplainedPart> parts;  ///< "- **Cause.** The kernel has …"
};

/// The sections of a page whose heading begins with an id, in its order.
std::vector<PageSection> sections_of(std::string_view page);

/// The cells of each row of the page's tables whose first cell begins so.
std::vector<std::vector<std::string>> rows_of(std::string_view page, std::string_view first);

/// The item of a list that begins so; empty: there is none.
std::string item_of(std::string_view page, std::string_view begin);

/// The anchor that a heading gets, as tests/docs computes it.
std::string anchor_of(std::string_view heading);

/// Markdown without the targets of links and the marks of emphasis. Code keeps its backticks.
std::string plain_text(std::string_view markdown);

}  // namespace spark::cli
