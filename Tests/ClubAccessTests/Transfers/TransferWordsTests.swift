import ClubLibrary
import ClubStore
import CurlNetworking
import Foundation
import Testing

@testable import ClubAccess

/// What a damaged record or a server says of itself is shown, whatever it is.
@Suite struct TransferWordsTests {
    @Test(arguments: [
        TransferStatus.State.waiting, .preparing, .running, .paused, .done, .failed, .cancelled,
    ])
    func numbersOutOfAllBoundsAreShown(state: TransferStatus.State) throws {
        let order = TransferOrder(
            .upload, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        for (count, total) in [(Int64.max, Int64.max), (.min, .max), (.max, 1), (0, 0)] {
            for number in [1e300, -1e300, 0, .infinity] {
                var status = TransferStatus()
                status.state = state
                (status.byteCount, status.totalByteCount) = (count, total)
                (status.bytesPerSecond, status.preparedFraction) = (number, number)
                status.silentSeconds = number
                status.nextAttempt = Date(timeIntervalSince1970: number)
                status.reason = "Why."
                let item = TransferItem(order: order, status: status)
                #expect(!item.words(at: Date()).isEmpty)
                #expect(!item.stateWord.isEmpty)
                #expect((0...1).contains(item.fraction))
            }
        }
    }

    /// A line that stands still is not one whose speed is not known yet.
    @Test func whatStandsStillSaysForHowLong() throws {
        let order = TransferOrder(
            .download, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        var status = TransferStatus()
        status.state = .running
        (status.byteCount, status.totalByteCount) = (37, 100)
        status.silentSeconds = 12
        let item = TransferItem(order: order, status: status)
        #expect(item.words(at: Date()).hasSuffix(" · no data for 12 s"))
        #expect(item.speedWords == "no data for 12 s")
        status.byteCount = 100
        let whole = TransferItem(order: order, status: status)
        #expect(!whole.words(at: Date()).contains("no data"))
    }

    /// A server that asks for an hour is quoted in minutes, not in seconds.
    @Test(arguments: [
        (89.0, "in 89 s."), (90.0, "in 2 minutes."), (3698.0, "in 62 minutes."),
        (10_000.0, "in 3 hours."),
    ])
    func aLongWaitIsSaidInMinutes(seconds: Double, words: String) throws {
        let notice = RetryNotice(reason: .busy, wait: .seconds(seconds))
        #expect(notice.sentence == "The server is busy; trying again \(words)")
        let order = TransferOrder(
            .upload, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        let now = Date()
        var status = TransferStatus()
        status.reason = "Why."
        status.nextAttempt = now.addingTimeInterval(seconds)
        let item = TransferItem(order: order, status: status)
        #expect(item.words(at: now) == "Tries again \(words) Why.")
    }

    @Test func aConnectionThatWasNotMadeDidNotBreak() throws {
        let order = TransferOrder(
            .upload, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        let now = Date()
        let notice = RetryNotice(reason: .unreachable, wait: .seconds(4))
        #expect(notice.sentence == "The club cannot be reached; trying again in 4 s.")
        var failures = [try #require(TransferFailure(notice))]
        for cause in [URLError(.cannotConnectToHost), URLError(.cannotFindHost)] {
            let error = StoreError(.offline, during: .upload, underlying: cause)
            failures.append(TransferFailure(error, club: .remote))
        }
        for failure in failures {
            var status = TransferStatus()
            status.state = .running
            status.failure = try JSONDecoder().decode(
                TransferFailure.self, from: try JSONEncoder().encode(failure))
            status.nextAttempt = now.addingTimeInterval(4)
            let item = TransferItem(order: order, status: status)
            #expect(item.words(at: now) == "The club cannot be reached; trying again in 4 s.")
        }
    }

    @Test(arguments: [TransferStatus.State.running, .preparing])
    func whatNobodyCarriesDoesNotMove(state: TransferStatus.State) throws {
        let order = TransferOrder(
            .upload, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        var status = TransferStatus()
        status.state = state
        (status.byteCount, status.totalByteCount) = (10, 100)
        (status.bytesPerSecond, status.preparedFraction) = (5, 0.5)
        let item = TransferItem(order: order, status: status).uncarried
        #expect(item.state == .waiting && item.status.byteCount == 10)
        #expect(item.words(at: Date()) == "Waits for its turn.")
        #expect(item.status.bytesPerSecond == nil && item.secondsLeft == nil)
        status.state = .failed
        let failed = TransferItem(order: order, status: status)
        #expect(failed.uncarried == failed)
    }

    /// Three rows of twenty columns, or nothing is understood.
    @Test(arguments: StoreError.Code.allCases)
    func aBriefReasonIsBrief(code: StoreError.Code) throws {
        let order = TransferOrder(
            .upload, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        var status = TransferStatus()
        status.state = .failed
        status.failure = TransferFailure(StoreError(code, during: .upload), club: .remote)
        let reason = TransferItem(order: order, status: status).briefReason
        #expect((reason?.count ?? 0) < 45)
        #expect(reason?.isEmpty != true)
    }

    /// One wait, said once: no advice to try again beside the word that it is tried again.
    @Test(arguments: [
        (StoreError.Code.rateLimited(retryAfter: .seconds(5)), "The server is busy"),
        (.serverUnavailable(retryAfter: nil), "The server is not available"),
        (.serverError, "The server failed"), (.offline, "The connection broke"),
        (.timedOut, "The connection broke"),
    ])
    func aWaitIsSaidInOneSentence(code: StoreError.Code, what: String) throws {
        let order = TransferOrder(
            .upload, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        let now = Date()
        for state in [TransferStatus.State.waiting, .running] {
            var status = TransferStatus()
            status.state = state
            (status.byteCount, status.totalByteCount) = (10, 100)
            status.note(
                TransferFailure(StoreError(code, during: .upload), club: .remote), about: order)
            status.nextAttempt = now.addingTimeInterval(30)
            let item = TransferItem(order: order, status: status)
            #expect(item.words(at: now) == "\(what); trying again in 30 s.")
            #expect(item.stateWord == "waiting")
            // The time has come.
            #expect(!item.words(at: now.addingTimeInterval(31)).contains("trying again"))
        }
    }
}
