/// What a program has noted in a request without promising that it may cross threads.
struct ForeignValue: @unchecked Sendable {
    // Unchecked because that is its maker's affair: loading never looks at it.
    let value: Any

    init(_ value: Any) {
        self.value = value
    }
}

/// What protocols of one's own have noted in a request. No part of what makes two requests equal.
struct URLProtocolProperties: Hashable, Sendable {
    var values: [String: any Sendable] = [:]

    static func == (one: URLProtocolProperties, other: URLProtocolProperties) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
