#include "host/process_place.hpp"

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::host {

std::optional<ProcessPlace> parse_process_stat(std::string_view text, std::uint64_t ticks) {
  // proc_pid_stat(5), counted from what stands behind the name, which may hold blanks and brackets.
  constexpr std::size_t kParent = 1;
  constexpr std::size_t kSession = 3;
  constexpr std::size_t kTerminal = 4;
  constexpr std::size_t kStart = 19;
  constexpr std::uint64_t kThousand = 1000;
  const auto name_end = text.rfind(") ");
  if (name_end == std::string_view::npos || ticks == 0) return std::nullopt;
  const auto fields = split(text.substr(name_end + 2), ' ');
  if (fields.size() <= kStart) return std::nullopt;
  const auto parent = parse_decimal(fields[kParent]);
  const auto start = parse_decimal(fields[kStart]);
  if (!parent || *parent > UINT32_MAX || !start) return std::nullopt;
  const auto pid = text.substr(0, text.find(' '));
  return ProcessPlace{.parent = static_cast<std::uint32_t>(*parent),
                      .started = std::chrono::milliseconds(*start * kThousand / ticks),
                      .leads_terminal = fields[kSession] == pid && fields[kTerminal] != "0"};
}

}  // namespace spark::host
