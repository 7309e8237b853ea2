import Dispatch
import FoundationEssentials

extension HTTPCookieStorage {
    /// Stores the cookies of a task's response.
    public func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
        guard let request = task.currentRequest, let url = request.url else { return }
        setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }

    /// Calls a handler on the session's delegate queue with the cookies that a task would send.
    public func getCookiesFor(
        _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
    ) {
        let found = task.currentRequest.flatMap { request in
            request.url.map { cookies(for: $0, mainDocumentURL: request.mainDocumentURL) }
        }
        task.session.callbackQueue.async { completionHandler(found) }
    }

    /// Returns the cookies that a task would send.
    public func cookies(for task: URLSessionTask) async -> [HTTPCookie]? {
        await withCheckedContinuation { continuation in
            getCookiesFor(task) { continuation.resume(returning: $0) }
        }
    }
}
