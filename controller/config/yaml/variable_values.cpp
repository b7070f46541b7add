#include "config/yaml/variable_values.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "config/yaml/read_forms.hpp"

namespace spark::config {
namespace {

template <class IsItem>
bool is_list_of(std::string_view text, IsItem is_item) {
  return std::ranges::all_of(split(text, ','), is_item);
}

/// A list of NCCL, UCX or Open MPI without the signs before its first item.
std::string_view without_signs(std::string_view list, std::string_view signs) {
  for (const char sign : signs) {
    if (list.starts_with(sign)) list.remove_prefix(1);
  }
  return list;
}

bool has_word_in_any_case(std::string_view words, std::string_view word) {
  return has_item(ascii_lower(words), ',', ascii_lower(word));
}

bool has_all_words(std::string_view words, std::string_view list) {
  return is_list_of(without_signs(list, "^"),
                    [&](std::string_view word) { return has_word_in_any_case(words, word); });
}

/// "allreduce:^tree" (parseList of NCCL's src/graph/tuning.cc). It also takes several with ';',
/// which a shell acts on.
bool has_all_words_of_function(std::string_view words, std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return has_all_words(words, text);
  constexpr std::string_view kFunctions = "broadcast,reduce,allgather,reducescatter,allreduce";
  return has_word_in_any_case(kFunctions, text.substr(0, colon)) &&
         has_all_words(words, text.substr(colon + 1));
}

/// Without a leading 0, which some libraries take for octal.
bool is_integer_between(std::int64_t min, std::int64_t max, std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const auto digits = parse_decimal(text.substr(is_negative ? 1 : 0));
  if (!digits || *digits > JobVariable::kNoMost) return false;
  const auto number = static_cast<std::int64_t>(*digits) * (is_negative ? -1 : 1);
  return number >= min && number <= max && std::to_string(number) == text;
}

bool is_plain_name(std::string_view text, std::string_view also) {
  constexpr std::size_t kLongest = 64;  // IB_DEVICE_NAME_MAX of rdma/ib_verbs.h, the NUL included
  return !text.empty() && text.size() < kLongest &&
         std::ranges::all_of(text, [&](char c) { return is_ascii_alnum(c) || also.contains(c); });
}

bool is_rdma_device(std::string_view text) { return is_plain_name(text, "_-."); }

bool is_port_number(std::string_view text) { return is_integer_between(1, 255, text); }

/// NCCL 2.30.5 and newer take rail and plane behind the port, which may be empty then.
bool is_nccl_device(std::string_view text) {
  constexpr std::size_t kMostFields = 4;
  const auto fields = split(text, ':');
  return fields.size() <= kMostFields && is_rdma_device(fields.front()) &&
         std::all_of(fields.begin() + 1, fields.end(), [&](std::string_view field) {
           return is_integer_between(0, 255, field) || (field.empty() && fields.size() > 2);
         });
}

bool is_ucx_device(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return text == "all" || kInterfaceName.matches(text);
  return is_rdma_device(text.substr(0, colon)) && is_port_number(text.substr(colon + 1));
}

bool is_address_and_port(std::string_view text) {
  constexpr std::int64_t kMostPort = 65535;
  const auto colon = text.rfind(':');
  return kEndpoint.matches(text) ||
         (colon != std::string_view::npos && kName.matches(text.substr(0, colon)) &&
          is_integer_between(1, kMostPort, text.substr(colon + 1)));
}

bool is_yes_or_no(std::string_view text) {
  return has_word_in_any_case("y,n,yes,no,on,off,1,0", text);
}

std::string with_commas(std::string_view words) {
  return fmt::format("{}", fmt::join(split(words, ','), ", "));
}

std::string several_of(std::string_view words) {
  return fmt::format("one or more of {} with commas between them; '^' first for all others",
                     with_commas(words));
}

std::string integers_of(const JobVariable& variable) {
  const bool is_bounded = variable.max < JobVariable::kNoMost;
  auto numbers = is_bounded
                     ? fmt::format("a whole number from {} to {}", variable.min, variable.max)
                     : fmt::format("a whole number from {} on", variable.min);
  if (variable.words.empty()) return numbers;
  return fmt::format("{}, or {}{}", numbers, variable.words.contains(',') ? "one of " : "",
                     with_commas(variable.words));
}

}  // namespace

bool takes(const JobVariable& variable, std::string_view value) {
  const auto is_interface = [](std::string_view item) { return kInterfaceName.matches(item); };
  switch (variable.type) {
    case VariableType::kFlag:
      return value == "0" || value == "1";
    case VariableType::kYesNo:
      return is_yes_or_no(value) || has_word_in_any_case(variable.words, value);
    case VariableType::kInteger:
      return is_integer_between(variable.min, variable.max, value) ||
             has_item(variable.words, ',', value);
    case VariableType::kWord:
      return has_item(variable.words, ',', value);
    case VariableType::kAnyCaseWord:
      return has_word_in_any_case(variable.words, value);
    case VariableType::kWords:
      return has_all_words(variable.words, value);
    case VariableType::kWordsByFunction:
      return has_all_words_of_function(variable.words, value);
    case VariableType::kRdmaDevices:
      return is_list_of(without_signs(value, "^="), is_nccl_device);
    case VariableType::kUcxDevices:
      return is_list_of(without_signs(value, "^"), is_ucx_device);
    case VariableType::kInterfaces:
      return is_list_of(without_signs(value, "^="), is_interface);
    case VariableType::kInterfaceNames:
      return is_list_of(value, is_interface);
    case VariableType::kInterfacesOrNetworks:
      return is_list_of(value, [&](std::string_view item) {
        return is_interface(item) || IpPrefix::parse(item).has_value();
      });
    case VariableType::kNetwork:
      return IpPrefix::parse(value).has_value();
    case VariableType::kPluginName:
      return is_plain_name(value, "_-");
    case VariableType::kAddress:
      return IpAddress::parse(value).has_value();
    case VariableType::kAddressPort:
      return is_address_and_port(value);
  }
  return false;
}

std::string values_of(const JobVariable& variable) {
  constexpr std::string_view kSigns = "'=' first for exact names, '^' first for all others";
  switch (variable.type) {
    case VariableType::kFlag:
      return "0 or 1";
    case VariableType::kYesNo:
      return variable.words.empty() ? "y or n" : fmt::format("y, n or {}", variable.words);
    case VariableType::kInteger:
      return integers_of(variable);
    case VariableType::kWord:
    case VariableType::kAnyCaseWord:
      return fmt::format("one of {}", with_commas(variable.words));
    case VariableType::kWords:
      return several_of(variable.words);
    case VariableType::kWordsByFunction:
      return several_of(variable.words) + "; also of one function, as allreduce:^" +
             std::string(variable.words.substr(0, variable.words.find(',')));
    case VariableType::kRdmaDevices:
      return fmt::format("RDMA devices with commas between them, with their port or without; {}",
                         kSigns);
    case VariableType::kUcxDevices:
      return "RDMA devices with their port and commas between them, or all";
    case VariableType::kInterfaces:
      return fmt::format("interfaces with commas between them; {}", kSigns);
    case VariableType::kInterfaceNames:
      return "interfaces with commas between them";
    case VariableType::kInterfacesOrNetworks:
      return "interfaces or networks with commas between them";
    case VariableType::kNetwork:
      return "a network with its length";
    case VariableType::kPluginName:
      return "a name of letters, digits, '_' and '-'";
    case VariableType::kAddress:
      return "an address";
    case VariableType::kAddressPort:
      return "an address or the name of a host, and a port";
  }
  return {};
}

std::string example_of(const JobVariable& variable, std::string_view meant) {
  const auto words = split(variable.words, ',');
  const bool is_no = has_word_in_any_case("false,no,off,n,0", meant);
  switch (variable.type) {
    case VariableType::kFlag:
      return is_no ? "0" : "1";
    case VariableType::kYesNo:
      return is_no ? "n" : "y";
    case VariableType::kInteger:
      return std::string(variable.example);
    case VariableType::kWord:
    case VariableType::kAnyCaseWord:
    case VariableType::kPluginName:
      return std::string(words.front());
    case VariableType::kWords:
    case VariableType::kWordsByFunction:
      return fmt::format("{},{}", words[0], words[1]);
    case VariableType::kRdmaDevices:
      return "=rocep1s0f0,roceP2p1s0f0";
    case VariableType::kUcxDevices:
      return "rocep1s0f0:1,roceP2p1s0f0:1";
    case VariableType::kInterfaces:
      return "=enP7s7";
    case VariableType::kInterfaceNames:
      return "enP7s7";
    case VariableType::kInterfacesOrNetworks:
    case VariableType::kNetwork:
      return "192.0.2.0/24";
    case VariableType::kAddress:
      return "192.0.2.11";
    case VariableType::kAddressPort:
      return "192.0.2.11:5000";
  }
  return {};
}

}  // namespace spark::config
