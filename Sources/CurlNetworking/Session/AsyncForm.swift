import Synchronization

/// Calls a delegate method that exists in two forms: with a completion handler and as `async`. A delegate
/// implements one form or none. The session calls the form with a handler, whose default implementation tries
/// the other:
///
/// ```swift
/// AsyncForm.ask { await self.urlSession(…) } answer: { … } otherwise: { there is no method for it }
/// ```
///
/// Swift cannot tell whether a method is the default implementation, so the default `async` form reports that
/// itself. Nothing suspends in that case: without an `async` method, everything happens within the call.
enum AsyncForm {
    private final class Gap: Sendable {
        let isThere = Mutex(false)
    }

    @TaskLocal private static var gap: Gap?

    static func ask<Answer: Sendable>(
        _ question: @escaping @Sendable () async -> Answer,
        answer: @escaping @Sendable (Answer) -> Void, otherwise: @escaping @Sendable () -> Void
    ) {
        let gap = Gap()
        Task.immediate {
            let found = await $gap.withValue(gap) { await question() }
            if gap.isThere.withLock({ $0 }) { otherwise() } else { answer(found) }
        }
    }

    /// Returned by the default `async` forms: reports that there is no method, and returns a value that is
    /// ignored.
    static func isMissing<Answer>(_ answer: Answer) -> Answer {
        gap?.isThere.withLock { $0 = true }
        return answer
    }
}
