#include "cli/init/settings_here.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/setting_files.hpp"
#include "cli/init/setup_commands.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/memlock/memlock_lines.hpp"
#include "kinds/sysctl/sysctl_boot.hpp"

namespace spark::cli {
namespace {

/// Of jobs on the fabric, as `environment:` takes them.
constexpr std::array<std::string_view, 6> kOfJobs{"NCCL_", "UCX_",  "GLOO_",
                                                  "TP_",   "OMPI_", "VLLM_"};

/// "net.core.rmem_max" of "net/core/rmem_max". A link may have a '.' in its name: such a key stays.
std::string dotted(std::string key) {
  if (!key.contains('.')) std::ranges::replace(key, '/', '.');
  return key;
}

std::string place_of(const std::string& file, int line) { return fmt::format("{}:{}", file, line); }

/// Keys of cryptography (ip-sysctl of the kernel's documentation): the file goes into git.
bool is_secret(std::string_view key) {
  return key.contains("fastopen_key") || key.ends_with("stable_secret");
}

/// Of this machine itself, and what distributions write there.
bool is_usual_name(const IpAddress& ip, std::string_view name, std::string_view hostname) {
  return ip.is_loopback() || ip.is_multicast() || ip.is_unspecified() || ip.is_link_local() ||
         name.starts_with("ip6-") || name == hostname;
}

void write_comments(std::string_view title, const std::vector<std::string>& lines, YamlText& yaml) {
  if (lines.empty()) return;
  yaml.blank();
  yaml.comment(title);
  for (const auto& line : lines) yaml.command(line);
}

}  // namespace

SettingsHere::SettingsHere(host::View& view, host::Files& files) {
  add_other_links(view);
  add_sysctls(view);
  add_memlock(view);
  add_hosts(view);
  add_variables(files);
  add_storage(view, files);
}

void SettingsHere::add_other_links(host::View& view) {
  const auto& addresses = view.addresses();
  if (!addresses) return;
  std::set<int> rails;
  for (const auto& here : rails_here(view).value_or(std::vector<RailHere>{})) {
    rails.insert(here.link.index);
  }
  for (const auto& info : *addresses) {
    const auto& ip = info.address.ip;
    const auto* const link = view.link(info.link_index);
    const bool is_usual = ip.is_loopback() || ip.is_link_local();
    if (is_usual || link == nullptr || rails.contains(info.link_index)) continue;
    other_links_.push_back(fmt::format("{} dev {}", info.address.text(), link->name));
  }
}

void SettingsHere::add_sysctls(host::View& view) {
  const auto boot = kinds::BootSysctls::read(view);
  if (!boot) return;
  for (const auto& line : boot->named()) {
    const bool is_of_package = line.file.starts_with("/usr/");
    if (is_of_package || line.value.empty() || line.file == kinds::kSysctlFile) continue;
    const auto place = place_of(line.file, line.line);
    if (is_secret(line.key)) {
      left_.push_back(fmt::format("{}  ({})", dotted(line.key), place));
      continue;
    }
    const auto& now = view.sysctl(line.key);
    const auto value = now ? fold_blanks(now->text) : line.value;
    sysctls_.push_back(
        {.key = dotted(line.key),
         .value = value,
         .origin = value == line.value ? place : fmt::format("{} says {}", place, line.value),
         .refused = now ? "" : now.error().what});
  }
}

void SettingsHere::add_memlock(host::View& view) {
  const auto logins = kinds::login_memlock_lines(view);
  const auto services = kinds::manager_memlock_lines(view);
  constexpr std::string_view kAll = "*";
  const auto* const login = logins ? kinds::hard_winner(*logins, kAll) : nullptr;
  const auto* const service = services ? kinds::hard_winner(*services, "") : nullptr;
  if (logins) {
    for (const auto& other : *logins) {
      if (other.domain == kAll || other.file == kinds::kLimitsFile) continue;
      left_.push_back(
          fmt::format("memlock of {}  ({})", other.domain, place_of(other.file, other.line)));
    }
  }
  const auto* const line = login != nullptr ? login : service;
  if (line == nullptr || !line->hard) return;
  auto origin = place_of(line->file, line->line);
  if (login != nullptr && service != nullptr && login->hard != service->hard) {
    origin += fmt::format(", for logins; {} says something else for services",
                          place_of(service->file, service->line));
  }
  memlock_.push_back(
      {.key = "memlock",
       .value = *line->hard == host::kUnlimited ? "unlimited" : std::to_string(*line->hard),
       .origin = std::move(origin)});
}

void SettingsHere::add_hosts(host::View& view) {
  const auto& text = view.file("/etc/hosts");
  const auto& identity = view.identity();
  if (!text || !*text) return;
  const std::string hostname = identity ? identity->hostname : "";
  kinds::each_conf_line(**text, [&](std::string_view line, int number) {
    std::istringstream words{std::string(line.substr(0, line.find('#')))};
    std::string address;
    words >> address;
    const std::vector<std::string> names{std::istream_iterator<std::string>(words), {}};
    const auto ip = IpAddress::parse(address);
    if (!ip || names.empty() || is_usual_name(*ip, names.front(), hostname)) return;
    hosts_.push_back(
        fmt::format("{} {}  ({})", address, fmt::join(names, " "), place_of("/etc/hosts", number)));
  });
}

void SettingsHere::add_variables(host::Files& files) {
  auto settings = setting_files(files);
  unread_ = std::move(settings.unread);
  for (const auto& file : settings.files) {
    if (file.ours) continue;
    for (const auto& line : file.lines) {
      const bool is_of_jobs = std::ranges::any_of(
          kOfJobs, [&](std::string_view prefix) { return line.name.starts_with(prefix); });
      if (!is_of_jobs || !line.value) continue;
      // Those of a server may be keys, and the file goes into git.
      const bool may_be_secret = line.name.starts_with("VLLM_");
      variables_.push_back(fmt::format("{}{}  ({})", line.name,
                                       may_be_secret ? "" : "=" + *line.value,
                                       place_of(file.path, line.line)));
    }
  }
}

void SettingsHere::add_storage(host::View& view, host::Files& files) {
  if (const auto& world = view.nvme()) {
    for (const auto& one : world->controllers) {
      if (one.transport != "tcp") continue;
      storage_.push_back(
          fmt::format("- nvme_tcp: {{ nqn: {}, address: {}, port: {}{} }}  (connected)", one.nqn,
                      one.address, one.port, one.via.empty() ? "" : ", via: " + one.via));
    }
  }
  for (const auto& command : setup_commands(view).of_targets) {
    storage_.push_back(fmt::format("`nvme connect` to {}  ({}{})", command.target, command.place(),
                                   command.unit.empty() ? "" : ", run by " + command.unit));
  }
  const auto fstab = files.read("/etc/fstab");
  if (!fstab) unread_.push_back(fstab.error());
  if (!fstab || !*fstab) return;
  kinds::each_conf_line(**fstab, [&](std::string_view line, int number) {
    std::istringstream words{std::string(line)};
    std::string device;
    std::string path;
    std::string type;
    std::string options;  // may hold a password
    words >> device >> path >> type >> options;
    const bool is_of_network =
        options.contains("_netdev") || device.contains("/nvme") || type.starts_with("nfs");
    if (!is_of_network) return;
    // The name of a share may hold a password too.
    const bool is_plain = device.starts_with("/dev/") || type.starts_with("nfs");
    storage_.push_back(fmt::format("{}{} {}  ({})", is_plain ? device + " " : "", path, type,
                                   place_of("/etc/fstab", number)));
  });
}

void SettingsHere::write(YamlText& yaml) {
  auto left = left_;
  const auto write_setting = [&](Setting& setting) {
    setting.line = 0;
    if (setting.refused.empty()) {
      yaml.line(
          fmt::format("{}: {}", yaml_word(setting.key),
                      is_all_digits(setting.value) ? setting.value : yaml_word(setting.value)),
          setting.origin);
      setting.line = yaml.next_line() - 1;  // a long origin stands above it
    } else {
      left.push_back(fmt::format("{} = {}  ({}): {}", setting.key, setting.value, setting.origin,
                                 setting.refused));
    }
  };
  const auto has_some = [](const std::vector<Setting>& settings) {
    return std::ranges::any_of(settings, [](const Setting& one) { return one.refused.empty(); });
  };
  if (has_some(sysctls_) || has_some(memlock_)) {
    yaml.blank();
    yaml.line("host:");
  }
  yaml.indent();
  if (has_some(sysctls_)) yaml.line("sysctl:");
  yaml.indent();
  for (auto& setting : sysctls_) write_setting(setting);
  yaml.outdent();
  for (auto& setting : memlock_) write_setting(setting);
  yaml.outdent();
  write_comments("Addresses of other links, which stay the host's:", other_links_, yaml);
  write_comments("Set on this machine too, and left where it is:", left, yaml);
  write_comments(
      "Names of others. `hosts: { suffix: -fabric }` under `host` writes those of the other nodes, "
      "once they are in this file:",
      hosts_, yaml);
  write_comments(
      "Variables of jobs. `environment: {}` gives jobs those that follow from this file; the "
      "others "
      "go below its `variables`:",
      variables_, yaml);
  write_comments("Storage over the network. `storage:` holds NVMe-TCP targets and their mounts:",
                 storage_, yaml);
}

bool SettingsHere::step_down(const config::Diagnostic& error) {
  for (auto* settings : {&sysctls_, &memlock_}) {
    for (auto& setting : *settings) {
      if (setting.line == 0 || setting.line != error.where.line) continue;
      setting.refused = fmt::format("{} [{}]", error.message, error.id);
      return true;
    }
  }
  return false;
}

}  // namespace spark::cli
