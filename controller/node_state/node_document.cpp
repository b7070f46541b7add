#include "node_state/node_document.hpp"

#include "base/json_document.hpp"
#include "node_state/node_state_fields.hpp"
#include "protocol/web.hpp"

namespace spark::node_state {

template <EitherConst<NodeDocument> T, class Visit>
void each_field(T& document, Visit visit) {
  visit("listen", document.listen);
  visit("token_file", document.token_file);
  visit("hostname", document.hostname);
  visit("boot_id", document.boot_id);
  visit("at", document.at);
  visit("state", document.state);
}

std::string node_document_text(const NodeDocument& document) {
  auto json = JsonWriter::write(document);
  json["schema"] = protocol::kNodeStateSchema;
  return json_text(json) + "\n";
}

Result<NodeDocument> node_document_from(const std::string& text) {
  return document_from_text<NodeDocument>(protocol::kNodeStateSchema, text,
                                          JsonReader::Absent::kIsFine);
}

}  // namespace spark::node_state
