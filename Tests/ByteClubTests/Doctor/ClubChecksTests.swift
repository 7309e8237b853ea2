import ClubStore
import Foundation
import Testing

@testable import ByteClub

@Suite struct ClubChecksTests {
    private let account = Account(displayName: "Ada", usedBytes: 50, allocatedBytes: 100)

    @Test func aClubThatAnswersIsFine() {
        let finding = ClubChecks.connection(
            .success(account), took: .milliseconds(42), club: "work", kind: .remote)
        #expect(finding.verdict == .fine)
        #expect(finding.text == "The club “work” answers as Ada, in 42 ms.")
    }

    @Test(arguments: StoreError.Code.allCases)
    func whateverIsWrongWithAClubIsSaidWithWhatToDo(_ code: StoreError.Code) {
        let finding = ClubChecks.connection(
            .failure(StoreError(code, during: .account)), took: .zero, club: "work", kind: .remote)
        #expect(finding.verdict == .problem)
        #expect(finding.text.contains("“work”"))
        #expect(finding.advice?.isEmpty == false)
    }

    @Test func aServerThatOverwritesAnythingIsNoticed() {
        #expect(ClubChecks.writing(.byServer).verdict == .fine)
        #expect(ClubChecks.writing(.byLookingFirst).verdict == .notice)
    }

    @Test(arguments: [
        (Int64(50), Int64?(100), Finding.Verdict.fine), (50, nil, .fine), (95, 100, .notice),
        (100, 100, .problem), (120, 100, .problem), (0, 0, .fine),
    ]) func roomIsCounted(_ used: Int64, _ allocated: Int64?, _ verdict: Finding.Verdict) {
        let account = Account(displayName: "", usedBytes: used, allocatedBytes: allocated)
        #expect(ClubChecks.quota(account).verdict == verdict)
    }

    @Test(arguments: [
        (0.0, Finding.Verdict.fine), (59, .fine), (-59, .fine), (90, .notice), (-200, .notice),
        (3600, .problem), (-90_000, .problem), (1e300, .problem),
    ]) func clocksAreCompared(_ ahead: TimeInterval, _ verdict: Finding.Verdict) {
        let finding = ClubChecks.clock(lead: ahead)
        #expect(finding.verdict == verdict)
        if ahead == 3600 { #expect(finding.text.contains("60 minutes ahead of the club's")) }
        if ahead == -90_000 { #expect(finding.text.contains("25 hours behind")) }
    }

    @Test func aClubThatDoesNotTellTheTimeIsNotCompared() {
        #expect(ClubChecks.clock(lead: nil).verdict == .notice)
    }
}
