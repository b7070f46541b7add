#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "host/view.hpp"
#include "host/view_fields.hpp"

namespace spark {
namespace {

using nlohmann::json;

constexpr std::size_t kLimitBytes = std::size_t{8} * 1024 * 1024;

/// JSON becomes values. Keeps the first thing that is wrong, and where; what was read after it
/// means nothing.
class Reader {
 public:
  enum class Absent : bool { kIsWrong, kIsFine };

  [[nodiscard]] const std::string& problem() const { return problem_; }

  void read(const json& from, bool& to) {
    if (expect(from.is_boolean(), "true or false")) {
      to = from.get<bool>();
    }
  }

  template <std::integral T>
  void read(const json& from, T& to) {
    using Limits = std::numeric_limits<T>;
    const bool fits = from.is_number_unsigned()
                          ? std::in_range<T>(from.get<std::uint64_t>())
                          : from.is_number_integer() && std::in_range<T>(from.get<std::int64_t>());
    if (expect(fits, fmt::format("a number from {} to {}", Limits::min(), Limits::max()))) {
      to = from.get<T>();
    }
  }

  void read(const json& from, IpFamily& to) {
    if (expect(from == 4 || from == 6, "4 or 6")) {
      to = from == 4 ? IpFamily::kV4 : IpFamily::kV6;
    }
  }

  void read(const json& from, ErrorCode& to) {
    const auto code = std::ranges::find(kErrorCodes, text_in(from));
    if (expect(code != kErrorCodes.end(), fmt::format("one of {}", fmt::join(kErrorCodes, ", ")))) {
      to = static_cast<ErrorCode>(code - kErrorCodes.begin());
    }
  }

  void read(const json& from, IpAddress& to) {
    const auto ip = IpAddress::parse(text_in(from));
    if (expect(ip.has_value(), "an IP address")) {
      to = *ip;
    }
  }

  void read(const json& from, IpPrefix& to) {
    const auto prefix = IpPrefix::parse(text_in(from));
    if (expect(prefix.has_value(), "an IP address with prefix length")) {
      to = *prefix;
    }
  }

  void read(const json& from, std::string& to) {
    if (from.is_object() && from.size() == 1 && from.contains("hex")) {
      read_hex(text_in(from["hex"]), to);
    } else if (expect(from.is_string(), "a text")) {
      to = from.get<std::string>();
    }
  }

  template <class T>
  void read(const json& from, std::optional<T>& to) {
    to.reset();
    if (!from.is_null()) {
      read(from, to.emplace());
    }
  }

  template <class T>
  void read(const json& from, std::vector<T>& to) {
    if (!expect(from.is_array(), "a list")) {
      return;
    }
    to.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      within(std::to_string(i), [&] { read(from[i], to.emplace_back()); });
    }
  }

  template <class T>
    requires requires(T& value) { each_field(value, [](auto&&...) {}); }
  void read(const json& from, T& to) {
    read_members(from, Absent::kIsWrong, [&](auto visit) { each_field(to, visit); });
  }

  template <class T>
  void read(const json& from, Result<T>& to) {
    if (from.is_object() && from.size() == 1 && from.contains("error")) {
      Error error;
      within("error", [&] { read(from["error"], error); });
      to = std::unexpected(std::move(error));
    } else {
      read(from, to.emplace());
    }
  }

  template <class T>
  void read(const json& from, std::map<std::string, T>& to) {
    read_table(from, [&](const std::string& key, const json& value) { read(value, to[key]); });
  }

  template <class T>
  void read(const json& from, std::map<IpAddress, T>& to) {
    read_table(from, [&](const std::string& key, const json& value) {
      const auto ip = IpAddress::parse(key);
      if (expect(ip.has_value(), "an IP address as key")) {
        read(value, to[*ip]);
      }
    });
  }

  /// Reads the members that `each_member` hands to its visitor, and accepts no others.
  void read_members(const json& from, Absent absent, auto each_member) {
    if (!expect(from.is_object(), "an object")) {
      return;
    }
    std::size_t known = 0;
    each_member([&](const char* name, auto& member) {
      within(name, [&] {
        const bool there = from.contains(name);
        if (there) {
          ++known;
          read(from[name], member);
        }
        static_cast<void>(expect(there || absent == Absent::kIsFine, "this key"));
      });
    });
    static_cast<void>(expect(known == from.size(), "no other keys"));
  }

 private:
  bool expect(bool holds, std::string_view what) {
    if (!holds && problem_.empty()) {
      problem_ = fmt::format("at '{}': expected {}", path_.empty() ? "/" : path_, what);
    }
    return holds;
  }

  /// Runs `read_part` with `part` at the end of the path that errors name (RFC 6901).
  void within(std::string_view part, auto read_part) {
    const auto length = path_.size();
    path_.append("/").append(part);
    read_part();
    path_.resize(length);
  }

  void read_table(const json& from, auto read_entry) {
    if (expect(from.is_object(), "an object")) {
      for (auto entry = from.begin(); entry != from.end(); ++entry) {
        within(entry.key(), [&] { read_entry(entry.key(), *entry); });
      }
    }
  }

  static std::string text_in(const json& from) {
    return from.is_string() ? from.get<std::string>() : "";
  }

  void read_hex(const std::string& hex, std::string& to) {
    bool valid = hex.size() % 2 == 0;
    for (std::size_t i = 0; valid && i < hex.size(); i += 2) {
      std::uint8_t byte = 0;
      const auto* const end = hex.data() + i + 2;
      const auto [stop, error] = std::from_chars(hex.data() + i, end, byte, 16);
      valid = error == std::errc{} && stop == end;
      to += static_cast<char>(byte);
    }
    static_cast<void>(expect(valid, "pairs of hexadecimal digits"));
  }

  std::string path_;
  std::string problem_;
};

Result<json> parse_text(const std::string& text) {
  if (text.size() > kLimitBytes) {
    return fail(ErrorCode::kInvalid,
                fmt::format("facts: longer than {} MiB", kLimitBytes / 1024 / 1024));
  }
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …", or out_of_range.406
    // for a number that no double holds.
    const std::string_view what = error.what();
    return fail(ErrorCode::kInvalid, fmt::format("facts: {}", what.substr(what.find(' ') + 1)));
  }
}

/// Takes away what stands beside the tables. Errors: kInvalid when it says that these are no facts,
/// or such as a later version writes.
Result<> open_envelope(json& facts) {
  if (!facts.is_object()) {
    return {};  // which the reader refuses with its place
  }
  const auto schema = facts.find("schema");
  if (schema != facts.end() && *schema != kFactsSchema) {
    const auto name = schema->is_string() ? schema->get<std::string>() : schema->dump();
    return fail(ErrorCode::kInvalid,
                name.starts_with("spark-reconcile/facts/")
                    ? fmt::format("facts of a newer version: they are '{}', and this version reads "
                                  "'{}'; use the newer program, or take the facts again",
                                  name, kFactsSchema)
                    : fmt::format("facts: this is {}, and not what `spark-reconcile facts` writes",
                                  spark::quoted(name)));
  }
  for (const auto name : kFactsEnvelope) {
    facts.erase(std::string(name));
  }
  return {};
}

}  // namespace

Result<View> View::from_json(const std::string& text) {
  auto parsed = parse_text(text);
  if (!parsed) return std::unexpected(parsed.error());
  if (auto opened = open_envelope(*parsed); !opened) return std::unexpected(opened.error());
  View view;
  Reader reader;
  reader.read_members(*parsed, Reader::Absent::kIsFine,
                      [&](auto visit) { each_table(view, visit); });
  if (!reader.problem().empty()) {
    return fail(ErrorCode::kInvalid, "facts: " + reader.problem());
  }
  return view;
}

}  // namespace spark
