// A law of what people are told: no printed command changes a link that this machine is reached
// through, or that the file leaves to the host. On the machines of plan/ and of
// examples/direct-with-storage.yaml, with each of their links as the way in.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/input/verb.hpp"
#include "config/parse/parse.hpp"
#include "golden/golden_files.hpp"
#include "golden/world.hpp"
#include "kinds/common/remedy.hpp"
#include "protocol/paths.hpp"
#include "state/select.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

/// What takes something away from a link, or gives it to another manager.
constexpr const char* kOfALink =
    "ip (-[46] )?(link set|addr(ess)? (add|del|flush|replace)|route (add|del|flush|replace))|"
    "nmcli (c|d)[a-z]* (mod|up|down|del|dis|set|re)|networkctl (up|down|reconf|renew|delete)|"
    "netplan (try|set) |sysctl -w net";

/// std::regex takes long, and few lines have such a command.
bool may_have_a_command(std::string_view line) {
  constexpr std::array kPrograms{"ip ",      "nmcli ",  "networkctl ",
                                 "netplan ", "sysctl ", "systemctl "};
  return std::ranges::any_of(kPrograms,
                             [line](const char* program) { return line.contains(program); });
}

struct Machine {
  std::string file;   ///< cluster.yaml
  std::string world;  ///< world.yaml; empty: nothing beside a Spark
};

/// The one of examples/, which has no folder of its own: every service of a node, on a Spark as it
/// comes.
constexpr const char* kOfExamples = "direct_with_storage";

Machine machine_of(const std::string& name) {
  if (name == kOfExamples) {
    return {read_golden(golden_folder() / "../../examples/direct-with-storage.yaml"), ""};
  }
  const auto folder = golden_folder() / "plan" / name;
  return {read_golden(folder / "cluster.yaml"), read_golden(folder / "world.yaml")};
}

std::vector<std::string> names_of_machines() {
  std::vector<std::string> names{kOfExamples};
  for (const auto& entry : fs::directory_iterator(golden_folder() / "plan")) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// Whether the command has the name as a word of its own.
bool names_link(std::string_view command, std::string_view link) {
  const auto ends_word = [&](std::size_t at) {
    return at >= command.size() || std::isalnum(static_cast<unsigned char>(command[at])) == 0;
  };
  for (auto at = command.find(link); at != std::string_view::npos;
       at = command.find(link, at + 1)) {
    if (ends_word(at + link.size()) && (at == 0 || ends_word(at - 1))) return true;
  }
  return false;
}

/// How the link comes to be the way in.
enum class WayIn : std::uint8_t { kDefaultRoute, kSession, kBridge };

void lead_in_by(WayIn way, const host::LinkInfo& link, FakeHost& host) {
  const auto via = [&](int index) {
    host.netlink().add_route({.destination = *IpPrefix::parse("0.0.0.0/0"),
                              .table = 254,
                              .link_index = index,
                              .gateway = IpAddress::parse("203.0.113.1")});
  };
  switch (way) {
    case WayIn::kDefaultRoute:
      via(link.index);
      break;
    case WayIn::kSession:
      host.netlink().add_foreign(link.name, {.address = *IpPrefix::parse("203.0.113.200/24")});
      host.system().add_ssh_session(*IpAddress::parse("203.0.113.200"));
      break;
    case WayIn::kBridge:
      via(host.netlink().plug({.name = "br0", .up = true, .kind = "bridge"}));
      host.netlink().set_master(link.name, "br0");
      break;
  }
}

/// Something to complain about on every link: a subnet that all share, and a unit of a guide.
void trouble_every_link(const std::vector<host::LinkInfo>& links, FakeHost& host) {
  int number = 10;
  for (const auto& link : links) {
    host.netlink().add_foreign(
        link.name, {.address = *IpPrefix::parse(fmt::format("203.0.113.{}/24", number++))});
    host.files().put(
        fmt::format("/etc/systemd/system/set-{}.service", link.name),
        fmt::format("[Service]\nExecStart=/sbin/ip link set {} mtu 9000\n", link.name));
    host.files().put(
        fmt::format("/etc/systemd/system/multi-user.target.wants/set-{}.service", link.name), "");
  }
}

std::string all_verbs_of(FakeHost& host) {
  const cli::TextFile text;
  const cli::Terminal terminal(text.stream(), text.stream(), cli::Color::kNever, false, 100000);
  const cli::Log log(stderr, {});
  auto ports = host.host();
  for (const auto* verb : {"doctor", "plan", "status", "gate"}) {
    const cli::Arguments arguments{.verb = cli::verb_named(verb)};
    static_cast<void>(arguments.verb->run({arguments, terminal, log, ports}));
  }
  EXPECT_TRUE(terminal.finish());
  return text.text();
}

/// The commands that change a link which nobody may touch, and how many change any.
std::pair<std::vector<std::string>, std::size_t> commands_of(const Machine& a, WayIn way,
                                                             const std::string& by) {
  FakeHost host;
  build_world(host, a.world);
  host.files().put(protocol::kDefaultFile, a.file);
  auto ports = host.host();
  const auto links = host.netlink().links().value();
  trouble_every_link(links, host);
  for (const auto& link : links) {
    if (link.name == by) lead_in_by(way, link, host);
  }
  const auto text = all_verbs_of(host);
  host::View view(ports);
  const auto parsed = config::parse(a.file);
  const auto selection = state::select(parsed.cluster, "", view);
  std::vector<std::string> harmful;
  std::size_t all = 0;
  static const std::regex kChanging(
      fmt::format("({}|systemctl (disable|stop|mask))[^`\n]*", kOfALink));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!may_have_a_command(line)) continue;
    for (std::sregex_iterator i(line.begin(), line.end(), kChanging), end; i != end; ++i) {
      ++all;
      for (const auto& link : *view.links()) {
        if (names_link(i->str(), link.name) &&
            kinds::untouchable(link.name, selection ? &selection->node : nullptr, view)) {
          harmful.push_back(i->str());
        }
      }
    }
  }
  return {harmful, all};
}

class RemediesOn : public testing::TestWithParam<std::string> {};

TEST_P(RemediesOn, NoPrintedCommandChangesALinkThatTheGuardProtects) {
  const auto machine = machine_of(GetParam());
  FakeHost host;
  build_world(host, machine.world);
  const auto links = host.netlink().links().value();
  // Three links of each, another three on the next: all of all take minutes with sanitizers.
  const auto names = names_of_machines();
  auto turn = 3 * static_cast<std::size_t>(std::ranges::find(names, GetParam()) - names.begin());
  std::size_t all = 0;
  for (const auto way : {WayIn::kDefaultRoute, WayIn::kSession, WayIn::kBridge}) {
    const auto& link = links[turn++ % links.size()].name;
    const auto [harmful, some] = commands_of(machine, way, link);
    EXPECT_THAT(harmful, IsEmpty()) << link << ", way " << static_cast<int>(way) << "\n"
                                    << machine.file;
    all += some;
  }
  if (GetParam() == kOfExamples) {
    EXPECT_GT(all, 0U) << "the law is about something";
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RemediesOn, testing::ValuesIn(names_of_machines()),
                         [](const auto& machine) { return machine.param; });

/// There each of them passes the guard. To set a link up takes nothing away, and RAIL is no link.
TEST(Remedies, NoOtherFileHoldsACommandThatChangesALink) {
  const std::regex changing(kOfALink);
  const std::regex harmless("ip link set (RAIL|[^ ]+ up)|//.*");
  std::vector<std::string> found;
  const auto sources = fs::path(SPARK_SOURCE_DIR) / "controller";
  for (const auto& entry : fs::recursive_directory_iterator(sources)) {
    const auto name = entry.path().filename().string();
    if (entry.path().extension() != ".cpp" || name == "remedy.cpp") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!may_have_a_command(line)) continue;
      line = std::regex_replace(line, harmless, "");
      if (std::regex_search(line, changing)) found.push_back(name + ": " + line);
    }
  }
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace spark::test
