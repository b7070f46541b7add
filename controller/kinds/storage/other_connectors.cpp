#include "kinds/storage/other_connectors.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/common/systemd_here.hpp"

namespace spark::kinds {
namespace {

/// An excerpt has a line for each target, "NUMBER ADDRESS NQN" with "-" for no NQN, and one for
/// what nvme-stas disconnects, "NUMBER disconnects -". Secrets stay in the file.
constexpr std::string_view kDisconnects = "disconnects";

void keep_target(int line, std::string_view address, std::string_view nqn, std::string& kept) {
  const bool is_word = !address.empty() && !address.contains(' ') && !nqn.contains(' ');
  if (!is_word) return;
  kept += fmt::format("{} {} {}\n", line, printable(address), nqn.empty() ? "-" : printable(nqn));
}

/// The options of `nvme connect-all`, one target a line (nvme-discover(1)).
Result<std::string> excerpt_of_discovery(const std::string& text) {
  std::string kept;
  each_conf_line(text, [&](std::string_view line, int number) {
    std::istringstream words{std::string(line)};
    std::string address;
    std::string nqn;
    std::string before;
    for (std::string word; words >> word; before = word) {
      const auto equals = std::min(word.find('='), word.size());
      const auto option = equals < word.size() ? word.substr(0, equals) : before;
      const auto value = equals < word.size() ? word.substr(equals + 1) : word;
      if (option == "-a" || option == "--traddr") address = value;
      if (option == "-n" || option == "--nqn") nqn = value;
    }
    keep_target(number, address, nqn, kept);
  });
  return kept;
}

/// The line, from 1 on, in which the text has such a word.
int line_with(const std::string& text, const std::string& word) {
  const auto at = std::min(text.find(word), text.size());
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// nvme-cli's configuration: hosts, their subsystems, and of these the ports.
Result<std::string> excerpt_of_config(const std::string& text) {
  std::string kept;
  const auto hosts = nlohmann::json::parse(text, nullptr, false);
  const auto none = nlohmann::json::array();
  const auto list_in = [&none](const nlohmann::json& object,
                               const char* key) -> const nlohmann::json& {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_array() ? *found : none;
  };
  const auto text_in = [](const nlohmann::json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!hosts.is_array()) return kept;
  for (const auto& host : hosts) {
    for (const auto& subsystem : list_in(host, "subsystems")) {
      for (const auto& port : list_in(subsystem, "ports")) {
        const auto address = text_in(port, "traddr");
        keep_target(line_with(text, fmt::format("\"{}\"", address)), address,
                    text_in(subsystem, "nqn"), kept);
      }
    }
  }
  return kept;
}

/// stafd.conf(5), stacd.conf(5): `controller = transport=tcp;traddr=…;nqn=…`.
Result<std::string> excerpt_of_stas(const std::string& text) {
  std::string kept;
  each_key(text, [&](const KeyFileLine& line) {
    if (line.key == "controller") {
      std::string address;
      std::string nqn;
      std::istringstream parts{std::string(line.value)};
      for (std::string part; std::getline(parts, part, ';');) {
        const auto word = trim(part);
        const auto value = trim(word.substr(std::min(word.find('=') + 1, word.size())));
        if (word.starts_with("traddr")) address = value;
        if (word.starts_with("nqn")) nqn = value;
      }
      keep_target(line.number, address, nqn, kept);
    }
    if (line.key == "disconnect-scope" &&
        line.value == "all-connections-matching-disconnect-trtypes") {
      kept += fmt::format("{} {} -\n", line.number, kDisconnects);
    }
  });
  return kept;
}

struct Connector {
  const char* path;
  const char* unit;
  Result<std::string> (*excerpt)(const std::string& text);
};
constexpr std::array kConnectors{
    Connector{"/etc/nvme/discovery.conf", "nvmf-autoconnect.service", excerpt_of_discovery},
    Connector{"/etc/nvme/config.json", "nvmf-autoconnect.service", excerpt_of_config},
    Connector{"/etc/stas/stafd.conf", "stafd.service", excerpt_of_stas},
    Connector{"/etc/stas/stacd.conf", "stacd.service", excerpt_of_stas},
};

bool is_one_of(const std::vector<ConnectionKey>& targets, const std::string& address,
               const std::string& nqn) {
  constexpr std::string_view kDiscovery = "nqn.2014-08.org.nvmexpress.discovery";
  return std::ranges::any_of(targets, [&](const ConnectionKey& target) {
    return target.address == address && (nqn == "-" || nqn == kDiscovery || nqn == target.nqn);
  });
}

}  // namespace

std::vector<LeftUnchanged> other_connectors(host::View& view,
                                            const std::vector<ConnectionKey>& targets) {
  std::vector<LeftUnchanged> found;
  for (const auto& connector : kConnectors) {
    const auto& excerpt = view.excerpt(connector.path, connector.excerpt);
    if (!excerpt || !*excerpt || (*excerpt)->empty()) continue;
    if (!enabled_units(view).contains(connector.unit)) continue;
    std::istringstream lines(**excerpt);
    std::string number;
    std::string address;
    std::string nqn;
    std::set<std::string> told;
    while (lines >> number >> address >> nqn) {
      const auto place = fmt::format("{}:{}", connector.path, number);
      if (address == kDisconnects) {
        found.push_back(
            {place, fmt::format("{} ends connections that it has not made, those of this file too; "
                                "`disconnect-scope = only-stas-connections`, the default, does not",
                                connector.unit)});
      } else if (is_one_of(targets, address, nqn) && told.insert(place).second) {
        found.push_back({place, fmt::format("{} connects {} too, by rules of its own, and may be "
                                            "the first at boot: take it out there",
                                            connector.unit, address)});
      }
    }
  }
  return found;
}

}  // namespace spark::kinds
