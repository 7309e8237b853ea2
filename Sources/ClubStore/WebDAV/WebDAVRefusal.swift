import FoundationEssentials

/// An answer by which a WebDAV server refuses a request.
struct WebDAVRefusal: HTTPRefusal, Hashable {
    var status: Int
    var method: String

    /// The body's beginning: sometimes XML, mostly HTML.
    var words: String

    /// The server's wish.
    var retryAfter: Duration?

    /// What the retry policy makes of it.
    var failure: RetryPolicy.Failure { .status(status, retryAfter: retryAfter) }

    /// What it means where nothing more is known of what was asked.
    var code: StoreError.Code {
        switch status {
        case 401: .unauthorized
        case 402, 403, 451: isAboutName ? .nameNotAllowed : .forbidden
        case 404, 410: .notFound
        // There is a server, but it does not speak WebDAV here.
        case 405, 501: method == "PROPFIND" || method == "REPORT" ? .badAnswer : .forbidden
        case 408: .timedOut
        // By the standard, a folder is missing above it; writers have made it by then.
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

    /// Nextcloud names the class of what went wrong.
    private var isAboutName: Bool {
        words.contains("InvalidPath") || words.contains("InvalidCharacter")
            || words.contains("Forbidden filename")
    }

    func error(during operation: StoreError.Operation, at path: RemotePath?) -> StoreError {
        let code: StoreError.Code =
            switch (self.code, operation) {
            // The followed folder is gone: listing anew will tell.
            case (.notFound, .changes), (.notFound, .waitForChanges): .cursorReset
            // Nothing was asked for that could be missing, not even the folder, which would have been
            // made: this is no club.
            case (.notFound, .account), (.notFound, .put), (.notFound, .upload),
                (.notFound, .createFolder):
                .badAnswer
            // Without a condition, none can be unmet; what is there is looked at by whoever sets one.
            case (.conflict, .delete): .refused
            // Only writes are refused because of what is there.
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
    /// The status by which a WebDAV server refused, if that is what happened.
    var webDAVStatus: Int? { (underlying as? WebDAVRefusal)?.status }

    /// Whether a condition on what is there was not met.
    var isUnmetCondition: Bool { webDAVStatus == 412 }
}
