import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Faults between a store and its server, for each call of each adapter.
@Suite struct AdapterFaultTests {
    enum Adapter: String, CaseIterable, Sendable {
        case dropbox, webDAV
    }

    /// A store with a server that now follows a script.
    private struct Faulty: Sendable {
        let store: any RemoteStore
        let cursor: Cursor
        let server: LoopbackServer

        init(
            _ adapter: Adapter, timeout: Duration = .seconds(60), hasListed: Bool = true,
            answering: @escaping @Sendable (LoopbackRequest) -> [LoopbackStep]
        ) async throws {
            switch adapter {
            case .dropbox:
                let dropbox = try ScriptedDropbox(
                    configure: { $0.timeout = timeout }, answering: answering)
                (store, server) = (dropbox.store, dropbox.server)
                cursor = Cursor(rawValue: "c")
            case .webDAV:
                let isFaulty = Mutex(false)
                let standIn = try WebDAVStandIn(
                    .init(interception: { isFaulty.withLock { $0 } ? answering($0) : nil }),
                    credentials: .password(user: "ann", password: "secret")
                ) { $0.timeout = timeout }
                (store, server) = (standIn.store, standIn.server)
                cursor =
                    hasListed ? try await store.list(.root).cursor : Cursor(rawValue: "c")
                isFaulty.withLock { $0 = true }
            }
        }
    }

    /// Captive portal pages.
    private static let page = "<html><body>Please accept our terms</body></html>"

    @Test(arguments: Adapter.allCases, ["200 OK", "203 Non-Authoritative Information", "511 X"])
    func aPageOfTheNetworkIsNoAnswer(_ adapter: Adapter, _ status: String) async throws {
        for call in StoreCall.all {
            let faulty = try await Faulty(adapter) { _ in
                [.answer(status, ["Content-Type: text/html"], body: Self.page)]
            }
            await call.expectFailure(.badAnswer, of: faulty.store, faulty.cursor)
        }
    }

    @Test(arguments: Adapter.allCases, ["301 A", "302 B", "303 C", "307 D", "308 E"])
    func nobodyElseIsToldWhoIsThere(_ adapter: Adapter, _ status: String) async throws {
        let other = try LoopbackServer { _ in
            [.answer("200 OK", ["Content-Type: text/html"], body: Self.page)]
        }
        let elsewhere = other.url("/elsewhere").absoluteString
        for call in StoreCall.all {
            let faulty = try await Faulty(adapter) { _ in
                [.answer(status, ["Location: \(elsewhere)"])]
            }
            await call.expectFailure(.badAnswer, of: faulty.store, faulty.cursor)
        }
        // Downloads may be redirected to another server, which gets no credentials.
        #expect(other.requests.allSatisfy { $0.method == "GET" && adapter == .webDAV })
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil && $0["Cookie"] == nil })
    }

    @Test(arguments: Adapter.allCases)
    func withoutANetworkEachCallSaysSo(_ adapter: Adapter) async throws {
        for call in StoreCall.all {
            let faulty = try await Faulty(adapter) { _ in [.close] }
            faulty.server.stop()
            await call.expectFailure(.offline, of: faulty.store, faulty.cursor)
        }
    }

    @Test(arguments: Adapter.allCases)
    func aConnectionThatBreaksIsNoNetwork(_ adapter: Adapter) async throws {
        for call in StoreCall.all {
            let faulty = try await Faulty(adapter) { _ in [.close] }
            await call.expectFailure(.offline, of: faulty.store, faulty.cursor)
        }
    }

    @Test(arguments: Adapter.allCases)
    func aServerThatSaysNothingIsNotWaitedForForEver(_ adapter: Adapter) async throws {
        // Calls that wait for changes go on waiting: that is not a fault.
        let waiting: Set<StoreError.Operation> = [.changes, .waitForChanges]
        for call in StoreCall.all where !waiting.contains(call.operation) {
            let faulty = try await Faulty(
                adapter, timeout: .milliseconds(100), hasListed: false
            ) { _ in [.stall] }
            await call.expectFailure(.timedOut, of: faulty.store, faulty.cursor)
        }
    }

    @Test(arguments: Adapter.allCases)
    func aServerThatAsksForAPauseIsToldOfWithThePause(_ adapter: Adapter) async throws {
        for call in StoreCall.all {
            let busy = try await Faulty(adapter) { _ in
                [.answer("503 Service Unavailable", ["Retry-After: 3600"])]
            }
            let error = await call.failure(of: busy.store, busy.cursor)
            #expect(error?.code == .serverUnavailable(retryAfter: .seconds(3600)))
            let limited = try await Faulty(adapter) { _ in
                [.answer("429 Too Many Requests", ["Retry-After: 7200"])]
            }
            let other = await call.failure(of: limited.store, limited.cursor)
            #expect(other?.code == .rateLimited(retryAfter: .seconds(7200)))
        }
    }
}
