import Foundation
import InstallJobs
import JobJournal
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Warnings of a job` {
  @Test func `V4: plan, job, result, attached handle and journal have them in the same order`()
    async throws
  {
    var packages = ["there", "third", "other"].map { name in
      SimulatedPackage(name).modified { $0.installed = "0.9" }
    }
    for index in [0, 2] { packages[index].isHeld = true }
    let (fixture, work) = try await EngineFixture.byHand(
      Scenario(name: "contrary", packages: packages))
    let planned = try await fixture.session.plan(JobRequest(.upgrade, [])).warnings
    #expect(planned.map(\.update) == ["there", "other"])
    #expect(planned.map(\.code) == [.held, .held])
    #expect(planned.map(\.context) == [.installer, .installer])
    let job = try await fixture.installer().beginUpgrade()
    #expect(job.warnings == planned)
    #expect(try await fixture.session.job(job.id).warnings == planned)
    #expect(try fixture.journal.job(job.id, withPlan: true).warnings == planned)
    await work.next()?.performAllSteps()
    #expect(try await job.result.warnings == planned)
    #expect(try await fixture.session.snapshot(of: job.id).warnings == planned)
  }

  @Test func `V2, V3: a warning keeps code and context as JSON, also unknown ones`() throws {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let warnings = UpdateWarning.Context.allCases.map {
      UpdateWarning(.keptBack, "left as it is", context: $0, update: "a")
    }
    #expect(try decoder.decode([UpdateWarning].self, from: encoder.encode(warnings)) == warnings)
    let newer = #"{"code":"ofTomorrow","context":"elsewhere","message":"m"}"#
    let read = try decoder.decode(UpdateWarning.self, from: Data(newer.utf8))
    #expect(read.code == UpdateWarning.Code(rawValue: "ofTomorrow"))
    #expect(read.context == .general)
  }

  @Test func `V4: a plan keeps its warnings as JSON, with the bare texts that older ones read`()
    throws
  {
    var plan = JobPlan(requests: [], steps: [])
    plan.warnings = [
      UpdateWarning(.held, "b is held", update: "b"), UpdateWarning(.keptBack, "a stays"),
    ]
    let data = try JSONEncoder().encode(plan)
    #expect(try JSONDecoder().decode(JobPlan.self, from: data) == plan)
    var object = try #require(
      try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["warnings"] as? [String] == ["b is held", "a stays"])
    object["warningDetails"] = nil
    let older = try JSONDecoder().decode(
      JobPlan.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(older.warnings.map(\.message) == ["b is held", "a stays"])
    #expect(older.warnings.map(\.code) == [.unspecified, .unspecified])
  }
}
