#include "cli/share/word_forms.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "config/yaml/job_variables.hpp"

namespace spark::cli {
namespace {

/// `stem` and a number of three digits at most.
bool is_numbered(std::string_view name, std::string_view stem) {
  return name.starts_with(stem) && name.size() > stem.size() && name.size() <= stem.size() + 3 &&
         is_decimal(name.substr(stem.size()));
}

}  // namespace

bool is_decimal(std::string_view text) { return std::ranges::all_of(text, is_ascii_digit); }

bool is_serial(std::string_view text) {
  constexpr std::string_view kNoLimit = "18446744073709551615";
  constexpr std::size_t kLongestNumber = 10;
  constexpr std::size_t kShortestHex = 12;
  if (text == kNoLimit) return false;
  if (is_decimal(text)) return text.size() > kLongestNumber;
  const auto digits = static_cast<std::size_t>(std::ranges::count_if(text, is_ascii_hex));
  const auto dashes = static_cast<std::size_t>(std::ranges::count(text, '-'));
  return digits + dashes == text.size() && digits >= kShortestHex && (dashes == 0 || dashes == 4) &&
         std::ranges::any_of(text, is_ascii_digit);
}

bool is_quantity(std::string_view word) {
  constexpr std::array kUnits{"s",  "ms", "us", "m",  "h",   "d",   "k",   "K",   "M",    "G",
                              "T",  "B",  "b",  "kB", "KB",  "MB",  "GB",  "TB",  "Gb",   "Mb",
                              "Ki", "Mi", "Gi", "Ti", "KiB", "MiB", "GiB", "TiB", "Gbps", "Gbit"};
  const auto unit = word.find_first_not_of("0123456789");
  return unit != 0 && unit != std::string_view::npos &&
         std::ranges::find(kUnits, word.substr(unit)) != kUnits.end();
}

bool is_name_of_slot(std::string_view name) {
  constexpr std::array kStems{"eth", "wlan", "ifb",   "dummy",  "bond",   "br",     "veth", "tun",
                              "tap", "wg",   "virbr", "docker", "usb",    "ib",     "rxe",  "mlx5_",
                              "gre", "sit",  "tunl",  "erspan", "gretap", "ip6tnl", "teql"};
  constexpr std::array kBySlot{"en", "wl", "ww", "roce", "ib", "rocep"};
  if (is_public_word(name) ||
      std::ranges::any_of(kStems, [&](const char* stem) { return is_numbered(name, stem); })) {
    return true;
  }
  return std::ranges::any_of(kBySlot, [&](std::string_view stem) {
    if (!name.starts_with(stem) || name.size() == stem.size()) return false;
    const auto rest = name.substr(stem.size());
    return std::string_view("pPsoc").find(rest.front()) != std::string_view::npos &&
           std::ranges::any_of(rest, is_ascii_digit) && std::ranges::all_of(rest, [](char c) {
             return is_ascii_digit(c) ||
                    std::string_view("pPsofncdubvri").find(c) != std::string_view::npos;
           });
  });
}

std::optional<std::string> mac_in_name(std::string_view name) {
  constexpr std::size_t kStem = 3;
  constexpr std::size_t kDigits = 12;
  if (name.size() != kStem + kDigits || (!name.starts_with("enx") && !name.starts_with("wlx")) ||
      !std::ranges::all_of(name.substr(kStem), is_ascii_hex)) {
    return std::nullopt;
  }
  std::string mac;
  for (std::size_t i = kStem; i < name.size(); i += 2) {
    mac += (mac.empty() ? "" : ":") + std::string(name.substr(i, 2));
  }
  return mac;
}

bool is_variable(std::string_view word) {
  constexpr std::array kOwners{"NCCL_", "UCX_", "GLOO_", "OMPI_", "TP_"};
  return std::ranges::any_of(kOwners,
                             [&](std::string_view owner) { return word.starts_with(owner); });
}

namespace {

/// Of the files that the facts hold: cluster.yaml, sysctl.d, netplan, NetworkManager, networkd,
/// limits, units, hosts, os-release, this program's own; of kernel command lines and mounts.
constexpr const char* kPublicWords = R"(
ADMIN_STATE AF_INET AF_INET6 Address After BOOT_IMAGE BUG_REPORT_URL Before CARRIER_STATE
ConfigureWithoutCarrier Conflicts DGX DHCP DHCPv4 DHCPv6 DNS Debian DefaultDependencies
DefaultLimitMEMLOCK Description Documentation Driver ENV End ExecStart ExecStop GID GIDs GLOO GNU
GPUDirect Gateway Gb Give Gloo HOME_URL HOSTS IB ID ID_LIKE IP IPv4 IPv6 IPv6AcceptRA KMGTPE
KeepConfiguration LAN LOC LOGO LTS LimitMEMLOCK Link LinkLocalAddressing Linux MACAddress MANAGER
MEMLOCK MODULE MOUNT MPI MTUBytes Manager Match Mount NAME NCCL NETWORK_FILE NFS NQN NUMBER NVIDIA
NVME NVMe Name Network NetworkManager OPER_STATE OS Once Open Options OriginalName PRETTY_NAME
PRIVACY_POLICY_URL Path PermanentMACAddress PyTorch RDMA README RPC RemainAfterExit Remove
RequiredForOnline Requires Restart RestartSec Ring RoCE Route SR STATE SUPPORT_URL Service Soft
Spark StartLimitIntervalSec TCP TP_SOCKET_IFNAME TimeoutSec TimeoutStartSec TimeoutStopSec Type
UBUNTU_CODENAME UCX UUID Ubuntu Unit Unmanaged Unmount VERSION VERSION_CODENAME VERSION_ID Wants
What Where Wired Written YAML about above absent accept_ra access add added addr addr_gen_mode
address address1 addresses adopted afresh after again agent ago alert alertmanager alerts all
all_gen allnodes allrouters alone also amd_iommu amount an and another any apparmor applied applies
apply apt are arm_smmu arp_announce arp_filter arp_ignore as aside asks at attempt audit
authorization_file auto autoconnect autofs automatic automount avahi away back bak be before
began_boot_ms began_ms begin begins behind belongs beside better bin bind binfmt_misc blacklist
blank block bonds bookworm boot boot_id both bound bpf brackets bridges bring btrfs bufferbloat
build builds built by bytes cable cables cache cage cages can cannot card cgroup cgroup2 change
changed changes characters check choose chosen claims class cleanly cloned cloud cluster codepage
colon com comes comments common compress conf configfs confirm_within_ms connect connected
connection connections connectivity console container containerd containers continues copy core
count crashkernel cri crio cups d daemon damaged data db8 dbus deadline debian debugfs default
default_hugepagesz defaults delete destroys dev device devices devpts devtmpfs dgx different digest
digits directory dirsync disable discard disconnect discovery disk distribution dkms dmask dns do
docker docs doctor domain down drift driver drivers drop e2fsck each earlycon edits efi efivarfs
either else empty enP7s7 enclose end ended ends enforce env environment error errors etc ethernet
ethernets eui eui64 event events every example examples exclusive executable expected expert export
ext2 ext3 ext4 external extra fabric fails failure fake false family far favordynmods file files
filesystem finds first flags fmask for formats found four from fs fsck fuse fusectl gdm generation
generations get getty gid gid_index git give gives go goes gone good had hand handed handoff hands
hard hardening has have here hide hidepid history hold holds home hooks host host_identity
host_iface host_traddr hostid hostname hostnqn hosts how http https hugepages hugepagesz hugetlbfs
hw id identity if ifupdown ignore image in incomplete index infinity init inode64 install installed
intel_iommu interface interfaces interrupted iocharset iommu ip6 ipv4 ipv6 is isolcpus it item its
itself jammy job journal journalctl journald json keep kept kernel key key_file keyfile keys kho
kinds known knows ko kubelet kubepods label language last lead leads leave leaves ledger left
length less let letters lib libpod lightdm limit limits line lines link link_local links linux list
listen lists live lo load loaded local localhost localnet lock log logging loginctl logind logins
longer look loopback lost lsm mac macaddress machine machine_id made magic main make man managed
management many map match matches max may mcastprefix md mean measured media members memlock memory
memory_recursiveprot messages method metric metrics minimal minimum missing mitigations mkfs
mlx5_core mlx5_ib mnt mode modprobe module modules more mount mounted mounts move moved moves
mqueue mtu must name names namespace nccl need needs neigh net netdev netif netplan network
networkd networkmanager never new newer next nfs nfs4 nm nmconnection nmmeta no noatime noble node
nodes nodev nodiratime noexec nofail nofile nohz_full nokaslr noload nomodeset none nosuid not
nothing now nproc nqn nr_inodes nsdelegate number nvidia nvme nvme_tcp nvmexpress of off offers
older ollama on one ones oneshot only open opt options or order ordered org original os other
other_managers others our ours out outcome over overlay overwritten own owned owner package page
pairs passthrough path pause pci pcie peer peers pending performance perm persistenced pid pinned
place plugin plugins polkit port ports pre pressure privacy private proc processes profile program
prom promote_secondaries protect protocol pstore pt ptrace put queue quiet rail rail0 rail1 rail2
rail3 rails ran random range ranks rcu_nocbs rdma rdma_cm rdma_cm_mode rdma_rxe reach read
read_only read_write reads ready realloc reason reboot reconcile reference relatime release
released remembers remote remount remove removed removes rename replaced report require resolv
resolve resolved restart restore returns right ring rmem_default rmem_max ro roce roll rollback
rolled_back rolled_back_by_hand room root route rp_filter run running runs rw safe same says sbin
schema scope second seconds secret_file security securityfs select selinux serial service services
session sessions set sets severity sh sha256 share shared shells shows silently since since_ms size
slave slice smaller smallest snap snapd so socket sockets soft some something spark spark1 spark2
speed spellings splash split squashfs src srv ssh sshd stable_privacy stand stands start started
starts state status stays step steps still stop storage subnet subnets subvol suffix sure switch
switch1 switches symbolic sync sys sysctl sysfs sysrq system systemctl systemd table tables take
take_over taken taken_back takes target targets tcp terminate text that the their them then there
these this through timesyncd tmp tmpfs to today token token_file told too tracefs traddr trees
tried tries trixie trsvcid true tty0 ttyAMA0 ttyS0 tun turn turned twice two type ubuntu udevd uid
ulimits umount unconfirmed under uninitialized unit units unknown unlimited unmanaged unmount
unmounted until until_boot_ms until_ms unused_cages up update url us use use_tempaddr user uses usr
uuid v1 v2 v4 v6 value values var variable variables version vfat via virtio_net vlans vm volume
volumes vt wait wants was way webhook were what when where whether which why will with without
wmem_default wmem_max would wpa_supplicant write writer written wrote www xfs xxxx xxxxxxxx
xxxxxxxxxxxx yaml yes yet yml you zeropage
)";

}  // namespace

bool is_public_word(std::string_view word) {
  static const auto kWords = [] {
    std::set<std::string, std::less<>> words;
    std::istringstream text(kPublicWords);
    for (std::string one; text >> one;) words.insert(one);
    // A shared file is a file again: with other words its variables would be refused.
    for (const auto& variable : config::job_variables()) {
      for (const auto name : split(variable.words, ',')) words.emplace(name);
    }
    return words;
  }();
  return kWords.contains(word);
}

}  // namespace spark::cli
