// Any bytes as a commit, a tag and a tree: what comes out has the form that the judge relies on,
// and nothing is lost between what is signed and its signature.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "helpers/git/object_reader.hpp"
#include "helpers/git/objects.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spark::helpers;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string id(40, '0');
  if (const auto commit = parse_commit(bytes, id)) {
    require(is_object_id(commit->tree) && std::ranges::all_of(commit->parents, is_object_id));
    require(commit->time >= 0);
    // A terminal obeys control characters: none of the message's may reach it.
    for (std::string_view rest = commit->subject; !rest.empty();) {
      const auto point = spark::decode_utf8(rest);
      require(point && !spark::is_hidden(point->value));
      rest.remove_prefix(point->size);
    }
    // The same commit without its signature says the same, and is unsigned.
    const auto plain = parse_commit(commit->is_signed.text, id);
    require(plain && plain->is_signed.signature.empty());
    require(plain->tree == commit->tree && plain->parents == commit->parents);
    require(plain->is_signed.text == commit->is_signed.text);
  }
  if (const auto tag = parse_tag(bytes, id)) {
    require(is_object_id(tag->commit));
    require(tag->is_signed.text + tag->is_signed.signature == bytes);
  }
  const auto name = bytes.substr(0, bytes.find('\n'));
  const auto entry = find_entry(bytes.substr(std::min(name.size() + 1, size)), name, id);
  if (entry && *entry) require(is_object_id((*entry)->id));
  return 0;
}
