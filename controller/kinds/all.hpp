#pragma once
// AllKinds: every kind of state that this version manages, in the order in which changes are made.

#include <tuple>

#include "kinds/environment/environment_file.hpp"
#include "kinds/memlock/memlock.hpp"
#include "kinds/module/module.hpp"
#include "kinds/network/address.hpp"
#include "kinds/network/hosts.hpp"
#include "kinds/network/link.hpp"
#include "kinds/network/mtu.hpp"
#include "kinds/network/rdma_cm.hpp"
#include "kinds/network/roce.hpp"
#include "kinds/network/route.hpp"
#include "kinds/other_managers/other_managers.hpp"
#include "kinds/storage/host_identity.hpp"
#include "kinds/storage/mount.hpp"
#include "kinds/storage/nvme.hpp"
#include "kinds/sysctl/sysctl.hpp"

namespace spark::kinds {

// OtherManagers goes first: other managers would remove what later kinds set. Module goes before
// the kinds that need a module. Mtu goes before Link: below 1280 bytes a link has no IPv6, and so
// no link-local mode to set. Route goes after Address: its gateway is in a subnet of the link.
// Kinds that need another machine's answer go after the kinds that lead to it.
using AllKinds =
    std::tuple<OtherManagers, Module, Mtu, Link, Address, Route, SysctlSetting, MemlockSetting,
               Roce, RdmaCm, HostIdentity, Nvme, Mount, Hosts, EnvironmentFile>;

}  // namespace spark::kinds
