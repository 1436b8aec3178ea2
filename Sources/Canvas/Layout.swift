/// A column or row of a layout, with the rules for narrow windows.
package struct Track<ID: Hashable & Sendable>: Sendable, Hashable {
  /// The identity of the track.
  package var id: ID
  /// The preferred length.
  package var preferred: Int
  /// The minimum length.
  package var minimum: Int
  /// The maximum length.
  package var maximum: Int
  /// The order in which tracks are left out, smallest first; nil if the track always stays.
  package var leaves: Int?
  /// The order in which tracks shrink to their minimum, smallest first, after all others are left
  /// out.
  package var shrinks: Int

  /// A track of fixed length, unless `minimum` or `maximum` is given.
  ///
  /// A maximum of `Int.max` takes all spare length.
  package init(
    _ id: ID, _ preferred: Int, minimum: Int? = nil, maximum: Int? = nil, leaves: Int? = nil,
    shrinks: Int = 0
  ) {
    self.id = id
    self.preferred = max(0, preferred)
    self.minimum = min(self.preferred, max(0, minimum ?? preferred))
    self.maximum = max(self.preferred, maximum ?? 0)
    self.leaves = leaves
    self.shrinks = shrinks
  }
}

/// The position of a track in a layout.
package struct PlacedTrack<ID: Hashable & Sendable>: Sendable, Hashable {
  /// The identity of the track.
  package let id: ID
  /// The first column or row, from the start of the layout.
  package let start: Int
  /// Number of columns or rows, at least 1.
  package let length: Int
}

/// Divides `length` among tracks in their order, with `gap` between neighbours.
///
/// If the tracks do not fit, they are left out in the order of `leaves`; then they shrink to their
/// minimum in the order of `shrinks`; then the rest is cut at the end. Spare length is divided
/// evenly among the tracks that may grow; the first ones get the remainder.
/// - Returns: The tracks that stay; none is empty, and all lie within `length`.
package func arrange<ID: Hashable & Sendable>(
  _ tracks: [Track<ID>], in length: Int, gap: Int = 0
) -> [PlacedTrack<ID>] {
  var staying = tracks
  func needed() -> Int {
    staying.reduce(0) { $0 + $1.preferred } + gap * max(0, staying.count - 1)
  }
  while needed() > length {
    let leaving = staying.indices.filter { staying[$0].leaves != nil }
      .min { (staying[$0].leaves ?? 0) < (staying[$1].leaves ?? 0) }
    guard let leaving else { break }
    staying.remove(at: leaving)
  }
  var spare = length - needed()
  var lengths = staying.map(\.preferred)
  if spare < 0 {
    for index in staying.indices.sorted(by: { staying[$0].shrinks < staying[$1].shrinks })
    where spare < 0 {
      let given = min(-spare, staying[index].preferred - staying[index].minimum)
      lengths[index] -= given
      spare += given
    }
  } else {
    grow(&lengths, upTo: staying.map(\.maximum), spare: spare)
  }
  var placed: [PlacedTrack<ID>] = []
  var start = 0
  for (track, wanted) in zip(staying, lengths) {
    let given = min(wanted, length - start)
    guard given > 0 else { continue }
    placed.append(PlacedTrack(id: track.id, start: start, length: given))
    start += given + gap
  }
  return placed
}

/// Divides `spare` among the lengths below their limit.
private func grow(_ lengths: inout [Int], upTo limits: [Int], spare: Int) {
  var spare = spare
  while spare > 0 {
    let open = lengths.indices.filter { lengths[$0] < limits[$0] }
    guard !open.isEmpty else { return }
    let share = spare / open.count
    var remainder = spare % open.count
    for index in open {
      let extra = share + (remainder > 0 ? 1 : 0)
      remainder = max(0, remainder - 1)
      let given = min(extra, limits[index] - lengths[index])
      lengths[index] += given
      spare -= given
    }
  }
}
