import Dispatch
import FoundationEssentials

extension HTTPCookieStorage {
    /// Stores cookies as those of a task's answer.
    public func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
        guard let url = task.currentRequest?.url else { return }
        setCookies(cookies, for: url, mainDocumentURL: nil)
    }

    /// Calls back, on the session's delegate queue, with the cookies a task would send.
    public func getCookiesFor(
        _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
    ) {
        let found = task.currentRequest?.url.flatMap { cookies(for: $0) }
        task.session.delegateQueue.async { @Sendable in completionHandler(found) }
    }
}
