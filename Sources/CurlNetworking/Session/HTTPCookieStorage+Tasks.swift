import Dispatch
import FoundationEssentials

extension HTTPCookieStorage {
    /// Stores cookies as those of a task's answer.
    public func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
        guard let request = task.currentRequest, let url = request.url else { return }
        setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }

    /// Calls back, on the session's delegate queue, with the cookies a task would send.
    public func getCookiesFor(
        _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
    ) {
        let found = task.currentRequest.flatMap { request in
            request.url.map { cookies(for: $0, mainDocumentURL: request.mainDocumentURL) }
        }
        task.session.callbackQueue.async { completionHandler(found) }
    }

    /// The cookies a task would send.
    public func cookies(for task: URLSessionTask) async -> [HTTPCookie]? {
        await withCheckedContinuation { continuation in
            getCookiesFor(task) { continuation.resume(returning: $0) }
        }
    }
}
