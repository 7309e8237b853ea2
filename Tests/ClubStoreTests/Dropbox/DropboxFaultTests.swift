import ClubStore
import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

/// Servers that are slow, failing, gone, or not Dropbox.
@Suite struct DropboxFaultTests {
    private let listing = [LoopbackStep].json(#"{"entries":[],"cursor":"c","has_more":false}"#)

    @Test func waitsAsLongAsItIsToldAndAsksAgain() async throws {
        let busy = [LoopbackStep.answer("429 Too Many Requests", ["Retry-After: 3"])]
        let dropbox = try ScriptedDropbox([busy, busy, listing])
        _ = try await dropbox.store.list(.root)
        #expect(dropbox.waits == [.seconds(3), .seconds(3)])
    }

    @Test func tellsThatItWaitsBeforeItTriesAgain() async throws {
        let dropbox = try ScriptedDropbox([
            [.answer("429 Too Many Requests", ["Retry-After: 3"])],
            [.answer("503 Service Unavailable", ["Retry-After: 2"])], listing,
        ])
        let notices = Mutex<[RetryNotice]>([])
        try await RetryNotice.$observer.withValue({ notice in
            // On a slow machine the server may seem to be silent, too.
            if case .silent = notice.reason { return }
            notices.withLock { $0.append(notice) }
        }) {
            _ = try await dropbox.store.list(.root)
        }
        #expect(
            notices.withLock { $0 } == [
                RetryNotice(reason: .busy, wait: .seconds(3)),
                RetryNotice(reason: .unavailable, wait: .seconds(2)),
            ])
    }

    @Test func givesUpOnAServerThatAsksForAnHour() async throws {
        let dropbox = try ScriptedDropbox([
            [.answer("429 Too Many Requests", ["Retry-After: 3600"])]
        ])
        let error = await failure {
            _ = try await dropbox.store.list(.root)
        }
        #expect(error?.code == .rateLimited(retryAfter: .seconds(3600)))
        #expect(dropbox.waits.isEmpty)
        #expect(dropbox.requests.count == 1)
    }

    @Test func repeatsAServerErrorAFewTimes() async throws {
        let broken = [LoopbackStep.answer("500 Internal Server Error", body: "oops")]
        let dropbox = try ScriptedDropbox([broken, broken, broken, broken, listing])
        _ = try await dropbox.store.list(.root)
        #expect(dropbox.waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        let hopeless = try ScriptedDropbox([broken])
        await expectFailure(.serverError) { _ = try await hopeless.store.list(.root) }
        #expect(hopeless.requests.count == 5)
    }

    @Test func aBrokenConnectionIsTriedOnceMore() async throws {
        let dropbox = try ScriptedDropbox([[.close], listing])
        _ = try await dropbox.store.list(.root)
        let hopeless = try ScriptedDropbox([[.close]])
        await expectFailure(.offline) { _ = try await hopeless.store.list(.root) }
        #expect(hopeless.requests.count == 2)
    }

    @Test func aMoveIsNotRepeatedWhenItMayHaveArrived() async throws {
        let dropbox = try ScriptedDropbox([[.close]])
        await expectFailure(.offline) {
            _ = try await dropbox.store.move(path("/a"), to: path("/b"))
        }
        #expect(dropbox.routes.count { $0 == "files/move_v2" } == 1)
    }

    @Test func aTruncatedBodyIsNoAnswer() async throws {
        let half = [
            LoopbackStep.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"entr"), .close,
        ]
        let dropbox = try ScriptedDropbox([half])
        await expectFailure(.offline) { _ = try await dropbox.store.list(.root) }
        let cutJSON = try ScriptedDropbox([.json(#"{"entries":[{".tag":"file","name":"#)])
        await expectFailure(.badAnswer) { _ = try await cutJSON.store.list(.root) }
    }

    @Test func whatIsNotHTTPIsABadAnswer() async throws {
        let dropbox = try ScriptedDropbox([[.send("SSH-2.0-OpenSSH_9.2p1 Debian\r\n"), .close]])
        await #expect(throws: StoreError.self) { _ = try await dropbox.store.list(.root) }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        let dropbox = try ScriptedDropbox([
            [.answer("302 Found", ["Location: http://elsewhere.invalid/login"])]
        ])
        await expectFailure(.badAnswer) { _ = try await dropbox.store.list(.root) }
        #expect(dropbox.requests.count == 1)
    }

    @Test func nothingAnsweringIsOffline() async throws {
        let dropbox = try ScriptedDropbox([listing])
        dropbox.server.stop()
        await expectFailure(.offline) { _ = try await dropbox.store.list(.root) }
        #expect(dropbox.waits == [.milliseconds(200)])
    }

    @Test func aServerThatCanBeRevivedIs() async throws {
        let access = ScriptedAccess(tokens: ["t"])
        let dropbox = try ScriptedDropbox([listing], access: access)
        dropbox.server.stop()
        await expectFailure(.offline) { _ = try await dropbox.store.list(.root) }
        #expect(access.revivals == 1)
    }

    @Test func anExpiredTokenIsRenewedOnce() async throws {
        let expired = [LoopbackStep].refusal(
            #"{".tag":"expired_access_token"}"#, status: "401 Unauthorized")
        let access = ScriptedAccess(tokens: ["old", "new", "newest"])
        let dropbox = try ScriptedDropbox([expired, listing], access: access)
        _ = try await dropbox.store.list(.root)
        #expect(dropbox.requests.map { $0["Authorization"] } == ["Bearer old", "Bearer new"])
        #expect(access.renewals == [.init(rejected: "old", isExpired: true)])

        let hopeless = try ScriptedDropbox(
            [expired], access: ScriptedAccess(tokens: ["a", "b", "c"]))
        await expectFailure(.unauthorized) { _ = try await hopeless.store.list(.root) }
        #expect(hopeless.requests.count == 2)
    }

    @Test func aTokenThatNobodyCanRenewIsUnauthorizedAtOnce() async throws {
        let invalid = [LoopbackStep].refusal(
            #"{".tag":"invalid_access_token"}"#, status: "401 Unauthorized")
        let dropbox = try ScriptedDropbox([invalid])
        await expectFailure(.unauthorized) { _ = try await dropbox.store.list(.root) }
        #expect(dropbox.requests.count == 1)
    }

    @Test func fetchTakesNoMoreThanItShould() async throws {
        let huge = [
            LoopbackStep.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\nDropbox-API-Result: {}\r\n\r\n"),
            .stall,
        ]
        let dropbox = try ScriptedDropbox([huge])
        await expectFailure(.tooLarge) { _ = try await dropbox.store.fetch(path("/a")) }
    }

    @Test func anAnswerWithoutAnEndIsCutOff() async throws {
        let endless = [
            LoopbackStep.send("HTTP/1.1 200 OK\r\n\r\n"), .fill(0x20, byteCount: 40 << 20), .close,
        ]
        let dropbox = try ScriptedDropbox([endless])
        await expectFailure(.tooLarge) { _ = try await dropbox.store.list(.root) }
    }

    @Test func bytesThatAreNotThoseAnnouncedAreDamaged() async throws {
        let text = Data("text".utf8)
        let other = FileMetadata.named("/a", data: Data("tixt".utf8))
        let dropbox = try ScriptedDropbox([.bytes(text, of: other)])
        await expectFailure(.damaged) { _ = try await dropbox.store.fetch(path("/a")) }
    }

    @Test func aConflictTellsWhatIsThere() async throws {
        let conflict = [LoopbackStep].refusal(
            #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file"}},"upload_session_id":"u"}"#
        )
        let present = [LoopbackStep].json(Metadata.file(.named("/a", revision: "fedcba9876")))
        let dropbox = try ScriptedDropbox([conflict, present])
        let error = await failure {
            _ = try await dropbox.store.put(Data(), at: path("/a"), mode: .add)
        }
        #expect(error?.code == .conflict(serverRevision: Revision(rawValue: "fedcba9876")))
    }

    @Test func cancellingEndsARequestAtOnce() async throws {
        let dropbox = try ScriptedDropbox([[.stall]])
        let listing = Task { try await dropbox.store.list(.root) }
        await dropbox.server.requests(atLeast: 1)
        listing.cancel()
        await expectFailure(.cancelled) { _ = try await listing.value }
        await dropbox.server.end(ofConnection: 0)
    }
}

/// Returns tokens one after another.
final class ScriptedAccess: AccessProvider {
    struct Renewal: Hashable, Sendable {
        var rejected: String
        var isExpired: Bool
    }

    private struct State {
        var tokens: [String]
        var renewals: [Renewal] = []
        var revivals = 0
    }

    private let state: Mutex<State>

    init(tokens: [String]) {
        state = Mutex(State(tokens: tokens))
    }

    var renewals: [Renewal] { state.withLock { $0.renewals } }
    var revivals: Int { state.withLock { $0.revivals } }

    func accessToken() async -> String { state.withLock { $0.tokens[0] } }

    func accessToken(replacing rejected: String, isExpired: Bool) async -> String? {
        state.withLock { state in
            state.renewals.append(Renewal(rejected: rejected, isExpired: isExpired))
            state.tokens.removeFirst()
            return state.tokens.first
        }
    }

    func reviveServer() async {
        state.withLock { $0.revivals += 1 }
    }
}
