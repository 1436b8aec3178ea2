/// The result of one step of removing old jobs.
package struct RetentionStep: Sendable, Hashable {
  /// Numbers of the removed jobs.
  package var removed: [Int] = []
  /// Whether another step is needed.
  package var hasMore: Bool

  /// A step that has removed nothing.
  ///
  /// - Parameter hasMore: Whether another step is needed.
  package init(hasMore: Bool = false) { self.hasMore = hasMore }
}
