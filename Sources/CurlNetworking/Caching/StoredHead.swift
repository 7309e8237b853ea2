import FoundationEssentials

/// Everything that a cache stores of a response except its body.
struct StoredHead: Hashable, Sendable {
    var url: URL
    var status: Int
    var headers: HTTPHeaderFields
    /// The values of the request's fields that `Vary` lists.
    var variant: Variant
    /// When the request was sent, and when the head of its response was received.
    var requestTime: Date
    var responseTime: Date
    /// What a program has attached to the response.
    var userInfo: StoredUserInfo?

    /// Distinguishes the variants of one URL (RFC 9111 §4.1).
    struct Variant: Hashable, Sendable {
        /// Ordered by lower-case name; empty and absent fields are equal.
        var fields: [Field] = []

        struct Field: Hashable, Sendable {
            var name: String
            var value: String
        }

        /// Creates a variant.
        ///
        /// - Parameter vary: The response's `Vary` field.
        init(vary: String?, request: HTTPHeaderFields) {
            let names = Set(ListField.members(of: vary ?? "").map { $0.lowercased() })
            fields = names.sorted().map {
                Field(name: $0, value: request[$0].map(Self.normalized) ?? "")
            }
        }

        init(fields: [Field]) {
            self.fields = fields
        }

        /// `Vary: *`: no other request matches.
        var isUnique: Bool { fields.contains { $0.name == "*" } }

        /// - Parameter field: In lower case.
        func names(_ field: String) -> Bool { fields.contains { $0.name == field } }

        func matches(_ request: HTTPHeaderFields) -> Bool {
            !isUnique
                && fields.allSatisfy {
                    $0.value == request[$0.name].map(Self.normalized) ?? ""
                }
        }

        /// Lists are equal regardless of spaces around their commas.
        private static func normalized(_ value: String) -> String {
            ListField.members(of: value).joined(separator: ", ")
        }
    }

    init(
        url: URL, status: Int, headers: HTTPHeaderFields, request: HTTPHeaderFields,
        requestTime: Date, responseTime: Date
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        variant = Variant(vary: headers["Vary"], request: request)
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    init(
        url: URL, status: Int, headers: HTTPHeaderFields, variant: Variant, requestTime: Date,
        responseTime: Date
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        self.variant = variant
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    var cacheControl: CacheControl { CacheControl(headers["Cache-Control"]) }
    var entityTag: String? { headers["ETag"].flatMap { $0.isEmpty ? nil : $0 } }
    var lastModified: String? { headers["Last-Modified"].flatMap { $0.isEmpty ? nil : $0 } }
    var hasValidator: Bool { entityTag != nil || lastModified != nil }
}

// MARK: - Age and freshness (RFC 9111 §4.2), in seconds

extension StoredHead {
    /// The response's date; without a valid one, when it was received.
    var date: Date {
        headers["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
    }

    /// The time since the origin created or confirmed it (§4.2.3).
    func age(at now: Date) -> Double {
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let resident = now.timeIntervalSince(responseTime)
        // The clock was set back, so the age is unknown.
        guard resident > -60 else { return .infinity }
        return max(apparent, saidAge + delay) + max(0, resident)
    }

    /// The value of `Age`: its first member, if that is a number (§5.1).
    private var saidAge: Double {
        let first = headers["Age"]?.split(separator: ",", omittingEmptySubsequences: false).first
        return first.flatMap { CacheControl.deltaSeconds($0.trimmingSpaces) } ?? 0
    }

    /// How long it is fresh (§4.2.1).
    var lifetime: Double {
        let control = cacheControl
        if let seconds = control.seconds("max-age") { return seconds }
        if let expires = headers["Expires"] {
            guard let end = HTTPDate.parse(expires.trimmingSpaces, now: responseTime) else {
                return 0
            }
            return max(0, end.timeIntervalSince(date))
        }
        return heuristicLifetime(control)
    }

    /// A tenth of the time since its last modification, at most a week (§4.2.2).
    private func heuristicLifetime(_ control: CacheControl) -> Double {
        guard Self.heuristicStatuses.contains(status) || control.has("public"),
            let modified = lastModified.flatMap({
                HTTPDate.parse($0.trimmingSpaces, now: responseTime)
            })
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, 7 * 86_400)
    }

    /// Statuses that can be stored without explicit permission (RFC 9110 §15.1), except for 206, which is
    /// never stored.
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    func isFresh(at now: Date) -> Bool {
        lifetime > age(at: now)
    }
}
