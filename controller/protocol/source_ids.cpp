#include "protocol/source_ids.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::protocol {

const std::vector<IdText>& git_ids() {
  static const auto kIds = id_texts(git_ids_text());
  return kIds;
}

const IdText* git_id(std::string_view text) {
  const auto found = std::ranges::find(git_ids(), text, &IdText::id);
  return found == git_ids().end() ? nullptr : &*found;
}

std::string text_of(GitId id) { return fmt::format("SR-GIT-{:03}", std::to_underlying(id)); }

std::string fault_text(const SourceFault& fault, std::string_view before_fix) {
  const auto* entry = git_id(fault.id);
  return printable(fmt::format("{} [{}]", fault.what, fault.id)) +
         (entry == nullptr ? "" : fmt::format("{}{}", before_fix, entry->fix));
}

}  // namespace spark::protocol
