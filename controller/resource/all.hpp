#pragma once
// AllKinds: every kind of state this version holds, in the order in which changes are made.

#include <tuple>

#include "resource/address.hpp"
#include "resource/hosts.hpp"
#include "resource/link.hpp"
#include "resource/mtu.hpp"
#include "resource/sysctl.hpp"

namespace spark {

using AllKinds = std::tuple<Link, Mtu, Address, SysctlSetting, Hosts>;

}  // namespace spark
