#include <algorithm>
#include <array>

#include "cli/share/fields.hpp"

namespace spark::cli {

std::string replaced_text(FieldClass field_class, const std::string& text, Replacements& with) {
  switch (field_class) {
    case FieldClass::kKept:
      return text;
    case FieldClass::kHost:
      return with.host(text);
    case FieldClass::kDevice:
      return with.device(text);
    case FieldClass::kMac:
      return with.mac(text);
    case FieldClass::kIp:
    case FieldClass::kBroadcast:
      return with.ip(text);
    case FieldClass::kPrefix:
      return with.prefix(text);
    case FieldClass::kSerial:
      return with.serial(text);
    case FieldClass::kUser:
      return with.user(text);
    case FieldClass::kText:
      return with.text(text);
    case FieldClass::kValue:
      return with.value(text).value_or(kLeftOutText);
    case FieldClass::kLeftOut:
      break;
  }
  return kLeftOutText;
}

namespace {

struct FieldRow {
  std::string_view path;
  FieldClass field_class;
};

using enum FieldClass;
constexpr std::array kFields{
    FieldRow{"schema", kKept},
    FieldRow{"version", kKept},
    FieldRow{"generated_at", kKept},
    FieldRow{"node", kHost},
    FieldRow{"digest", kSerial},
    FieldRow{"cluster_file", kText},
    FieldRow{"checklist{key}", kKept},
    FieldRow{"checklist{}", kKept},

    FieldRow{"links[].name", kDevice},
    FieldRow{"links[].altnames[]", kDevice},
    FieldRow{"links[].mac", kMac},
    FieldRow{"links[].kind", kKept},
    FieldRow{"links[].phys_switch_id", kSerial},
    FieldRow{"links[].phys_port_name", kKept},
    FieldRow{"links[].parent_bus", kKept},
    FieldRow{"links[].parent_device", kText},

    FieldRow{"addresses[].address", kPrefix},
    FieldRow{"addresses[].peer", kIp},
    FieldRow{"addresses[].broadcast", kBroadcast},
    FieldRow{"addresses[].label", kDevice},
    FieldRow{"routes[].destination", kPrefix},
    FieldRow{"routes[].gateway", kIp},
    FieldRow{"routes[].source", kIp},
    FieldRow{"route_to{key}", kIp},
    FieldRow{"route_to{}.destination", kPrefix},
    FieldRow{"route_to{}.gateway", kIp},
    FieldRow{"route_to{}.source", kIp},
    FieldRow{"ssh_addresses[]", kIp},

    FieldRow{"sysctl{key}", kText},
    FieldRow{"sysctl{}.text", kText},
    FieldRow{"files{key}", kText},
    FieldRow{"files{}", kText},
    FieldRow{"excerpts{key}", kText},
    FieldRow{"excerpts{}", kText},
    FieldRow{"replaceable{key}", kText},
    FieldRow{"directories{key}", kText},
    FieldRow{"directories{}[]", kText},

    FieldRow{"hardware.command_line", kText},
    FieldRow{"hardware.kernel", kKept},
    FieldRow{"hardware.dgx_os", kKept},
    FieldRow{"hardware.gpu_driver", kKept},
    FieldRow{"hardware.links[].link", kDevice},
    FieldRow{"hardware.links[].driver", kKept},
    FieldRow{"hardware.links[].pci_address", kText},
    FieldRow{"hardware.links[].pcie.speed", kKept},
    FieldRow{"hardware.links[].pcie.max_speed", kKept},
    FieldRow{"hardware.links[].firmware", kKept},
    FieldRow{"hardware.links[].cable", kKept},
    FieldRow{"hardware.links[].iommu", kKept},
    FieldRow{"hardware.links[].temperatures{key}", kKept},
    FieldRow{"hardware.links[].counters{key}", kKept},
    FieldRow{"hardware.links[].driver_version", kKept},
    FieldRow{"hardware.links[].fec", kKept},
    FieldRow{"hardware.links[].statistics{key}", kKept},
    FieldRow{"hardware.links[].pcie_errors[].address", kText},

    FieldRow{"identity.hostname", kHost},
    FieldRow{"identity.machine_id", kSerial},
    FieldRow{"identity.kernel", kKept},

    FieldRow{"rdma_ports[].device", kDevice},
    FieldRow{"rdma_gids{key}", kText},
    FieldRow{"rdma_gids{}[].ip", kIp},
    FieldRow{"rdma_gids{}[].type", kKept},
    FieldRow{"rdma_gids{}[].link", kDevice},
    FieldRow{"rdma_cm_mode{key}", kText},
    FieldRow{"rdma_cm_mode{}", kKept},

    FieldRow{"nvme.program", kText},
    FieldRow{"nvme.controllers[].name", kText},
    FieldRow{"nvme.controllers[].nqn", kText},
    FieldRow{"nvme.controllers[].transport", kKept},
    FieldRow{"nvme.controllers[].state", kKept},
    FieldRow{"nvme.controllers[].address", kText},
    FieldRow{"nvme.controllers[].port", kText},
    FieldRow{"nvme.controllers[].via", kText},
    FieldRow{"nvme.controllers[].source", kText},
    FieldRow{"nvme.controllers[].host_nqn", kText},
    FieldRow{"nvme.namespaces[].name", kText},
    FieldRow{"nvme.namespaces[].nqn", kText},
    FieldRow{"nvme.namespaces[].wwid", kText},
    FieldRow{"nvme.namespaces[].uuid", kText},
    FieldRow{"nvme.namespaces[].device", kText},
    FieldRow{"nvme.namespaces[].holders[]", kText},
    FieldRow{"nvme.attempts{key}", kText},
    FieldRow{"nvme.attempts{}.outcome", kKept},
    FieldRow{"nvme.attempts{}.reason", kText},
    FieldRow{"nvme.attempts{}.what", kLeftOut},
    FieldRow{"nvme_offers{key}", kText},
    FieldRow{"nvme_offers{}[].nqn", kText},
    FieldRow{"nvme_offers{}[].transport", kKept},
    FieldRow{"nvme_offers{}[].address", kText},
    FieldRow{"nvme_offers{}[].port", kText},

    FieldRow{"mounts[].path", kText},
    FieldRow{"mounts[].device", kText},
    FieldRow{"mounts[].source", kText},
    FieldRow{"mounts[].type", kKept},
    FieldRow{"mounts[].options[]", kText},
    FieldRow{"mountpoints{key}", kText},
    FieldRow{"superblocks{key}", kText},
    FieldRow{"superblocks{}.type", kKept},
    FieldRow{"superblocks{}.uuid", kSerial},
    FieldRow{"volume_users{key}", kText},
    FieldRow{"volume_users{}[]", kLeftOut},

    FieldRow{"process_groups[].path", kText},
    FieldRow{"unit_settings{key}", kText},
    FieldRow{"unit_settings{}[].value", kText},
    FieldRow{"unit_settings{}[].file", kText},
    FieldRow{"modules{key}", kText},
};

}  // namespace

std::optional<FieldClass> class_of_field(std::string_view path) {
  const auto found = std::ranges::find(kFields, path, &FieldRow::path);
  return found == kFields.end() ? std::nullopt : std::optional(found->field_class);
}

}  // namespace spark::cli
