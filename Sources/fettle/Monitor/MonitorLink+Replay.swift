import InstallJobs
import JobClient
import JobScreen

/// What a replay asks of the engine.
extension MonitorLink {
  /// Tells a job that is over and its durable events, page by page.
  func fetchRecording(_ id: JobID) async {
    do throws(InstallationError) {
      let backend = try reached()
      let job = try await backend.endedJob(id)
      let length = try await backend.log(of: id, from: .max, limit: 1).length
      mailbox.post(.replay(.begin(job, logLength: length)))
      var after: Int? = 0
      while let seq = after {
        let page = try await backend.events(of: id, after: seq)
        await mailbox.postPatiently(.replay(.events(id, page.events)))
        after = page.next
      }
      mailbox.post(.replay(.end(id)))
    } catch {
      mailbox.post(.replay(.failed(id, error)))
    }
  }

  /// Tells a piece of a job's log for its replay.
  func fetchRecordedLog(_ id: JobID, from: Int64) async {
    do throws(InstallationError) {
      let piece = try await reached().log(of: id, from: from)
      mailbox.post(.replay(.log(id, asked: from, offset: piece.offset, text: piece.text)))
    } catch {
      mailbox.post(.replay(.noLog(id, error)))
    }
  }
}
