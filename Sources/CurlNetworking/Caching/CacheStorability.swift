/// Which responses can be stored (RFC 9111 §3) by a private cache.
enum CacheStorability {
    static func mayStore(_ head: StoredHead, for request: URLRequest) -> Bool {
        // Without a lifetime or a validator it could never be used.
        isAllowed(head, for: request)
            && (head.lifetime > 0
                || head.hasValidator && isExplicitOrHeuristic(head, head.cacheControl))
    }

    /// Whether a delegate is asked about a response that could be stored but not used: it can add a lifetime
    /// to the response's fields.
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

    /// Partial responses (206) and confirmations (304) cannot be stored. A stored 401 or 407 would hide the
    /// response after authentication.
    private static func isFinal(_ status: Int) -> Bool {
        (200...599).contains(status) && ![206, 304, 401, 407].contains(status)
    }

    private static func isExplicitOrHeuristic(_ head: StoredHead, _ control: CacheControl) -> Bool {
        StoredHead.heuristicStatuses.contains(head.status) || control.has("public")
            || control.has("private") || control.has("max-age") || head.headers["Expires"] != nil
    }

    private static let understoodStatuses = StoredHead.heuristicStatuses.union([302, 303, 307])
}
