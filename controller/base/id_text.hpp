#pragma once
// IdText: what one id means, as a text of many ids has it.

#include <string_view>
#include <vector>

namespace spark {

struct IdText {
  std::string_view id;  ///< "SR-GIT-022"
  std::string_view title;
  std::string_view cause;
  std::string_view fix;
};

/// Of a text with four lines an id: "SR-GIT-022: title", why it happens and what to do, both
/// indented by two, and one without text. What is returned points into it.
std::vector<IdText> id_texts(std::string_view text);

}  // namespace spark
