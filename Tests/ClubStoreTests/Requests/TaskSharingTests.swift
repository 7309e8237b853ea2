import Foundation
import Testing

@testable import ClubStore

/// A caller that stops waiting for shared work goes on at once, and the work goes on for the others.
@Suite(.timeLimit(.minutes(1))) struct TaskSharingTests {
    /// Work that ends when it is told to.
    private static func heldWork() -> (work: Task<Int, Never>, end: @Sendable () -> Void) {
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        let work = Task {
            for await number in numbers { return number }
            return 0
        }
        return (work, { continuation.yield(7) })
    }

    @Test func aCancelledCallerDoesNotWait() async {
        let (work, end) = Self.heldWork()
        let cancelled = Task { await work.valueUnlessCancelled() }
        let other = Task { await work.valueUnlessCancelled() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        end()
        #expect(await other.value == 7)
    }

    @Test func aProbeThatHangsHoldsNoCancelledSave() async throws {
        let address = try #require(
            URL(string: "http://127.0.0.1/club/").flatMap { WebDAVAddress($0) })
        let probe = CapabilityProbe(file: nil, address: address)
        let (work, end) = Self.heldWork()
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let trial: @Sendable () async throws -> ServerCapabilities = {
            ask.yield()
            var found = ServerCapabilities()
            found.honorsIfMatch = await work.value == 7
            return found
        }
        let cancelled = Task {
            do throws(StoreError) {
                _ = try await probe.capabilities(trial: trial)
                return nil as StoreError.Code?
            } catch {
                return error.code
            }
        }
        for await _ in asked { break }
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        #expect(probe.known == nil)
        end()
        let found = try await probe.capabilities {
            Issue.record("The server is probed once.")
            return ServerCapabilities()
        }
        #expect(found.honorsIfMatch)
        #expect(probe.known?.honorsIfMatch == true)
    }

    @Test func aProbeThatFailedIsTriedAgain() async throws {
        let address = try #require(
            URL(string: "http://127.0.0.1/club/").flatMap { WebDAVAddress($0) })
        let probe = CapabilityProbe(file: nil, address: address)
        await #expect(throws: StoreError.self) {
            try await probe.capabilities { throw StoreError(.offline, during: .put) }
        }
        #expect(try await probe.capabilities { ServerCapabilities() }.honorsIf == false)
    }
}
