#include "kinds/common/key_file.hpp"

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::kinds {

void each_key(std::string_view text, const std::function<void(const KeyFileLine&)>& visit) {
  KeyFileLine found;
  for (const auto whole : lines_of(text)) {
    ++found.number;
    const auto line = trim(whole);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[') && line.ends_with(']')) {
      found.group = line.substr(1, line.size() - 2);
      found.key = found.value = {};
      visit(found);
    } else if (const auto equals = line.find('='); equals != std::string_view::npos) {
      found.key = trim(line.substr(0, equals));
      found.value = trim(line.substr(equals + 1));
      visit(found);
    }
  }
}

}  // namespace spark::kinds
