// Two of these are equal when they are the same, as Apple's objects are that do not say otherwise.

extension URLSession: Hashable {
    public static func == (one: URLSession, other: URLSession) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension URLSessionConfiguration: Hashable {
    public static func == (one: URLSessionConfiguration, other: URLSessionConfiguration) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension URLAuthenticationChallenge: Hashable {
    public static func == (one: URLAuthenticationChallenge, other: URLAuthenticationChallenge)
        -> Bool
    {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension URLSessionTaskMetrics: Hashable {
    public static func == (one: URLSessionTaskMetrics, other: URLSessionTaskMetrics) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension URLSessionTaskTransactionMetrics: Hashable {
    public static func == (
        one: URLSessionTaskTransactionMetrics, other: URLSessionTaskTransactionMetrics
    ) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
