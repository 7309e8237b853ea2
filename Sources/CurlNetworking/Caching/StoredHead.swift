import FoundationEssentials

/// Everything that a cache stores of a response except its body.
struct StoredHead: Hashable, Sendable {
    var url: URL
    var status: Int
    var headers: HTTPHeaderFields
    /// The values of the request's fields that `Vary` lists, and who asked.
    var variant: Variant
    /// When the request was sent, and when the head of its response was received.
    var requestTime: Date
    var responseTime: Date
    /// What a program has attached to the response.
    var userInfo: StoredUserInfo?

    /// Distinguishes the variants of one URL (RFC 9111 §4.1).
    ///
    /// Responses of servers that answer each account differently, but without `Vary`, are told apart too: all
    /// but public ones are for the account that has asked. The value of ``accountField`` is a digest.
    struct Variant: Hashable, Sendable {
        /// Ordered by lower-case name; empty and absent fields are equal.
        var fields: [Field] = []

        struct Field: Hashable, Sendable {
            var name: String
            var value: String
        }

        static let accountField = "authorization"
        /// The value of ``accountField`` of a response that the program has stored for anybody.
        static let anyAccount = "*"
        /// The most that are kept of one URL. Credentials that change with each request, such as signatures,
        /// would fill the cache with responses that nothing matches.
        static let maximumCount = 8

        /// Creates a variant.
        ///
        /// - Parameters:
        ///   - vary: The response's `Vary` field.
        ///   - isPublic: Whether the response is for any account, unless `vary` lists `Authorization`.
        ///   - account: The account whose credential the engine has added to the request.
        init(
            vary: String?, isPublic: Bool = false, request: HTTPHeaderFields,
            account: String? = nil
        ) {
            var names = Set(ListField.members(of: vary ?? "").map { $0.lowercased() })
            if !isPublic { names.insert(Self.accountField) }
            fields = names.sorted().map {
                Field(name: $0, value: Self.value(of: $0, in: request, account: account))
            }
        }

        init(fields: [Field]) {
            self.fields = fields
        }

        /// `Vary: *`: no other request matches.
        var isUnique: Bool { fields.contains { $0.name == "*" } }

        /// - Parameter field: In lower case.
        func names(_ field: String) -> Bool { fields.contains { $0.name == field } }

        /// The account that the response is for; nil if it was requested without credentials, or is for
        /// any account.
        var account: String? {
            fields.first { $0.name == Self.accountField && !$0.value.isEmpty }?.value
        }

        /// The same variant, for an account.
        func with(account: String) -> Variant {
            Variant(
                fields: fields.map { field in
                    field.name == Self.accountField
                        ? Field(name: field.name, value: account) : field
                })
        }

        /// The same variant, for any account.
        var withoutAccount: Variant {
            Variant(fields: fields.filter { $0.name != Self.accountField })
        }

        func matches(_ request: HTTPHeaderFields, account: String? = nil) -> Bool {
            !isUnique
                && fields.allSatisfy { field in
                    field.name == Self.accountField && field.value == Self.anyAccount
                        || field.value == Self.value(of: field.name, in: request, account: account)
                }
        }

        /// The value of a request's field; empty without one.
        static func value(
            of name: String, in request: HTTPHeaderFields, account: String?
        ) -> String {
            let isAccount = name == accountField
            if isAccount, let account { return account }
            guard let value = request[name].map(normalized) else { return "" }
            return isAccount ? CacheAccount.authorization(value) : value
        }

        /// Lists are equal regardless of spaces around their commas.
        private static func normalized(_ value: String) -> String {
            ListField.members(of: value).joined(separator: ", ")
        }
    }

    /// Creates the head of a response.
    ///
    /// - Parameters:
    ///   - request: The fields of the request.
    ///   - account: The account whose credential the engine has added to the request.
    init(
        url: URL, status: Int, headers: HTTPHeaderFields, request: HTTPHeaderFields,
        account: String? = nil, requestTime: Date, responseTime: Date
    ) {
        self.url = url
        self.status = status
        self.headers = headers
        variant = Variant(
            vary: headers["Vary"], isPublic: CacheControl(headers["Cache-Control"]).has("public"),
            request: request, account: account)
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
    /// Whether it is for any account (RFC 9111 §5.2.2.9).
    var isPublic: Bool { cacheControl.has("public") }
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
