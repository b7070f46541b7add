#include "cli/discover/own_task.hpp"

#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "base/random.hpp"
#include "base/text.hpp"
#include "cli/init/node_names.hpp"
#include "cli/init/rails_here.hpp"
#include "config/parse/parse.hpp"
#include "config/yaml/read_forms.hpp"
#include "kinds/common/remedy.hpp"
#include "plan/free_subnet.hpp"
#include "protocol/paths.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kRunBytes = 8;
constexpr std::size_t kLongestLan = 15;  // IFNAMSIZ

Result<std::string> own_host_name(host::View& view) {
  const auto& identity = view.identity();
  if (!identity) return std::unexpected(identity.error());
  if (can_be_node(identity->hostname)) return identity->hostname;
  return fail(
      ErrorCode::kInvalid,
      fmt::format("the host name {} can be no node's: {}; sudo hostnamectl set-hostname NAME",
                  in_quotes(identity->hostname), config::kName.form));
}

Result<std::vector<protocol::CageLink>> own_links(host::View& view,
                                                  const std::vector<RailHere>& rails) {
  const auto lan = cages_of_lan(view, rails);
  std::vector<protocol::CageLink> links;
  for (const auto& here : rails) {
    if (here.rail.cage >= protocol::kMostDiscoverCages || lan.contains(here.rail.cage)) continue;
    links.push_back({.name = here.link.name, .index = here.link.index, .cage = here.rail.cage});
  }
  if (links.empty()) {
    return fail(ErrorCode::kNotFound, fmt::format("no cage of a ConnectX-7 is here: {}",
                                                  kinds::remedy_of_absent_card(view)));
  }
  return links;
}

}  // namespace

Result<std::string> own_node_name(host::View& view) {
  const auto& file = view.file(protocol::kDefaultFile);
  if (!file) return std::unexpected(file.error());
  const auto parsed = config::parse(file->value_or(""));
  if (!config::has_errors(parsed.diagnostics)) {
    if (auto node = state::own_node(parsed.cluster, view); node && !node->name.empty()) {
      return std::move(node->name);
    }
  }
  return own_host_name(view);
}

Result<protocol::DiscoverTask> own_task(host::View& view, bool is_founder) {
  if (geteuid() != 0) {
    return fail(ErrorCode::kPermission,
                "hearing other nodes takes a raw socket on each cage: run this as root (sudo)");
  }
  const auto name = is_founder ? own_host_name(view) : own_node_name(view);
  if (!name) return std::unexpected(name.error());
  const auto rails = rails_here(view);
  if (!rails) return std::unexpected(rails.error());
  auto links = own_links(view, *rails);
  if (!links) return std::unexpected(links.error());
  auto subnets = plan::subnets_to_avoid(plan::subnets_in_use(view));
  if (subnets.size() > protocol::kMostSubnetsTold) {
    return fail(ErrorCode::kInvalid,
                fmt::format("{} subnets of 192.168.177.0/24, 10.177.177.0/24, 172.31.177.0/24 and "
                            "those after them are in use here, more than are told to others: write "
                            "the file with init --pair, --ring or --switch",
                            subnets.size()));
  }
  auto run = random_hex(kRunBytes);
  if (!run) return std::unexpected(run.error());
  const auto& file = view.file(protocol::kDefaultFile);
  const bool keeps_file = !is_founder && file && *file;
  auto lan = link_to_lan(view);
  if (lan.size() > kLongestLan) lan.clear();
  return protocol::DiscoverTask{.node = *name,
                                .run = *std::move(run),
                                .is_founder = is_founder,
                                .own_file = keeps_file ? protocol::own_file_of(**file) : "",
                                .lan = std::move(lan),
                                .subnets = std::move(subnets),
                                .links = *std::move(links)};
}

}  // namespace spark::cli
