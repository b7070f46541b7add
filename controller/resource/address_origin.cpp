#include "resource/address_origin.hpp"

#include <nlohmann/json.hpp>

namespace spark {

nlohmann::json record_address(const AddressInfo& address) {
  nlohmann::json json{{"address", address.address.text()},
                      {"flags", address.flags},
                      {"scope", address.scope},
                      {"protocol", address.protocol},
                      {"valid", address.valid_seconds},
                      {"preferred", address.preferred_seconds}};
  if (address.peer) {
    json["peer"] = address.peer->text();
  }
  if (address.broadcast) {
    json["broadcast"] = address.broadcast->text();
  }
  if (!address.label.empty()) {
    json["label"] = address.label;
  }
  if (address.route_metric != 0) {
    json["route_metric"] = address.route_metric;
  }
  return json;
}

}  // namespace spark
