#pragma once
// JobVariable: one variable of jobs, and which values its library takes. None of them is a path.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace spark::config {

enum class VariableType : std::uint8_t {
  kFlag,                  ///< 0 or 1
  kYesNo,                 ///< as UCX reads booleans; or one of the words
  kInteger,               ///< min to max; or one of the words, as they are written
  kWord,                  ///< one of the words, as they are written
  kAnyCaseWord,           ///< one of the words
  kWords,                 ///< a list of the words in any case; '^' first: all others
  kWordsByFunction,       ///< the same, also behind a function of NCCL and ':'
  kRdmaDevices,           ///< of NCCL: a list of dev[:port[:rail[:plane]]]; '^', '=' first
  kUcxDevices,            ///< a list of dev:port, interfaces and 'all'; '^' first
  kInterfaces,            ///< of NCCL: a list of beginnings of names; '^', '=' first
  kInterfaceNames,        ///< a list of whole names
  kInterfacesOrNetworks,  ///< of Open MPI: a list of whole names and networks
  kNetwork,               ///< address and length
  kPluginName,            ///< [A-Za-z0-9_-]+: what a library is called, not where it lies
  kAddress,
  kAddressPort,  ///< an address or the name of a host, ':' and a port
};

struct JobVariable {
  /// A bound where its library names none; no variable takes more.
  static constexpr std::int64_t kNoMost = std::numeric_limits<std::int32_t>::max();

  std::string_view name;
  VariableType type;
  std::string_view note;     ///< what it sets, a clause
  std::string_view words;    ///< with commas between them
  std::int64_t min = 0;      ///< of kInteger
  std::int64_t max = 0;      ///< of kInteger
  std::string_view example;  ///< of kInteger
};

bool takes(const JobVariable& variable, std::string_view value);

/// What it takes, for people: "a whole number from 0 to 31".
std::string values_of(const JobVariable& variable);

/// One of the values that it takes. `meant`: what the file has, as "true" where it takes 0 or 1.
std::string example_of(const JobVariable& variable, std::string_view meant = {});

}  // namespace spark::config
