import ClubStore
import Foundation
import Testing

@testable import ClubAccess

@Suite struct ClubChecksTests {
    private let account = Account(displayName: "Ada", usedBytes: 50, allocatedBytes: 100)

    @Test func aClubThatAnswersIsFine() {
        let diagnostic = ClubChecks.connection(
            .success(account), took: .milliseconds(42), club: "work", kind: .remote)
        #expect(diagnostic.severity == .fine)
        #expect(diagnostic.text == "The club “work” answers as Ada, in 42 ms.")
    }

    @Test(arguments: StoreError.Code.allCases)
    func whateverIsWrongWithAClubIsSaidWithWhatToDo(_ code: StoreError.Code) {
        let diagnostic = ClubChecks.connection(
            .failure(StoreError(code, during: .account)), took: .zero, club: "work", kind: .remote)
        #expect(diagnostic.severity == .problem)
        #expect(diagnostic.text.contains("“work”"))
        #expect(diagnostic.advice?.isEmpty == false)
    }

    @Test func aServerThatOverwritesAnythingIsNoticed() {
        #expect(ClubChecks.writing(.byServer).severity == .fine)
        #expect(ClubChecks.writing(.byCheckingFirst).severity == .notice)
    }

    @Test(arguments: [
        (Int64(50), Int64?(100), Diagnostic.Severity.fine), (50, nil, .fine), (95, 100, .notice),
        (100, 100, .problem), (120, 100, .problem), (0, 0, .fine),
    ]) func roomIsCounted(_ used: Int64, _ allocated: Int64?, _ severity: Diagnostic.Severity) {
        let account = Account(displayName: "", usedBytes: used, allocatedBytes: allocated)
        #expect(ClubChecks.quota(account).severity == severity)
    }

    @Test(arguments: [
        (0.0, Diagnostic.Severity.fine), (59, .fine), (-59, .fine), (90, .notice), (-200, .notice),
        (3600, .problem), (-90_000, .problem), (1e300, .problem),
    ]) func clocksAreCompared(_ ahead: TimeInterval, _ severity: Diagnostic.Severity) {
        let diagnostic = ClubChecks.clock(lead: ahead)
        #expect(diagnostic.severity == severity)
        if ahead == 3600 { #expect(diagnostic.text.contains("60 minutes ahead of the club's")) }
        if ahead == -90_000 { #expect(diagnostic.text.contains("25 hours behind")) }
    }

    @Test func aClubThatDoesNotTellTheTimeIsNotCompared() {
        #expect(ClubChecks.clock(lead: nil).severity == .notice)
    }
}
