#pragma once
// The host NQN and host id of this machine: made once, never changed. A target lets hosts in by
// them, so two machines with one identity are one host to it.

#include <string>

#include "kinds/storage/nvme.hpp"

namespace spark {

/// Of /etc/nvme/hostnqn; empty where there is none, or it is none.
std::string host_nqn(View& view);

/// Puts the identity into `observed`: there, absent, or aside where it is broken, or was made on
/// another machine, as on a cloned disk.
void observe_identity(View& view, const Context& context, Observed<Nvme>& observed);

/// Writes what is missing of it, to the disk; one half is made from the other.
Result<> make_identity(Host& host);
/// The undo of that: removes `only`, or both files where that is empty.
Result<> remove_identity(const std::string& only, Host& host);

}  // namespace spark
