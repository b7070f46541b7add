#include "config/yaml/diagnostic_ids.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace spark::config {
namespace {

using enum SpecId;

constexpr std::array kEntries{
    SpecIdEntry{kSyntax, "not YAML", "The file breaks the rules of YAML itself.",
                "Fix the place shown: indentation, a bracket, a quote or a colon."},
    SpecIdEntry{kLimit, "beyond a limit",
                "A file is at most 256 KiB, 16 levels deep, 50 000 nodes of the tree, and 4 KiB a "
                "scalar.",
                "Split or shorten it; a cluster of hundreds of nodes is far below every limit."},
    SpecIdEntry{kBytes, "bytes that hide something",
                "The file is not UTF-8, or holds a byte order mark, a control character or one "
                "that is read otherwise than it looks.",
                "Save it as plain UTF-8, and delete or replace the character."},
    SpecIdEntry{kUnknownKey, "unknown key",
                "The language has no such key in this place, often a misspelling or another "
                "tool's word.",
                "Use the key that is meant; docs/reference/cluster-yaml.md lists them all."},
    SpecIdEntry{kDuplicateKey, "duplicate key",
                "A map has one key twice; readers differ in which of the two they take.",
                "Keep one of the two."},
    SpecIdEntry{kAnchor, "anchor or alias",
                "Anchors (&) and aliases (*) let one line change many others unseen, and grow "
                "without bound.",
                "Write the value out. What holds for every node belongs under 'host'."},
    SpecIdEntry{kTag, "tag", "A tag (!) asks the reader for a type of its own choice.",
                "Delete the tag: types come from the schema."},
    SpecIdEntry{kMergeKey, "merge key", "'<<' copies keys from elsewhere, in some readers only.",
                "Write the keys out. What holds for every node belongs under 'host'."},
    SpecIdEntry{kSecondDocument, "more than one document",
                "The file goes on after its end ('---' or '...').",
                "Keep one document; one file describes one cluster."},
    SpecIdEntry{kDirective, "directive", "A line that begins with '%' changes how YAML is read.",
                "Delete the line."},
    SpecIdEntry{kKeyForm, "key that is no plain word",
                "A key is empty, a list or a map, or not a name of the form that this place needs.",
                "Write a plain name, in quotes where another reader would take it for a number "
                "or a boolean."},
    SpecIdEntry{kMissingKey, "missing key", "A key that has no default is not there.", "Add it."},
    SpecIdEntry{kWrongType, "another sort of value",
                "The place needs a map, a list or one value, and has another of the three.",
                "Write it as the message shows."},
    SpecIdEntry{kNeedsQuotes, "text that others read as something else",
                "Without quotes, some YAML reader takes this text for a number, a boolean, a date "
                "or nothing at all.",
                "Write it in quotes."},
    SpecIdEntry{kNotInteger, "not a whole number",
                "A number is plain decimal digits, without quotes, unit, leading zero or "
                "underscore.",
                "Write it so."},
    SpecIdEntry{kNotBoolean, "not true or false",
                "Only the words true and false are booleans to every YAML reader.",
                "Write true or false, without quotes."},
    SpecIdEntry{kOutOfRange, "number out of range", "The number is too small or too large.",
                "Choose one within the range shown."},
    SpecIdEntry{kNotOneOf, "not one of the words", "The value has a few words to choose from.",
                "Use one of the words shown."},
    SpecIdEntry{kTextForm, "text of another form",
                "The text is not what this place needs: a name, a path, an identifier.",
                "Write it in the form that the message describes."},
    SpecIdEntry{kItemCount, "too few or too many items",
                "A list has a number of items that cannot be meant.",
                "A cable has two ends, a switch at least two ports, a cage at most two rails."},
    SpecIdEntry{kInlineSecret, "secret in the file",
                "The file lives in git, and everyone who reads it would have the secret.",
                "Put the secret into a root-only file on the node and name it by 'secret_file' or "
                "'key_file'."},
    SpecIdEntry{kEmptyValue, "key without a value",
                "A key is followed by nothing, which some readers take for null.",
                "Give it a value, '{}' or '[]', or delete the key."},
    SpecIdEntry{kEmptyFile, "empty file", "The file is empty.",
                "Have `spark-reconcile init` write one."},
    SpecIdEntry{kPrefixForm, "not an address with its prefix length",
                "An address needs the length of its network, as in 192.168.177.11/24.",
                "Write address, slash, length."},
    SpecIdEntry{kEndsForm, "addresses and subnets mixed",
                "A cable or switch either has subnets, and each node its number, or says "
                "each end's addresses outright.",
                "Use one of the two forms."},
    SpecIdEntry{kQuantityForm, "quantity without its unit",
                "Rates, durations and sizes carry their unit, so that nobody has to guess it.",
                "Write it as 200G, 64Gb/s, 20s or 16GiB."},
    SpecIdEntry{kMore, "more findings", "After 100 findings the rest is counted only.",
                "Fix the first ones and validate again."},

    SpecIdEntry{kNoSuchAddress, "no such address", "The text has the looks of an address only.",
                "Correct it: IPv4 has four numbers up to 255, IPv6 eight groups."},
    SpecIdEntry{kAddressTwice, "one address twice", "Two places of the file give the same address.",
                "Give one of them another address or another number."},
    SpecIdEntry{kTwinsInOneSubnet, "both rails in one subnet",
                "The kernel sends everything for a subnet through one of the two rails: half the "
                "cable stays idle, and answers come from the wrong one.",
                "Give each rail a subnet of its own."},
    SpecIdEntry{kSubnetsOverlap, "overlapping subnets",
                "Two links would both lead to the same addresses, and the kernel takes one.",
                "Choose subnets that do not overlap."},
    SpecIdEntry{kLinkLocal, "link-local address on the fabric",
                "169.254.0.0/16 and fe80::/10 are the same on every link, so no route tells the "
                "rails apart, and some owner of them comes and goes with a cable.",
                "Use a private subnet a rail, as in the line shown."},
    SpecIdEntry{kAddressUnusable, "address that no link can have",
                "Loopback, multicast, unspecified, network and broadcast addresses are not for "
                "links.",
                "Use another one."},
    SpecIdEntry{kSubnetHostBits, "address where a subnet belongs",
                "The text names a host inside the subnet.", "Write the subnet as shown."},
    SpecIdEntry{kNumberOutsideSubnet, "number outside the subnet",
                "The node's number has no place in a subnet of that length.",
                "Use a smaller number or a larger subnet."},
    SpecIdEntry{kNumberMissing, "number missing",
                "A node on a cable or switch with subnets needs its number in them.",
                "Add 'number' to the node."},
    SpecIdEntry{kUnknownNode, "unknown node", "The name does not stand under 'nodes'.",
                "Correct the name, or add the node."},
    SpecIdEntry{kCageTwice, "cage used twice", "A cage holds one plug.",
                "Correct one of the two places."},
    SpecIdEntry{kCableToItself, "cable from a node to itself", "Both ends are on one node.",
                "Correct one end."},
    SpecIdEntry{kEndsDisagree, "ends that do not fit",
                "The ends of one rail are in different subnets, or one end lacks a rail that the "
                "other has.",
                "Give both ends of a rail addresses of one subnet."},
    SpecIdEntry{kMtuTooSmall, "MTU too small for IPv6", "IPv6 needs 1280 bytes (RFC 8200).",
                "Raise the MTU; 9000 is usual on the fabric."},
    SpecIdEntry{kContradiction, "two lines that contradict", "One state cannot satisfy both lines.",
                "Change or delete one of them."},
    SpecIdEntry{kExclusiveOfHost, "exclusive link of the host",
                "'owner: host' means that nothing is changed; 'exclusive' removes addresses.",
                "Keep one of the two."},
    SpecIdEntry{kDownWithAddresses, "link down with addresses",
                "An address on a link that is down reaches nobody.",
                "Delete 'up: false' or the addresses."},
    SpecIdEntry{kManagementIsOurs, "management on a fabric link",
                "The management link is the way in when the fabric fails; it is never ours.",
                "Name the interface of the LAN, on a Spark mostly enP7s7."},
    SpecIdEntry{kSameIdentity, "two nodes are one machine",
                "Two nodes match the same machine-id or host name.",
                "Correct 'match' of one of them."},
    SpecIdEntry{
        kCageNames, "cage names that do not fit",
        "An interface stands in two places, or a cage that is used lacks a rail or its names.",
        "List each interface once, rail by rail."},
    SpecIdEntry{kTwoWriters, "filesystem with more than one user",
                "ext4 and its like are no cluster filesystems: a second writer destroys them, and "
                "a reader beside a writer sees garbage.",
                "One node read-write and no other, or all of them read-only."},
    SpecIdEntry{kMountPathTwice, "mount path twice", "One path of a node has two filesystems.",
                "Choose another path."},
    SpecIdEntry{kMountPath, "path that cannot be mounted on",
                "The path is not absolute and normalised, or belongs to the system.",
                "Use a path of its own, as /mnt/data."},
    SpecIdEntry{kMountOptions, "mount options that contradict",
                "'ro' and 'rw' follow from read_write and read_only.", "Delete the option."},
    SpecIdEntry{kTargetTwice, "target twice", "One NQN at one address stands in two items.",
                "Put the mounts of both under one item."},
    SpecIdEntry{
        kSysctlHeld, "sysctl that the controller holds",
        "Both rails are connected to one wire: without arp_ignore 1 and arp_announce 2 one answers "
        "for the other.",
        "Delete the line."},
    SpecIdEntry{kSysctlTwice, "sysctl twice", "One key is written in two spellings.",
                "Keep one of the two."},
    SpecIdEntry{kModuleTwice, "module twice", "One module stands in the list twice.",
                "Keep one of the two."},
    SpecIdEntry{kModuleNever, "module that never works here",
                "GB10 has no GPUDirect RDMA: the peer-memory module refuses to start.",
                "Delete it; NCCL works without."},
    SpecIdEntry{kVariableDead, "variable that does nothing", "NCCL reads no variable of that name.",
                "Use the name shown, or delete the line."},
    SpecIdEntry{kVariableRunsCode, "variable that loads a program",
                "A plugin, program, library or file that the file names would be run, or written, "
                "on every node.",
                "Name an installed plugin without a path, or 'none'; set others where the job is."},
    SpecIdEntry{kSwitchTwice, "switch name twice", "Two switches have one name.",
                "Rename one of them."},
    SpecIdEntry{kHostsName, "name too long for /etc/hosts",
                "Node name and suffix together are longer than 63 characters.",
                "Shorten one of the two."},
    SpecIdEntry{kReceiverTwice, "receiver twice",
                "One URL stands twice in agent.yaml, and would get every alert twice.",
                "Keep one of the two."},
    SpecIdEntry{kSysctlRefused, "sysctl that the file may not set",
                "The file sets keys of network and memory. Others run programs as root, weaken how "
                "the kernel protects itself, or are actions and no settings.",
                "Delete the line. Where it is meant, write it into a file of /etc/sysctl.d by "
                "hand."},

    SpecIdEntry{kExternalHost, "external host that does not fit",
                "A host under 'external' has the name of a node, no address on a cable or switch, "
                "or is at both ends of a cable.",
                "Give it an address in the subnet of a cable or switch, and a name of its own."},
    SpecIdEntry{kVariableTwice, "variable twice",
                "One variable stands under two of 'variables', 'nccl.variables' and 'extra'.",
                "Keep one of the two."},

    SpecIdEntry{
        kSourceIncomplete, "source without trust",
        "The section 'source' of agent.yaml does not say whose commits count, or which server "
        "is the right one.",
        "Have 'spark-reconcile follow' write it: it shows what it finds, and keeps it."},
    SpecIdEntry{kSourceTimes, "time that a followed repository cannot have",
                "The section 'source' of agent.yaml asks the server too often or hardly ever, or a "
                "file would be on trial for longer than a day.",
                "Write 'every' from 5s to 24h, and 'settle' up to 24h."},
    SpecIdEntry{kRollout, "roll-out that no node can keep",
                "'rollout' names no node, a node twice, or nodes that tell each other nothing.",
                "Write canary: spark3, or order: [[spark3], [spark1, spark2]], and leave "
                "'ready.peers' on."},
    SpecIdEntry{
        kPageToken, "page for others without a token",
        "'listen' of agent.yaml is an address that others reach, and without a token anybody "
        "could read the page and the metrics. Until it is right they are served on the "
        "loopback address alone; the rest of the file holds.",
        "Make a token and name its file by 'token_file', or listen on 127.0.0.1."},
    SpecIdEntry{kVariableUnknown, "variable in the wrong map",
                "'variables' and 'nccl.variables' take the names of docs/reference/variables.md, "
                "so that none is misspelt; 'extra' takes others, and none of these.",
                "Correct the name, or move it to the other map."},
    SpecIdEntry{kVariableWrongValue, "value that a variable does not take",
                "The library that reads the variable would ignore the value, or stop.",
                "Write a value as the message shows; docs/reference/variables.md has all."},
    SpecIdEntry{kRouteDestination, "route to everywhere, or to a rail's own subnet",
                "A default route is another program's, and who is in the subnet of a rail is "
                "reached over that rail.",
                "Name the network that is behind the next node, as 192.0.2.0/24."},
    SpecIdEntry{kRouteWay, "route that leads nowhere",
                "'via' is in no subnet of the link, 'source' is no address of the node, or they "
                "are not of one family.",
                "Write the next node's address on this link, and an address of this node."},
    SpecIdEntry{kRouteTwice, "two routes to one network",
                "Both have the same metric, and the kernel refuses the second.",
                "Give one of them a metric, or delete it."},
    SpecIdEntry{kRouteOfHost, "route by a link of the host",
                "The link belongs to another manager, which sets its routes too.",
                "Write the route where that manager has its settings."},
    SpecIdEntry{kHalfTheCable, "half the cable",
                "A cage reaches full speed through both of its rails; one has about half.",
                "Give the other rail a subnet too."},
    SpecIdEntry{kTwinDown, "twin of a used rail is down",
                "The link named down is the other rail of a cage that is in use.",
                "Use both rails: each with an address in a subnet of its own."},
    SpecIdEntry{kRingSubnet, "subnet other than /24 on a ring",
                "NCCL's subnet-aware routing tells the cables of a ring apart by /24s.",
                "Use /24 subnets on a ring."},
    SpecIdEntry{kTcpOnly, "sysctl without effect on RDMA",
                "Congestion control of RoCE lives in the network card; tcp_ecn is for TCP.",
                "Keep it for TCP, or delete it."},
    SpecIdEntry{kGpuDirect, "GPUDirect on GB10", "GB10 has no GPUDirect RDMA.",
                "Delete the variable, or set it to 0."},
    SpecIdEntry{kGidIndex, "fixed GID index",
                "The index of a GID differs between nodes and rails and moves with addresses.",
                "Delete it: the environment file carries what finds the GID by content."},
    SpecIdEntry{kMountedNowhere, "filesystem that no node mounts",
                "Neither read_write nor read_only names a node.", "Name one, or delete the item."},
    SpecIdEntry{kRoceMtu, "MTU that makes RoCE's packets smaller",
                "RoCE packets of 4096 bytes need a link MTU of 4192: headers come on top.",
                "Use 9000, at both ends and on a switch between them."},
    SpecIdEntry{kSysctlReaches, "sysctl that does more than its name says",
                "The kernel loads a module for the value, or the whole machine becomes a router.",
                "Keep the line if that is meant."},
    SpecIdEntry{kOneRail, "one rail where the others have two",
                "The cage has one network device, so it is in the first subnet alone.",
                "On a cable write one subnet; on a switch write the addresses of each port, or "
                "leave it so."},
    SpecIdEntry{kNoMtu, "cable without an MTU",
                "Nothing says which MTU its rails have: mostly they keep 1500, and the two ends "
                "may differ.",
                "Write 'mtu: 9000' under 'fabric'."},
    SpecIdEntry{kReadOnlyType, "filesystem that is not written",
                "This version mounts only ext4 for writing.",
                "Use ext4, or give the nodes the filesystem by read_only."},
    SpecIdEntry{kSameCageOnRing, "like cages on a ring",
                "NCCL takes the ports of a card by their number, and fails on such a ring with "
                "'ibv_modify_qp failed' and error 110.",
                "Plug every cable of a ring from cage 0 to cage 1."},
    SpecIdEntry{
        kRingOfFour, "ring of four or more",
        "Nodes that no cable joins do not reach each other by RDMA, and NCCL connects "
        "them for its trees.",
        "Use a switch, or an NCCL that connects no trees; docs/reference/environment.md says how."},
    SpecIdEntry{kHostLinksInOneSubnet, "links of the host in one subnet",
                "Links of one node that belong to the host share a subnet, and the kernel sends "
                "all that goes there through one of them.",
                "Ask the manager of these links to give each a subnet of its own."},
    SpecIdEntry{kKeyUnused, "key that no node uses",
                "Where 'peers' is off, nodes tell each other nothing, so there is nothing that a "
                "key could prove.",
                "Delete 'key_file', or set 'peers' to report or require."},
    SpecIdEntry{kOpenChain, "open chain of cables",
                "Two nodes of a chain have no cable and no switch in common: no RDMA between them, "
                "and NCCL over all nodes does not start.",
                "Join the ends by a cable, use a switch, or run jobs of nodes that a cable joins."},
    SpecIdEntry{kVariableExtra, "variable that nothing checks",
                "What stands under 'extra' is passed on to jobs, and no table says whether a "
                "library reads it.",
                "Keep it if its library's own manual has it."},
    SpecIdEntry{kVariableOffRails, "variable that the rails contradict",
                "By this file the node has no such device or interface, or jobs would leave a rail "
                "idle or use TCP.",
                "Delete the variable, since the environment follows from the file, or write the "
                "value shown."},
};

}  // namespace

std::span<const SpecIdEntry> spec_ids() { return kEntries; }

std::string text_of(SpecId id) { return fmt::format("SR-SPEC-{:03}", std::to_underlying(id)); }

}  // namespace spark::config
