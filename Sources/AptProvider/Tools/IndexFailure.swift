/// A reason for which apt does not take the index of a source, known by a part of its message (apt
/// 2.6.1, 3.0.4).
struct IndexFailure: Sendable {
  /// The part of apt's message.
  var text: String
  /// What to do about it.
  var hint: String

  /// The known reasons; the first whose text occurs counts.
  static let all = [
    IndexFailure(
      text: "is not valid yet",
      hint: "the machine's clock is behind, or the source's is ahead: compare 'date' with the time"
        + " in the message"),
    IndexFailure(
      text: "is expired",
      hint: "the source is no longer kept up, or the machine's clock is ahead: compare 'date' with"
        + " the time in the message, and choose another mirror"),
    IndexFailure(
      text: "changed its '",
      hint: "the source is another release than before: where that is intended, accept it with"
        + " 'apt-get update --allow-releaseinfo-change'"),
    IndexFailure(
      text: "NO_PUBKEY",
      hint: "the key that signs the source is not known: put it where the source's Signed-By says"),
    IndexFailure(
      text: "EXPKEYSIG", hint: "the key that signs the source is expired: fetch its new version"),
    IndexFailure(
      text: "set for option Signed-By",
      hint: "two entries name different keys for the same source: correct Signed-By in them"),
    IndexFailure(
      text: "Conflicting values set for option",
      hint: "two entries contradict each other for the same source: correct them"),
    IndexFailure(
      text: "is not signed",
      hint: "have the source signed and its key named (Signed-By), or, where it is to be trusted"
        + " without, mark it '[trusted=yes]'"),
    IndexFailure(
      text: "does not have a Release file",
      hint: "the source has no such release: correct its address or suite"),
    IndexFailure(
      text: "no longer has a Release file",
      hint: "the release was taken away from the source: choose its successor or an archive of old"
        + " releases"),
    IndexFailure(
      text: "Could not resolve",
      hint: "the name of the server cannot be resolved: check the network"),
    IndexFailure(
      text: "Could not connect", hint: "the server does not answer: check the network and the proxy"
    ),
    IndexFailure(
      text: "Hash Sum mismatch", hint: "the mirror is in the middle of its update: try again later"),
    IndexFailure(
      text: "File has unexpected size",
      hint: "the mirror is in the middle of its update: try again later"),
  ]

  /// Returns the hint for apt's messages; nil where none is known.
  static func hint(for complaints: [String]) -> String? {
    all.first { failure in complaints.contains { $0.contains(failure.text) } }?.hint
  }
}
