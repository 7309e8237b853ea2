/// A value that a program has attached to a request, and that need not be Sendable.
struct ForeignValue: @unchecked Sendable {
    // Unchecked because the program is responsible for it; loading never reads it.
    let value: Any

    init(_ value: Any) {
        self.value = value
    }
}

/// The properties that URL protocols have attached to a request. They are ignored when requests are compared.
struct URLProtocolProperties: Hashable, Sendable {
    var values: [String: any Sendable] = [:]

    static func == (one: URLProtocolProperties, other: URLProtocolProperties) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
