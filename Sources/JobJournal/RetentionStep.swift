/// What one step of removing old jobs has done.
package struct RetentionStep: Sendable, Hashable {
  /// Jobs that are not in the journal any more.
  package var removed: [Int] = []
  /// Whether another step has something to do.
  package var hasMore: Bool

  /// A step that has removed nothing.
  ///
  /// - Parameter hasMore: Whether another step has something to do.
  package init(hasMore: Bool = false) { self.hasMore = hasMore }
}
