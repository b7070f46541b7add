#include "cli/share/shared_report.hpp"

#include <array>
#include <functional>
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

/// The objects of the facts whose keys are what was asked for, not names of members.
bool is_map(std::string_view path) {
  return class_of_field(fmt::format("{}{{key}}", path)).has_value();
}

/// Walks through the facts and writes them again.
class Walk {
 public:
  explicit Walk(Replacements& replacements) : replacements_(&replacements) {}

  json value(const json& from, const std::string& path) {
    if (from.is_string()) return text(from.get<std::string>(), path);
    if (from.is_array()) {
      auto list = json::array();
      for (const auto& item : from) list.push_back(value(item, path + "[]"));
      return list;
    }
    if (!from.is_object()) return from;
    if (from.size() == 1 && from.contains("error")) {
      // The code decides what a plan makes of it; the text may name anything.
      return {{"error", {{"code", from["error"].value("code", "system")}, {"what", kLeftOutText}}}};
    }
    if (from.size() == 1 && from.contains("hex")) return kLeftOutText;  // no UTF-8: not looked into
    return is_map(path) ? map(from, path) : object(from, path);
  }

  /// Empty: all had a class.
  [[nodiscard]] const std::string& unknown() const { return unknown_; }

 private:
  json map(const json& from, const std::string& path) {
    auto to = json::object();
    for (const auto& [key, item] : from.items()) {
      to[text(key, path + "{key}")] = value(item, path + "{}");
    }
    return to;
  }

  json object(const json& from, const std::string& path) {
    auto to = json::object();
    for (const auto& [key, item] : from.items()) {
      const auto member = path.empty() ? key : fmt::format("{}.{}", path, key);
      const bool is_broadcast = class_of_field(member) == FieldClass::kBroadcast;
      to[key] = is_broadcast && item.is_string()
                    ? json(replacements_->broadcast(item.get<std::string>(),
                                                    from.value("address", std::string())))
                    : value(item, member);
    }
    return to;
  }

  std::string text(const std::string& text, const std::string& path) {
    const auto field_class = class_of_field(path);
    if (!field_class) {
      unknown_ = path;
      return kLeftOutText;
    }
    return replaced_text(*field_class, text, *replacements_);
  }

  Replacements* replacements_;
  std::string unknown_;
};

/// Names stand in texts of files too, which may come before the tables that say they are names.
void add_names(const json& facts, const std::vector<std::string>& nodes, Replacements& to) {
  for (const auto& node : nodes) to.add_host(node);
  const auto add_texts = [&](const char* table, const char* member, auto add) {
    if (!facts.contains(table) || !facts[table].is_array()) return;
    for (const auto& item : facts[table]) {
      const auto& value = item.value(member, json());
      for (const auto& one : value.is_array() ? value : json::array({value})) {
        if (one.is_string()) (to.*add)(one.template get<std::string>());
      }
    }
  };
  add_texts("links", "name", &Replacements::add_device);
  add_texts("links", "altnames", &Replacements::add_device);
  add_texts("rdma_ports", "device", &Replacements::add_device);
  const auto identity = facts.value("identity", json::object());
  const auto hostname = identity.value("hostname", json());
  if (hostname.is_string()) to.add_host(hostname.get<std::string>());
}

std::string listing_of(const Replacements& replacements) {
  return "replaced in this report:\n" + counts_of(replacements) +
         "kept: the vendor's part of a MAC address, the last number of an IPv4 address, names by\n"
         "slot (enp1s0f0np0), versions, sizes, times and words of known formats\n"
         "left out: comments in files, the texts of errors, the programs that use a volume\n"
         "Read the report before you publish it.\n";
}

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

/// What `write` makes, with a salt that leaves no original in it. With 256 subnets of
/// 192.168.0.0/16, an address can by chance be replaced by another original.
Result<SharedReport> with_some_salt(
    std::string_view doing, Originals which,
    const std::function<Result<SharedReport>(Replacements&)>& write) {
  constexpr int kTries = 100;
  std::string left;
  for (int i = 0; i < kTries; ++i) {
    const auto salt = make_salt();
    if (!salt) return std::unexpected(salt.error());
    Replacements replacements(*salt);
    auto report = write(replacements);
    if (report) left = find_original(replacements, report->text, which);
    if (!report || left.empty()) return report;
  }
  return fail(ErrorCode::kInvalid,
              fmt::format("{}: '{}' is still in it after {} tries; nothing was written, please "
                          "report this without that name",
                          doing, printable(left), kTries));
}

}  // namespace

Result<SharedReport> make_shared_report(const json& facts, const std::vector<std::string>& names) {
  const auto write = [&](Replacements& replacements) -> Result<SharedReport> {
    add_names(facts, names, replacements);
    Walk walk(replacements);
    const auto report = walk.value(facts, "");
    if (!walk.unknown().empty()) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("share the facts: nothing says what '{}' may tell, so it is not "
                              "shared; please report this",
                              walk.unknown()));
    }
    return SharedReport{report.dump(2) + "\n", listing_of(replacements)};
  };
  return with_some_salt("share the facts", Originals::kAll, write);
}

Result<SharedReport> make_bundle(const json& documents, const NamesHere& names, BundleNames what) {
  if (what == BundleNames::kKept) {
    const auto bundle = listed_part(documents, "", nullptr);
    return SharedReport{bundle.dump(2) + "\n", documents_text(bundle) + kNothingReplaced + kReadIt};
  }
  const auto write = [&](Replacements& replacements) -> Result<SharedReport> {
    add_names_here(names, replacements);
    const auto bundle = listed_part(documents, "", &replacements);
    return SharedReport{bundle.dump(2) + "\n",
                        documents_text(bundle) + replaced_here(replacements) + kReadIt};
  };
  return with_some_salt("make a bundle", Originals::kButNames, write);
}

}  // namespace spark::cli
