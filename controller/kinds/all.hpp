#pragma once
// AllKinds: every kind of state this version holds, in the order in which changes are made.

#include <tuple>

#include "kinds/environment/environment_file.hpp"
#include "kinds/memlock/memlock.hpp"
#include "kinds/module/module.hpp"
#include "kinds/network/address.hpp"
#include "kinds/network/hosts.hpp"
#include "kinds/network/link.hpp"
#include "kinds/network/mtu.hpp"
#include "kinds/network/roce.hpp"
#include "kinds/other_managers/other_managers.hpp"
#include "kinds/storage/mount.hpp"
#include "kinds/storage/nvme.hpp"
#include "kinds/sysctl/sysctl.hpp"

namespace spark {

// OtherManagers goes before all that others would take away again, and Module before what needs it.
// Mtu goes before Link: below 1280 bytes a link has no IPv6, and so no link-local mode to set. What
// another machine may not answer goes after all that leads to it.
using AllKinds = std::tuple<OtherManagers, Module, Mtu, Link, Address, SysctlSetting,
                            MemlockSetting, Roce, Nvme, Mount, Hosts, EnvironmentFile>;

}  // namespace spark
