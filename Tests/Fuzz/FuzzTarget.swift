/// A reader of foreign input, with what must hold for every input.
package protocol FuzzTarget: Sendable {
  /// The word that names it on the command line and in reports.
  static var name: String { get }

  init()

  /// Inputs that it understands, which others are made from.
  var seeds: [[UInt8]] { get }
  /// Pieces of its grammar.
  var tokens: [String] { get }

  /// An input by its grammar.
  ///
  /// - Parameters:
  ///   - random: Chooses it.
  ///   - tokens: ``tokens``.
  /// - Returns: Its bytes.
  func sentence(_ random: inout FuzzRandom, _ tokens: [String]) -> [UInt8]

  /// Reads an input.
  ///
  /// - Throws: ``BrokenPromise`` when what must always hold does not.
  func check(_ input: [UInt8]) throws(BrokenPromise)
}

/// Something that must hold for every input and does not for one.
package struct BrokenPromise: Error, Sendable, Hashable, CustomStringConvertible {
  /// What does not hold, in words.
  package var description: String

  package init(_ description: String) { self.description = description }
}

extension FuzzTarget {
  /// A few of the tokens.
  package func sentence(_ random: inout FuzzRandom, _ tokens: [String]) -> [UInt8] {
    Array(random.words(tokens, most: 12).utf8)
  }
}

/// Throws unless `condition` holds.
func hold(
  _ condition: Bool, _ what: @autoclosure () -> String
) throws(BrokenPromise) {
  guard condition else { throw BrokenPromise(what()) }
}
