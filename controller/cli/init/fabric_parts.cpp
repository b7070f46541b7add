#include <cstddef>
#include <set>

#include <fmt/format.h>

#include "cli/init/file_parts.hpp"
#include "plan/free_subnet.hpp"

namespace spark::cli {

std::string cage_end(const std::string& node, int cage) {
  return yaml_word(fmt::format("{}:{}", node, cage));
}

Result<std::array<std::string, 2>> take_subnets(std::vector<IpPrefix>& taken) {
  std::array<std::string, 2> subnets;
  for (auto& text : subnets) {
    const auto subnet = plan::free_subnet(taken);
    if (!subnet) {
      return fail(ErrorCode::kNotFound,
                  "no subnet is free: addresses and routes here use 192.168.177.0/24 and all that "
                  "was tried after it");
    }
    taken.push_back(*subnet);
    text = subnet->text();
  }
  return subnets;
}

void begin_fabric(YamlText& yaml, std::string_view who_uses, bool has_switch) {
  yaml.comment(fmt::format(
      "A cage (QSFP port) has two rails, which are network devices of their own: so each "
      "cable has two subnets. {}",
      who_uses));
  yaml.line("fabric:");
  yaml.indent();
  yaml.line("mtu: 9000", has_switch ? "the ports of the switch need it too" : "");
}

void end_fabric(YamlText& yaml) {
  yaml.outdent();
  yaml.blank();
  yaml.line("environment: {}", "the variables for NCCL and others, for jobs to read");
  offer_first_week(yaml);
}

void offer_first_week(YamlText& yaml) {
  yaml.blank();
  yaml.comment(
      "No report of a real Spark is known yet. With this line the daemon tells what differs, and "
      "`spark-reconcile apply` alone corrects it; take it out after a week without a surprise:");
  yaml.command("drift: { default: report }");
}

void give_numbers(std::vector<int>& numbers) {
  std::set<int> used(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) continue;
    numbers[i] = static_cast<int>(i) + 1;
    while (!used.insert(numbers[i]).second) ++numbers[i];
  }
}

}  // namespace spark::cli
