import FoundationEssentials

/// An error response of a WebDAV server.
struct WebDAVRefusal: HTTPRefusal, Hashable {
    var status: Int
    var method: String

    /// The beginning of the body: sometimes XML, mostly HTML.
    var words: String

    /// The message of a `DAV:error` body; else the words.
    var sentence: String { WebDAVErrorMessage.find(in: words) ?? words }

    /// The server's `Retry-After`.
    var retryAfter: Duration?

    /// The server's `WWW-Authenticate`, without secrets.
    var challenges: String?

    /// The failure as the retry policy classifies it.
    var failure: RetryPolicy.Failure { .status(status, retryAfter: retryAfter) }

    /// The error code without knowledge of the request.
    var code: StoreError.Code {
        switch status {
        case 401: .unauthorized
        case 402, 403, 451: isAboutName ? .nameNotAllowed : .forbidden
        case 404, 410: .notFound
        // There is a server, but it does not speak WebDAV here.
        case 405, 501: method == "PROPFIND" || method == "REPORT" ? .badAnswer : .forbidden
        case 408: .timedOut
        // According to the standard, a parent folder is missing; writers have created it
        // by then.
        case 409: .refused
        case 412: .conflict(serverRevision: nil)
        case 413: .tooLarge
        case 414: .nameNotAllowed
        case 423: .locked
        case 425, 502, 503, 504: .serverUnavailable(retryAfter: retryAfter)
        case 429, 509: .rateLimited(retryAfter: retryAfter)
        case 507: .overQuota
        case 511: .badAnswer
        case 400..<500: isAboutName ? .nameNotAllowed : .badRequest
        case 500..<600: .serverError
        default: .badAnswer
        }
    }

    /// Nextcloud names the exception's class.
    private var isAboutName: Bool {
        words.contains("InvalidPath") || words.contains("InvalidCharacter")
            || words.contains("Forbidden filename")
    }

    func error(during operation: StoreError.Operation, at path: RemotePath?) -> StoreError {
        let code: StoreError.Code =
            switch (self.code, operation) {
            // The followed folder is gone: listing again reports that.
            case (.notFound, .changes), (.notFound, .waitForChanges): .cursorReset
            // The request names nothing that could be missing, and the folder would have been
            // created: this is not a club.
            case (.notFound, .account), (.notFound, .put), (.notFound, .upload),
                (.notFound, .createFolder):
                .badAnswer
            // Without a condition, none can fail; callers that set one check the current state.
            case (.conflict, .delete): .refused
            // Only writes are rejected because of what exists.
            case (.refused, _) where !operation.isWrite: .badAnswer
            case (.conflict, .list), (.conflict, .metadata), (.conflict, .fetch),
                (.conflict, .account), (.conflict, .changes), (.conflict, .waitForChanges),
                (.conflict, .thumbnail), (.conflict, .download), (.conflict, .search):
                .badAnswer
            case (.timedOut, .waitForChanges): .serverUnavailable(retryAfter: nil)
            case (let code, _): code
            }
        return StoreError(
            code, during: operation, at: path, detail: "\(status) to \(method): \(words)",
            underlying: self)
    }
}

extension StoreError {
    /// The status of the WebDAV server's error response, if there was one.
    var webDAVStatus: Int? { (underlying as? WebDAVRefusal)?.status }

    /// The `WWW-Authenticate` of a WebDAV server that has refused the credentials.
    package var authenticationChallenges: String? {
        guard let refusal = underlying as? WebDAVRefusal, refusal.status == 401 else { return nil }
        return refusal.challenges
    }

    /// The error of a request without conditions: a 412 to it does not mean that one failed.
    var ofUnconditional: StoreError {
        guard webDAVStatus == 412 else { return self }
        var error = self
        error.code = .badAnswer
        return error
    }

    /// Whether a precondition of a write failed. What only reads has none that could fail.
    var isPreconditionFailed: Bool {
        guard let refusal = underlying as? WebDAVRefusal else { return false }
        return refusal.status == 412
            && !["PROPFIND", "REPORT", "GET", "HEAD"].contains(refusal.method)
    }
}
