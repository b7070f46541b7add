#include "helpers/web/page_parts.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "base/html.hpp"

namespace spark::helpers {

// The roles are those of the elements, which lose them where a narrow screen shows them as blocks.

void Table::add(const std::vector<std::string>& cells, bool has_heading) {
  rows_ += R"(<tr role="row">)";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i == 0 && has_heading) {
      rows_ += fmt::format(R"(<th scope="row" role="rowheader">{}</th>)", cells[i]);
    } else if (cells[i].empty()) {
      rows_ += R"(<td role="cell"></td>)";
    } else {
      rows_ += fmt::format(R"(<td role="cell" data-label="{}"><div>{}</div></td>)", headings_[i],
                           cells[i]);
    }
  }
  rows_ += "</tr>\n";
}

std::string Table::html() const {
  std::string head;
  for (const auto heading : headings_) {
    head += fmt::format(R"(<th scope="col" role="columnheader">{}</th>)", heading);
  }
  return fmt::format(
      R"(<table role="table">
<thead role="rowgroup"><tr role="row">{}</tr></thead>
<tbody role="rowgroup">
{}</tbody>
</table>
)",
      head, rows_);
}

std::string card(std::string_view title, std::string_view content) {
  return fmt::format("<section class=\"card\">\n<h2>{}</h2>\n{}</section>\n", html(title), content);
}

std::string sentence(std::string_view text) {
  return fmt::format("<p class=\"quiet\">{}</p>\n", html(text));
}

std::string tag(std::string_view tone, std::string_view word) {
  return fmt::format(R"(<span class="tag {}">{}</span>)", tone, html(word));
}

std::string mono(std::string_view text) {
  return text.empty() ? "" : fmt::format("<span class=\"mono\">{}</span>", html(text));
}

std::string small(std::string_view text) {
  return text.empty() ? "" : fmt::format("<small>{}</small>", html(text));
}

std::string sign_and_words(std::string_view sign_html, std::string_view words) {
  return fmt::format(R"(<span aria-hidden="true">{}</span><span class="words">{}</span>)",
                     sign_html, html(words));
}

}  // namespace spark::helpers
