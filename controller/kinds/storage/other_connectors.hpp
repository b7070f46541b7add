#pragma once
// other_connectors: the other programs that connect, or disconnect, the NVMe-TCP targets of a file.

#include <vector>

#include "kinds/common/kind.hpp"
#include "kinds/storage/storage_units.hpp"

namespace spark::kinds {

/// Of nvme-cli (discovery.conf and config.json of /etc/nvme, read by nvmf-autoconnect.service at
/// boot) and of nvme-stas (stafd.conf and stacd.conf of /etc/stas): the line, and what comes of it.
/// Only where the unit is enabled.
std::vector<LeftUnchanged> other_connectors(host::View& view,
                                            const std::vector<ConnectionKey>& targets);

}  // namespace spark::kinds
