import ClubLibrary
import ClubStore
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
                status.nextAttempt = Date(timeIntervalSince1970: number)
                status.reason = "Why."
                let item = TransferItem(order: order, status: status)
                #expect(!item.words(at: Date()).isEmpty)
                #expect(!item.stateWord.isEmpty)
                #expect((0...1).contains(item.fraction))
            }
        }
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
