/// The directives of a `Cache-Control` field (RFC 9111 §5.2), in order.
struct CacheControl: Hashable, Sendable {
    private struct Directive: Hashable, Sendable {
        var name: String
        var argument: String?
    }

    private var directives: [Directive] = []

    init(_ field: String?) {
        guard let field else { return }
        for member in ListField.members(of: field) {
            let equals = member.firstIndex(of: "=")
            let name = member[..<(equals ?? member.endIndex)].trimmingSpaces.lowercased()
            let argument = equals.map { ListField.unquoted(member[member.index(after: $0)...]) }
            if !name.isEmpty { directives.append(Directive(name: name, argument: argument)) }
        }
    }

    var isEmpty: Bool { directives.isEmpty }

    func has(_ name: String) -> Bool {
        directives.contains { $0.name == name }
    }

    /// Whether there is a directive that applies to the whole message, not only to listed fields.
    func hasUnqualified(_ name: String) -> Bool {
        directives.contains { $0.name == name && $0.argument?.isEmpty ?? true }
    }

    /// Returns the fields listed with a directive (`no-cache="set-cookie"`).
    func fields(of name: String) -> [String] {
        directives.filter { $0.name == name }
            .flatMap { ListField.members(of: $0.argument ?? "") }
    }

    /// Returns the seconds of a directive, the first if there are several; nil if it is missing. An invalid
    /// number counts as 0: such a response is stale.
    func seconds(_ name: String) -> Double? {
        guard let directive = directives.first(where: { $0.name == name }) else { return nil }
        return directive.argument.flatMap(Self.deltaSeconds) ?? 0
    }

    /// Like `seconds`, with infinity for a directive without an argument (`max-stale`).
    func secondsOrAny(_ name: String) -> Double? {
        guard let directive = directives.first(where: { $0.name == name }) else { return nil }
        guard let argument = directive.argument else { return .infinity }
        return Self.deltaSeconds(argument) ?? 0
    }

    /// Parses delta seconds (§1.2.2): digits only; too large values count as 2^31.
    static func deltaSeconds(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        let most = 1 << 31
        return Double(text.utf8.reduce(0) { min(most, $0 * 10 + Int($1 - 0x30)) })
    }
}

/// Fields that are comma-separated lists (RFC 9110 §5.6.1) with possibly quoted members.
enum ListField {
    /// Returns the members without surrounding spaces, and without empty ones.
    static func members(of field: some StringProtocol) -> [String] {
        var members: [String] = []
        var member: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        for byte in field.utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                members.append(String(decoding: member, as: UTF8.self).trimmingSpaces)
                member.removeAll(keepingCapacity: true)
                continue
            }
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            member.append(byte)
        }
        members.append(String(decoding: member, as: UTF8.self).trimmingSpaces)
        return members.filter { !$0.isEmpty }
    }

    /// Returns a token unchanged, or a quoted string without its quotes and backslashes.
    static func unquoted(_ text: some StringProtocol) -> String {
        let text = text.trimmingSpaces
        guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
