import FoundationEssentials
import InstallJobs
import Testing

@Suite struct `Result codes` {
  static let finals: [OperationResultCode] = [.notStarted, .succeeded, .failed, .aborted]

  @Test(arguments: finals, finals)
  func `D1, D11, D12, D13: the overall code of two updates follows the one rule`(
    first: OperationResultCode, second: OperationResultCode
  ) {
    let codes = [first, second]
    let natural = OperationResultCode.overall(of: codes, wasAborted: false)
    let aborted = OperationResultCode.overall(of: codes, wasAborted: true)
    let undone = codes.contains { $0 == .notStarted || $0 == .aborted }
    let successes = codes.count { $0 == .succeeded }
    #expect(
      natural == (successes == 2 ? .succeeded : successes == 1 ? .succeededWithErrors : .failed))
    #expect(aborted == (undone ? .aborted : natural))
    #expect(natural.isFinal && aborted.isFinal)
  }

  @Test func `a job without updates has nothing left to do and succeeded`() {
    #expect(OperationResultCode.overall(of: [], wasAborted: false) == .succeeded)
  }

  @Test func `D8, D9, D10: the numbers are the Windows Update Agent's`() {
    #expect(OperationResultCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    #expect(!OperationResultCode.notStarted.isFinal && !OperationResultCode.inProgress.isFinal)
    #expect(OperationResultCode.succeeded.rawValue == 2)
  }

  @Test(arguments: OperationResultCode.allCases)
  func `D14: a code travels as its number`(code: OperationResultCode) throws {
    let data = try JSONEncoder().encode([code])
    #expect(String(decoding: data, as: UTF8.self) == "[\(code.rawValue)]")
    #expect(try JSONDecoder().decode([OperationResultCode].self, from: data) == [code])
  }

  @Test(arguments: ["[6]", "[-1]", "[\"succeeded\"]", "[2.5]"])
  func `D14: any other number is an error, never a state`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([OperationResultCode].self, from: Data(text.utf8))
    }
  }
}
