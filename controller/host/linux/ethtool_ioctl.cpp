#include "host/linux/ethtool_ioctl.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

namespace spark::host {
namespace {

std::size_t count_statistics(int socket, const std::string& link) {
  // The size stands behind the question.
  alignas(ethtool_sset_info)
      std::array<std::byte, sizeof(ethtool_sset_info) + sizeof(std::uint32_t)>
          buffer{};
  auto* const question = reinterpret_cast<ethtool_sset_info*>(buffer.data());
  question->cmd = ETHTOOL_GSSET_INFO;
  question->sset_mask = std::uint64_t{1} << ETH_SS_STATS;
  if (!ask_ethtool(socket, link, question) || question->sset_mask == 0) return 0;
  std::uint32_t size = 0;
  std::memcpy(&size, buffer.data() + sizeof(ethtool_sset_info), sizeof(size));
  return size;
}

}  // namespace

bool ask_ethtool(int socket, const std::string& link, void* request) {
  ifreq envelope{};
  if (link.size() >= sizeof(envelope.ifr_name)) return false;
  std::memcpy(envelope.ifr_name, link.c_str(), link.size());
  envelope.ifr_data = static_cast<char*>(request);
  return ioctl(socket, SIOCETHTOOL, &envelope) == 0;
}

std::map<std::string, std::uint64_t> ethtool_statistics(
    int socket, const std::string& link, const std::function<bool(std::string_view)>& keep) {
  constexpr std::size_t kMost = 8192;
  const auto count = count_statistics(socket, link);
  if (count == 0 || count > kMost) return {};
  // The kernel writes as many as there are when it answers, and asks for no size: twice as much as
  // a moment ago is room for a driver that was set up with more queues in between.
  std::vector<char> names(sizeof(ethtool_gstrings) + 2 * count * ETH_GSTRING_LEN);
  auto* const strings = reinterpret_cast<ethtool_gstrings*>(names.data());
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_STATS;
  strings->len = static_cast<std::uint32_t>(count);
  std::vector<std::uint64_t> values(sizeof(ethtool_stats) / sizeof(std::uint64_t) + 2 * count);
  auto* const statistics = reinterpret_cast<ethtool_stats*>(values.data());
  statistics->cmd = ETHTOOL_GSTATS;
  statistics->n_stats = static_cast<std::uint32_t>(count);
  const bool answered = ask_ethtool(socket, link, strings) && ask_ethtool(socket, link, statistics);
  // Names and values of two different moments belong together only where they are as many.
  if (!answered || strings->len != statistics->n_stats || strings->len > 2 * count) return {};
  std::map<std::string, std::uint64_t> kept;
  for (std::size_t i = 0; i < strings->len; ++i) {
    const auto* const name = names.data() + sizeof(ethtool_gstrings) + i * ETH_GSTRING_LEN;
    const std::string_view text(name, strnlen(name, ETH_GSTRING_LEN));
    if (keep(text)) kept.emplace(text, values[1 + i]);
  }
  return kept;
}

std::string cable_of(int socket, const std::string& link) {
  // Three masks of link modes stand behind the settings, each of so many words as the kernel says
  // when it is asked with none. It never has more than a signed byte can say.
  constexpr std::size_t kMostWords = 3 * 127;
  alignas(ethtool_link_settings)
      std::array<std::byte, sizeof(ethtool_link_settings) + kMostWords * sizeof(std::uint32_t)>
          buffer{};
  auto* const settings = reinterpret_cast<ethtool_link_settings*>(buffer.data());
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  if (!ask_ethtool(socket, link, settings) || settings->link_mode_masks_nwords >= 0) return {};
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  settings->link_mode_masks_nwords = static_cast<std::int8_t>(-settings->link_mode_masks_nwords);
  if (!ask_ethtool(socket, link, settings)) return {};
  switch (settings->port) {
    case PORT_DA:
      return "direct attach copper";
    case PORT_FIBRE:
      return "fibre";
    case PORT_TP:
      return "twisted pair";
    default:
      return {};
  }
}

std::optional<ReceiveRing> receive_ring_of(int socket, const std::string& link) {
  ethtool_ringparam rings{};
  rings.cmd = ETHTOOL_GRINGPARAM;
  if (!ask_ethtool(socket, link, &rings) || rings.rx_max_pending == 0) return std::nullopt;
  return ReceiveRing{.size = rings.rx_pending, .max = rings.rx_max_pending};
}

}  // namespace spark::host
