#include "config/yaml/read_forms.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/http_url.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::config {
namespace {

bool is_visible_ascii(char c) { return c > ' ' && c < '\x7F'; }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// 1 to `most` characters, all of a sort.
template <class IsOfSort>
bool all_of_text(std::string_view text, std::size_t most, IsOfSort is_of_sort) {
  return !text.empty() && text.size() <= most && std::ranges::all_of(text, is_of_sort);
}

bool is_name(std::string_view text) {
  const auto in_name = [](char c) { return is_ascii_alnum(c) || is_one_of(c, "._-"); };
  return all_of_text(text, 63, in_name) && is_ascii_alnum(text.front()) &&
         is_ascii_alnum(text.back());
}

constexpr std::size_t kLongestInterfaceName = 15;

/// Four numbers, as of an IPv4 address.
bool is_dotted_quad(std::string_view text) {
  const auto parts = split(text, '.');
  return parts.size() == 4 && std::ranges::all_of(parts, [](std::string_view part) {
           return !part.empty() && std::ranges::all_of(part, is_ascii_digit);
         });
}

bool is_interface_name(std::string_view text) {
  // The kernel takes more (dev_valid_name() of net/core/dev.c, at most IFNAMSIZ). But names go into
  // the files of NetworkManager, networkd and sysctl.d, where `*`, `?`, `[`, `!`, `;`, `%` and
  // others stand for something else, and which have no way to say them literally.
  const auto in_name = [](char c) { return is_ascii_alnum(c) || is_one_of(c, "._-+@"); };
  const bool is_of_proc_sys = text == "all" || text == "default";  // net.ipv4.conf.all
  return all_of_text(text, kLongestInterfaceName, in_name) && text != "." && text != ".." &&
         !is_of_proc_sys && !is_dotted_quad(text);
}

std::string advice_on_interface_name(std::string_view text) {
  if (is_dotted_quad(text) || IpAddress::parse(text)) {
    return "that is an address: write the name of the link that has it, as enP7s7; `ip -br "
           "address` "
           "lists both";
  }
  if (text.find_first_of("*?[") != std::string_view::npos) {
    return "a pattern is no name: write one line for each link, by its name in `ip -br link`";
  }
  if (text.size() > kLongestInterfaceName) {
    return fmt::format("it has {} characters, and a name at most {}: `ip -br link` lists the names",
                       text.size(), kLongestInterfaceName);
  }
  return {};
}

bool is_cage_end(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto cage = text.substr(colon + 1);
  const bool has_one_digit = cage.size() == 1 && is_ascii_digit(cage[0]);
  const bool has_two_digits =
      cage.size() == 2 && cage[0] == '1' && cage[1] >= '0' && cage[1] <= '5';
  return (has_one_digit || has_two_digits) && is_name(text.substr(0, colon));
}

/// A name without a cage is a host under `external`.
bool is_cable_end(std::string_view text) { return is_cage_end(text) || is_name(text); }

bool is_machine_id(std::string_view text) {
  return text.size() == 32 && all_of_text(text, 32, is_ascii_hex);
}

bool is_sysctl_key(std::string_view text) {
  // Words and separators by turns: no "..", so that no key leaves /proc/sys.
  const auto is_separator = [](char c) { return c == '.' || c == '/'; };
  bool word_open = false;
  bool separated = false;
  for (const char c : text) {
    if (is_separator(c)) {
      if (!word_open) return false;
      word_open = false;
      separated = true;
    } else if (is_ascii_alnum(c) || c == '_' || c == '-') {
      word_open = true;
    } else {
      return false;
    }
  }
  return word_open && separated;
}

/// "256M".
bool has_unit_of_bytes(std::string_view text) {
  const auto unit = text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
  return unit.size() < text.size() && !unit.empty() && is_one_of(unit[0], "KMGTkmgt") &&
         (unit.size() == 1 || unit.substr(1) == "B" || unit.substr(1) == "iB");
}

std::string advice_on_sysctl_value(std::string_view text) {
  if (!has_unit_of_bytes(text)) return {};
  constexpr std::size_t kBitsOfUnit = 10;
  const auto digits = text.find_first_not_of("0123456789");
  const auto number = parse_decimal(text.substr(0, digits));
  const auto bits = kBitsOfUnit * (std::string_view("kmgt").find(ascii_lower(text)[digits]) + 1);
  const bool fits = number && *number <= (UINT64_MAX >> bits);
  return fmt::format("the kernel takes no unit here: write {}",
                     fits ? std::to_string(*number << bits) : "a whole number");
}

bool is_sysctl_value(std::string_view text) {
  return !has_unit_of_bytes(text) && std::ranges::all_of(text, [](char c) {
    return is_visible_ascii(c) || c == ' ' || c == '\t';
  }) && std::ranges::any_of(text, is_visible_ascii);
}

bool is_module_name(std::string_view text) {
  // MODULE_NAME_LEN of linux/module.h is 56 on 64 bits, the NUL included
  return all_of_text(text, 55, [](char c) { return is_ascii_alnum(c) || c == '_' || c == '-'; });
}

bool is_hosts_suffix(std::string_view text) {
  return all_of_text(text, 62, [](char c) { return is_ascii_alnum(c) || is_one_of(c, "._-"); }) &&
         is_ascii_alnum(text.back());
}

constexpr std::string_view kHeadOfIscsi = "iqn.";

bool is_nqn(std::string_view text) {
  // A comma would begin another option on the kernel's /dev/nvme-fabrics.
  return all_of_text(text, 223, [](char c) { return is_visible_ascii(c) && c != ','; }) &&
         !text.starts_with(kHeadOfIscsi);
}

std::string advice_on_nqn(std::string_view text) {
  return text.starts_with(kHeadOfIscsi) ? "an iqn. is a name of iSCSI, which is not connected "
                                          "here: an NVMe target has an nqn., "
                                          "as in nqn.2014-08.org.example:data"
                                        : std::string{};
}

/// A unit file takes a backslash for an escape, and at the end of a line for its continuation.
bool is_literal_in_units(char c) { return is_visible_ascii(c) && c != '\\'; }

bool is_path(std::string_view text) {
  return text.starts_with('/') && std::ranges::all_of(text, is_literal_in_units);
}

bool is_filesystem_type(std::string_view text) {
  return all_of_text(text, 32,
                     [](char c) {
                       return is_ascii_lower(c) || is_ascii_digit(c) || is_one_of(c, "._-");
                     }) &&
         is_ascii_lower(text.front());
}

bool is_mount_option(std::string_view text) {
  return all_of_text(text, 255, [](char c) { return is_literal_in_units(c) && c != ','; });
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_ascii_hex(text[i])) return false;
  }
  return true;
}

bool is_nccl_variable(std::string_view text) {
  constexpr std::string_view kHead = "NCCL_";
  return text.starts_with(kHead) && all_of_text(text.substr(kHead.size()), 64, [](char c) {
           return is_ascii_upper(c) || is_ascii_digit(c) || c == '_';
         });
}

bool is_job_variable(std::string_view text) {
  constexpr std::array<std::string_view, 5> kHeads{"NCCL_", "UCX_", "GLOO_", "TP_", "VLLM_"};
  constexpr std::string_view kOpenMpi = "OMPI_";
  constexpr std::size_t kLongest = 64;
  if (text.starts_with(kOpenMpi)) {
    return all_of_text(text.substr(kOpenMpi.size()), kLongest,
                       [](char c) { return is_ascii_alnum(c) || c == '_'; });
  }
  const auto head =
      std::ranges::find_if(kHeads, [&](std::string_view one) { return text.starts_with(one); });
  return head != kHeads.end() && all_of_text(text.substr(head->size()), kLongest, [](char c) {
           return is_ascii_upper(c) || is_ascii_digit(c) || c == '_';
         });
}

/// Of the loader and of what starts and builds programs.
std::string advice_on_variable(std::string_view text) {
  const bool is_place =
      text.starts_with("LD_") || text.ends_with("_HOME") || text.ends_with("PATH");
  return is_place ? "it says which programs and libraries a job takes, and the file must not: set "
                    "it in the service or container of the job"
                  : std::string{};
}

bool is_variable_value(std::string_view text) {
  // What a shell, systemd and a container engine read alike, without quoting: container engines
  // take quotes for a part of the value.
  return all_of_text(text, 1024,
                     [](char c) { return is_ascii_alnum(c) || is_one_of(c, "_.,:=^/+@%*-"); });
}

bool is_http_url(std::string_view text) { return HttpUrl::parse(text).has_value(); }

bool is_endpoint(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || !parse_port(text.substr(colon + 1))) return false;
  auto host = text.substr(0, colon);
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  if (in_brackets) host = host.substr(1, host.size() - 2);
  return all_of_text(host, 45, [in_brackets](char c) {  // 45: INET6_ADDRSTRLEN without its NUL
    return c == '.' || is_ascii_digit(c) || (in_brackets && (is_ascii_hex(c) || c == ':'));
  });
}

/// What follows a prefix; empty: the text does not begin with it.
std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

/// A path of a URL: no query, no fragment, and nothing that a shell, ssh or git reads as more.
bool is_url_path(std::string_view text) {
  return text.size() > 1 && text.front() == '/' && all_of_text(text, 1024, [](char c) {
           return is_ascii_alnum(c) || is_one_of(c, "._~/+@%-");
         });
}

/// "host/path" or "host:port/path", the host as in HttpUrl.
bool is_host_and_path(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || !is_url_path(text.substr(slash))) return false;
  return HttpUrl::parse(fmt::format("http://{}/", text.substr(0, slash))).has_value();
}

bool is_ssh_user(std::string_view text) {
  return all_of_text(text, 32, [](char c) { return is_ascii_alnum(c) || is_one_of(c, "._-"); }) &&
         text.front() != '-';
}

bool is_git_url(std::string_view text) {
  if (const auto file = after(text, "file://")) return is_url_path(*file);
  if (const auto https = after(text, "https://")) return is_host_and_path(*https);
  const auto ssh = after(text, "ssh://");
  if (!ssh) return false;
  const auto at = ssh->substr(0, ssh->find('/')).find('@');
  return at == std::string_view::npos
             ? is_host_and_path(*ssh)
             : is_ssh_user(ssh->substr(0, at)) && is_host_and_path(ssh->substr(at + 1));
}

std::string advice_on_git_url(std::string_view text) {
  const auto scheme = text.find("://");
  if (scheme == std::string_view::npos) {
    return text.find(':') == std::string_view::npos
               ? std::string{}
               : "write ssh://git@host/path instead of git@host:path";
  }
  const auto host = text.substr(scheme + 3, text.find('/', scheme + 3) - scheme - 3);
  if (host.find('@') != std::string_view::npos &&
      (text.starts_with("http") || host.find(':') < host.find('@'))) {
    return "a URL has no password and no token here: this file and logs would show it; use "
           "ssh:// with a deploy key (docs/howto/git.md)";
  }
  if (text.starts_with("http://") || text.starts_with("git://")) {
    return "anybody on the way can change what comes by it: use https:// or ssh://";
  }
  return {};
}

/// Longer names are refused by most servers.
constexpr std::size_t kLongestRef = 200;

/// Words of one sort of characters with single separators between them.
template <class IsInWord>
bool is_separated(std::string_view text, std::string_view separators, IsInWord is_in_word) {
  bool word_open = false;
  for (const char c : text) {
    if (is_one_of(c, separators)) {
      if (!word_open) return false;
      word_open = false;
    } else if (is_in_word(c)) {
      word_open = true;
    } else {
      return false;
    }
  }
  return word_open && text.size() <= kLongestRef;
}

bool is_in_ref(char c) { return is_ascii_alnum(c) || is_one_of(c, "_-"); }

/// A part of what git-check-ref-format(1) allows.
bool is_git_branch(std::string_view text) {
  return is_separated(text, "./", is_in_ref) && text.front() != '-';
}

bool is_path_in_tree(std::string_view text) {
  return is_separated(text, "/", [](char c) { return is_ascii_alnum(c) || is_one_of(c, "._-"); }) &&
         !is_one_of(text.front(), ".-") && text.find("/.") == std::string_view::npos;
}

bool is_tag_pattern(std::string_view text) {
  if (text == "*") return true;
  if (text.size() > kLongestRef) return false;
  if (text.ends_with('*')) {
    text.remove_suffix(1);
    if (is_one_of(text.back(), "./")) text.remove_suffix(1);
  }
  return is_git_branch(text);
}

bool is_git_commit(std::string_view text) {
  return text.size() == 40 &&
         all_of_text(text, 40, [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_ssh_key(std::string_view text) {
  constexpr std::array<std::string_view, 5> kTypes{"ssh-ed25519 ", "ecdsa-sha2-nistp256 ",
                                                   "ecdsa-sha2-nistp384 ", "ecdsa-sha2-nistp521 ",
                                                   "ssh-rsa "};
  const auto type =
      std::ranges::find_if(kTypes, [&](std::string_view one) { return text.starts_with(one); });
  if (type == kTypes.end()) return false;
  text.remove_prefix(type->size());
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return all_of_text(text, 2048, [](char c) { return is_ascii_alnum(c) || is_one_of(c, "+/"); });
}

}  // namespace

const TextForm kName{
    "a name", "letters, digits, '-', '.' and '_', at most 63, a letter or digit at both ends",
    is_name};
const TextForm kInterfaceName{"an interface name",
                              "letters, digits, '.', '_', '-', '+' and '@', at most 15, and not "
                              "'all' or 'default'",
                              is_interface_name, advice_on_interface_name};
const TextForm kCageEnd{"a cage of a node",
                        "write node:cage, as in spark1:0; a Spark has the cages 0 and 1 (seen from "
                        "the back, 0 is next to the RJ45 socket), other machines up to 15",
                        is_cage_end};
const TextForm kCableEnd{kCageEnd.what, kCageEnd.form, is_cable_end};
const TextForm kMachineId{"a machine-id", "32 hexadecimal digits, the text of /etc/machine-id",
                          is_machine_id};
const TextForm kSysctlKey{"a sysctl key",
                          "words of letters, digits, '_' and '-' with '.' or '/' between them, as "
                          "in net.core.rmem_max",
                          is_sysctl_key};
const TextForm kSysctlValue{"a sysctl value", "ASCII text on one line", is_sysctl_value,
                            advice_on_sysctl_value};
const TextForm kModuleName{"a module name", "letters, digits, '_' and '-', at most 55",
                           is_module_name};
const TextForm kHostsSuffix{"a suffix of host names",
                            "letters, digits, '-', '.' and '_', a letter or digit last, as in "
                            "-fabric",
                            is_hosts_suffix};
const TextForm kNqn{"an NQN", "1 to 223 visible ASCII characters without commas", is_nqn,
                    advice_on_nqn};
const TextForm kPath{"an absolute path",
                     "it begins with '/' and has visible ASCII characters without '\\' only",
                     is_path};
const TextForm kFilesystemType{"a filesystem type", "as in /proc/filesystems: ext4, xfs",
                               is_filesystem_type};
const TextForm kMountOption{
    "a mount option", "one option an item, without blanks, commas and '\\', as in [noatime, nodev]",
    is_mount_option};
const TextForm kNamespaceUuid{"a namespace",
                              "a number from 1, or a UUID as in "
                              "0b1c2d3e-0000-4000-8000-001122334455",
                              is_uuid};
const TextForm kNcclVariable{"a variable of NCCL",
                             "its name begins with NCCL_ and has capitals, digits and '_'",
                             is_nccl_variable, advice_on_variable};
const TextForm kJobVariable{"a variable for jobs",
                            "its name begins with NCCL_, UCX_, GLOO_, TP_ or VLLM_ and has "
                            "capitals, digits and '_', or begins with OMPI_ and has letters, "
                            "digits and '_'",
                            is_job_variable, advice_on_variable};
const TextForm kVariableValue{
    "a value of a variable", "letters, digits and _ . , : = ^ / + @ % * - only", is_variable_value};
const TextForm kHttpUrl{"an http URL",
                        "write http://host:port/path, without user, password and fragment; https "
                        "goes by a relay on this machine (docs/reference/agent-yaml.md)",
                        is_http_url};
const TextForm kEndpoint{"an address and port",
                         "as in 127.0.0.1:9842, an IPv6 address in brackets: [::1]:9842",
                         is_endpoint};
const TextForm kGitUrl{
    "the URL of a git repository",
    "https://host/path, ssh://user@host/path or file:///path, without a password", is_git_url,
    advice_on_git_url};
const TextForm kGitBranch{"a branch",
                          "words of letters, digits, '_' and '-' with '.' or '/' between them",
                          is_git_branch};
const TextForm kPathInTree{"a path in the repository",
                           "names of letters, digits, '.', '_' and '-' with '/' between them, none "
                           "of which begins with '.', as in lab/cluster.yaml",
                           is_path_in_tree};
const TextForm kTagPattern{"a tag", "a name, or the beginning of one and '*', as in v*",
                           is_tag_pattern};
const TextForm kGitCommit{
    "a commit", "all 40 hexadecimal digits of it, as `git rev-parse` prints it", is_git_commit};
const TextForm kSshKey{"the public key of a server",
                       "its type and the key, as in 'ssh-ed25519 AAAA…', without a comment",
                       is_ssh_key};

}  // namespace spark::config
