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
        /// Whose method is looked for, and which: a method that is there may itself call a default form.
        let delegate: ObjectIdentifier
        let method: String

        init(_ delegate: AnyObject, _ method: String) {
            self.delegate = ObjectIdentifier(delegate)
            self.method = method
        }
    }

    @TaskLocal private static var gap: Gap?

    /// - Parameter method: The form with a handler, as `urlSession(_:didReceive:completionHandler:)`.
    static func ask<Answer: Sendable>(
        _ delegate: AnyObject, _ method: String = #function,
        _ question: @escaping @Sendable () async -> Answer,
        answer: @escaping @Sendable (Answer) -> Void, otherwise: @escaping @Sendable () -> Void
    ) {
        let gap = Gap(delegate, asyncName(of: method))
        Task.immediate {
            let found = await $gap.withValue(gap) { await question() }
            if gap.isThere.withLock({ $0 }) { otherwise() } else { answer(found) }
        }
    }

    /// Returned by the default `async` forms: reports that there is no method, and returns a value that is
    /// ignored.
    static func isMissing<Answer>(
        _ answer: Answer, in delegate: AnyObject, _ method: String = #function
    ) -> Answer {
        if let gap, gap.delegate == ObjectIdentifier(delegate), gap.method == method {
            gap.isThere.withLock { $0 = true }
        }
        return answer
    }

    private static func asyncName(of method: String) -> String {
        switch method {
        case "urlSession(_:task:needNewBodyStream:)": "urlSession(_:needNewBodyStreamForTask:)"
        case "urlSession(_:task:needNewBodyStreamFrom:completionHandler:)":
            "urlSession(_:needNewBodyStreamForTask:from:)"
        default: method.replacing("completionHandler:", with: "")
        }
    }
}
