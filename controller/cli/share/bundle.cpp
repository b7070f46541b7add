#include "cli/share/bundle.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/share/address_map.hpp"
#include "cli/share/fields.hpp"
#include "cli/share/replacements.hpp"

namespace spark::cli {
namespace {

using nlohmann::json;

/// A part of a document without what has no row; null replacements: texts stay as they are.
json listed_part(const json& from, const std::string& path, Replacements* replacements) {
  if (from.is_array()) {
    auto list = json::array();
    for (const auto& item : from) list.push_back(listed_part(item, path + "[]", replacements));
    return list;
  }
  if (from.is_object()) {
    auto members = json::object();
    for (const auto& [key, item] : from.items()) {
      const auto member = path.empty() ? key : fmt::format("{}.{}", path, key);
      const bool is_in =
          item.is_structured() ? leads_into_bundle(member) : class_in_bundle(member).has_value();
      if (is_in) members[key] = listed_part(item, member, replacements);
    }
    return members;
  }
  if (!from.is_string() || replacements == nullptr) return from;
  const auto field_class = class_in_bundle(path);
  return field_class ? replaced_text(*field_class, from.get<std::string>(), *replacements)
                     : std::string(kLeftOutText);
}

void add_names_here(const NamesHere& names, Replacements& to) {
  for (const auto& name : names.hosts) to.add_host(name);
  for (const auto& name : names.devices) to.add_device(name);
  for (const auto& name : names.users) to.add_user(name);
  for (const auto& name : names.others) to.add_name(name);
}

/// "31 findings", of the first list that the document has; empty: it has none.
std::string count_in(const json& document) {
  constexpr std::array<std::pair<const char*, std::string_view>, 6> kLists{{
      {"steps", "step"},
      {"findings", "finding"},
      {"generations", "generation"},
      {"events", "event"},
      {"cards", "card"},
      {"rails", "rail"},
  }};
  for (const auto& [list, noun] : kLists) {
    if (document.contains(list)) return counted(document[list].size(), noun);
  }
  return "";
}

std::string documents_text(const json& bundle) {
  std::string text = "in this bundle:\n";
  for (const auto& [name, document] : bundle.items()) {
    if (!document.is_object()) continue;
    const auto note = document.contains("error") ? std::string("an error") : count_in(document);
    text += fmt::format("  {:<9} {:>7} bytes{}{}\n", name, document.dump(2).size(),
                        note.empty() ? "" : "  ", note);
  }
  return text;
}

std::string replaced_here(const Replacements& replacements) {
  return "replaced, by a salt that is forgotten:\n" + counts_of(replacements) +
         "kept: the vendor's part of a MAC address, the last number of an IPv4 address, names by\n"
         "slot (enp1s0f0np0), versions, sizes, times and digests; texts are left out: `doctor` has "
         "them\n";
}

constexpr const char* kNothingReplaced =
    "nothing is replaced: names, addresses and ids of this machine are in it\n";
constexpr const char* kReadIt = "Read the bundle before you publish it.\n";

}  // namespace

Result<Bundle> make_bundle(const json& documents, const NamesHere& names, BundleNames what) {
  if (what == BundleNames::kKept) {
    const auto bundle = listed_part(documents, "", nullptr);
    return Bundle{bundle.dump(2) + "\n", documents_text(bundle) + kNothingReplaced + kReadIt};
  }
  // With 256 subnets of 192.168.0.0/16, an address can by chance be replaced by another original.
  constexpr int kTries = 100;
  std::string left;
  for (int i = 0; i < kTries; ++i) {
    const auto salt = make_salt();
    if (!salt) return std::unexpected(salt.error());
    Replacements replacements(*salt);
    add_names_here(names, replacements);
    const auto bundle = listed_part(documents, "", &replacements);
    auto text = bundle.dump(2) + "\n";
    left = find_original(replacements, text, Originals::kButNames);
    if (left.empty()) {
      return Bundle{std::move(text),
                    documents_text(bundle) + replaced_here(replacements) + kReadIt};
    }
  }
  return fail(ErrorCode::kInvalid,
              fmt::format("make a bundle: '{}' is still in it after {} tries; nothing was written, "
                          "please report this without that name",
                          printable(left), kTries));
}

}  // namespace spark::cli
