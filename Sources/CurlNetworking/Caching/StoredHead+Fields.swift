import FoundationEssentials

extension HTTPHeaderFields {
    /// The fields without those of a single connection (RFC 9111 §3.1).
    var storable: HTTPHeaderFields {
        var fields = self
        for name in ListField.members(of: self["Connection"] ?? "") { fields[name] = nil }
        for name in Self.hopFields { fields[name] = nil }
        return fields
    }

    private static let hopFields = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
        "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]
}

extension StoredHead {
    /// Updates the fields from a 304 or the response to a HEAD (§3.2), except for those that describe the
    /// body as it was sent.
    func updated(
        by fields: HTTPHeaderFields, _ times: (request: Date, response: Date)
    ) -> StoredHead {
        var head = self
        head.headers["Age"] = nil  // it belonged to the old response
        for field in fields.storable.fields
        where !Self.bodyFields.contains(where: { $0.isEqualIgnoringASCIICase(to: field.name) }) {
            head.headers[field.name] = field.value
        }
        if fields["Date"] == nil { head.headers["Date"] = nil }
        head.requestTime = times.request
        head.responseTime = times.response
        return head
    }

    private static let bodyFields = ["Content-Length", "Content-Encoding", "Content-Range"]

    /// Returns the fields to deliver: with the response's age (§5.1), and without those that require
    /// validation first (§5.2.2.4).
    ///
    /// - Parameter isConfirmed: Whether the server has just confirmed the response.
    func fieldsForReuse(isConfirmed: Bool, at now: Date) -> HTTPHeaderFields {
        var fields = headers
        if isConfirmed { return fields }
        for name in cacheControl.fields(of: "no-cache") { fields[name] = nil }
        let age = age(at: now)
        fields["Age"] = String(Int(min(age, Double(1 << 31)).rounded(.down)))
        return fields
    }
}
