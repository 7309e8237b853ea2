import Synchronization

/// A question to a delegate may be answered by a completion handler or by returning from an `async`
/// method; a delegate has one form or none. The session always calls the form with a handler, whose
/// default tries the other one:
///
/// ```swift
/// AsyncForm.ask { await self.urlSession(…) } answer: { … } otherwise: { nobody has a method for it }
/// ```
///
/// Swift cannot be asked whether a method is the default: the default `async` form says it itself.
/// Nothing is suspended for that, so where there is no `async` method all happens within the call.
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

    /// What a default `async` form returns: a value that nobody looks at.
    static func isMissing<Answer>(_ answer: Answer) -> Answer {
        gap?.isThere.withLock { $0 = true }
        return answer
    }
}
