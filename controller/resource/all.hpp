#pragma once
// AllKinds: every kind of state this version holds, in the order in which changes are made.

#include <tuple>

#include "resource/address.hpp"
#include "resource/environment_file.hpp"
#include "resource/fence.hpp"
#include "resource/hosts.hpp"
#include "resource/link.hpp"
#include "resource/memlock.hpp"
#include "resource/module.hpp"
#include "resource/mount.hpp"
#include "resource/mtu.hpp"
#include "resource/nvme.hpp"
#include "resource/roce.hpp"
#include "resource/sysctl.hpp"

namespace spark {

// Fence goes before all that others would take away again, and Module before what needs it. Mtu
// goes before Link: below 1280 bytes a link has no IPv6, and so no link-local mode to set. What
// another machine may not answer goes after all that leads to it.
using AllKinds = std::tuple<Fence, Module, Mtu, Link, Address, SysctlSetting, MemlockSetting, Roce,
                            Nvme, Mount, Hosts, EnvironmentFile>;

}  // namespace spark
