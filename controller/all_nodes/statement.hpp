#pragma once
// Statements: what a node says to all, with its signature. A node passes on what it could verify,
// word by word, so that those hear it who have no cable to who said it.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "all_nodes/offer.hpp"
#include "base/result.hpp"
#include "host/files.hpp"
#include "protocol/board.hpp"
#include "signing/node_key.hpp"

namespace spark::all_nodes {

using Statement = std::variant<Offer, Status, Ordered, Presence>;

/// The public halves, base64, by node: what people have compared four words for.
using TrustedKeys = std::map<std::string, std::string>;

/// Of a text as kTrustedFile: a line "NAME ed25519 BASE64" a key, "#" begins a comment. Errors:
/// kInvalid with the line.
Result<TrustedKeys> trusted_in(const std::string& text);
/// Of kTrustedFile. Absent: none. Errors: as above; those of the files port, which also says that
/// others than root may write it.
Result<TrustedKeys> read_trusted(host::Files& files);

/// Of this node.
protocol::Signed signed_statement(const std::string& node, const Statement& statement,
                                  const signing::NodeKey& key);

/// What the node says that signed it. Empty: its key is not known, the signature is not of these
/// bytes, or this version does not know what is said. Nothing in the body is read before its
/// signature is right. An Offer's digest is that of its text, and its origin, as a Status's or a
/// Presence's node, is who signed.
std::optional<Statement> statement_of(const protocol::Signed& said, const TrustedKeys& keys);

}  // namespace spark::all_nodes
