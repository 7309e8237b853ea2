import Testing

@testable import ClubStore

@Suite struct PauseTests {
    @Test func returnsAfterTheTimeAndNotBefore() async throws {
        let start = ContinuousClock.now
        try await Pause.sleep(for: .milliseconds(20))
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        try await Pause.sleep(for: .zero)
        try await Pause.sleep(for: .seconds(-1))
    }

    @Test func endsAtOnceWhenCancelled() async {
        let task = Task { try await Pause.sleep(for: .seconds(100_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func manyPausesAtATimeAllEnd() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try? await Pause.sleep(for: .milliseconds(number % 7)) }
            }
        }
    }
}
