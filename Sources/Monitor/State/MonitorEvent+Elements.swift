package import InstallJobs

extension MonitorEvent {
  /// The event for an element of the engine's event stream.
  package init(_ element: EngineEvents.Element) {
    self =
      switch element {
      case .jobs(let rows): .snapshot(rows)
      case .jobsEnd(let seq): .snapshotEnd(seq: seq)
      case .event(let event): .event(event)
      case .progress(let events): .ticks(events)
      }
  }
}
