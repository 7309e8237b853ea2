/// Which answers are kept (RFC 9111 §3), by a cache that serves one user.
enum CacheStorability {
    static func mayStore(_ head: StoredHead, for request: URLRequest) -> Bool {
        // Without a lifetime or a validator it would never be of use.
        isAllowed(head, for: request)
            && (head.lifetime > 0
                || head.hasValidator && isExplicitOrHeuristic(head, head.cacheControl))
    }

    /// Whether a delegate is shown an answer that may be kept but would be of no use: it may know for how
    /// long it is good, and put that into the answer's fields.
    static func mayPropose(_ head: StoredHead, for request: URLRequest) -> Bool {
        isAllowed(head, for: request) && (200...299).contains(head.status)
    }

    private static func isAllowed(_ head: StoredHead, for request: URLRequest) -> Bool {
        guard request.method == "GET", request.headers["Range"] == nil,
            isFinal(head.status), !head.variant.isUnique,
            !CacheDecision.requestControl(of: request).has("no-store")
        else { return false }
        let control = head.cacheControl
        return control.has("must-understand")
            ? understoodStatuses.contains(head.status) : !control.has("no-store")
    }

    /// Parts of a body (206) and news of a stored one (304) are no answers to keep. 401 and 407 would
    /// hide the answer that comes once somebody has logged in.
    private static func isFinal(_ status: Int) -> Bool {
        (200...599).contains(status) && ![206, 304, 401, 407].contains(status)
    }

    private static func isExplicitOrHeuristic(_ head: StoredHead, _ control: CacheControl) -> Bool {
        StoredHead.heuristicStatuses.contains(head.status) || control.has("public")
            || control.has("private") || control.has("max-age") || head.headers["Expires"] != nil
    }

    private static let understoodStatuses = StoredHead.heuristicStatuses.union([302, 303, 307])
}
