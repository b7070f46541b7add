#include "host/linux/mount_table.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::host {
namespace {

/// Blanks, tabs, newlines and backslashes stand there as \ooo (mangle_path in fs/seq_file.c).
std::string unescaped(std::string_view text) {
  constexpr std::size_t kDigits = 3;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const std::string digits(text.substr(i + 1, kDigits));
    if (text[i] == '\\' && digits.size() == kDigits &&
        std::from_chars(digits.data(), digits.data() + kDigits, code, 8).ptr ==
            digits.data() + kDigits) {
      plain += static_cast<char>(code);
      i += kDigits;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

void read_group(std::string_view field, std::string_view kind, int& group) {
  if (field.starts_with(kind)) group = number_in<int>(field.substr(kind.size())).value_or(0);
}

/// "36 35 98:0 /root /path rw,noatime master:1 - ext4 /dev/x rw,stripe=4"
bool parse_line(std::string_view line, MountInfo& mount) {
  constexpr std::size_t kDevice = 2;
  constexpr std::size_t kPath = 4;
  constexpr std::size_t kOptions = 5;
  const auto fields = split(line, ' ');
  const auto dash = std::ranges::find(fields, "-");
  if (fields.size() <= kOptions || fields.end() - dash < 4) return false;
  const auto id = number_in<int>(fields.front());
  if (!id) return false;
  mount.id = *id;
  mount.device = fields[kDevice];
  mount.path = unescaped(fields[kPath]);
  for (auto field = fields.begin() + kOptions + 1; field != dash; ++field) {
    read_group(*field, "shared:", mount.shared);
    read_group(*field, "master:", mount.master);
  }
  mount.type = dash[1];
  mount.source = unescaped(dash[2]);
  mount.writable = true;
  for (const auto& list : {fields[kOptions], dash[3]}) {
    for (const auto option : split(list, ',')) {
      mount.writable &= option != "ro";
      if (option != "ro" && option != "rw" && !option.empty()) mount.options.emplace_back(option);
    }
  }
  return true;
}

}  // namespace

Result<std::vector<MountInfo>> parse_mountinfo(std::string_view text) {
  std::vector<MountInfo> mounts;
  for (const auto line : split(text, '\n')) {
    if (line.empty()) continue;
    if (!parse_line(line, mounts.emplace_back())) {
      return fail(ErrorCode::kInvalid,
                  "read the mount table: cannot read the line " + in_quotes(line));
    }
  }
  return mounts;
}

}  // namespace spark::host
