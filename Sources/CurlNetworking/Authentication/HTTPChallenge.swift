/// A challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11).
package struct HTTPChallenge: Hashable, Sendable {
    struct Parameter: Hashable, Sendable {
        /// In lower case.
        var name: String
        /// Without quotes and escapes.
        var value: String
    }

    /// As it was sent.
    package let schemeName: String
    var token68: String?
    /// The parameters. Only the first of a name is used.
    var parameters: [Parameter] = []

    /// In lower case.
    package var scheme: String { schemeName.lowercased() }

    subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    // The maximum length of a field; larger ones are probably an attack.
    static let largestByteCount = 64 << 10
    static let mostChallenges = 32
    static let mostParameters = 64

    /// Parses all challenges of a field, or of several fields joined by commas.
    ///
    /// Invalid parts are skipped up to the next comma outside of quotes. A field that is too long has no
    /// challenges.
    package static func parse(_ field: String) -> [HTTPChallenge] {
        parse(Array(field.utf8))
    }

    static func parse(_ bytes: [UInt8]) -> [HTTPChallenge] {
        guard bytes.count <= largestByteCount else { return [] }
        var scanner = FieldScanner(bytes)
        var found: [HTTPChallenge] = []
        while scanner.nextItem() != nil {
            guard let word = scanner.token() else {
                scanner.skipItem()
                continue
            }
            if let last = found.indices.last, found[last].token68 == nil,
                case .value(let value) = scanner.assignment()
            {
                scanner.skipItem()
                if let value { found[last].add(word, value) }
            } else if let challenge = scanner.challenge(of: word) {
                guard found.count < mostChallenges else { break }
                found.append(challenge)
            } else {
                scanner.skipItem()
            }
        }
        return found
    }

    /// Parses a list of parameters without a scheme, as in `Authentication-Info`.
    static func parseParameters(_ field: String) -> [Parameter] {
        let bytes = Array(field.utf8)
        guard bytes.count <= largestByteCount else { return [] }
        var scanner = FieldScanner(bytes)
        var list = HTTPChallenge(schemeName: "")
        while scanner.nextItem() != nil {
            if let word = scanner.token(), case .value(let value?) = scanner.assignment() {
                list.add(word, value)
            }
            scanner.skipItem()
        }
        return list.parameters
    }

    private mutating func add(_ name: String, _ value: String) {
        let name = name.lowercased()
        guard parameters.count < Self.mostParameters, self[name] == nil else { return }
        parameters.append(Parameter(name: name, value: value))
    }
}

/// Parses a field byte by byte.
private struct FieldScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }
    private var isAtItemEnd: Bool { current == nil || current == UInt8(ascii: ",") }

    /// Advances to the next item and returns its first byte; nil at the end.
    mutating func nextItem() -> UInt8? {
        while let byte = current, byte == UInt8(ascii: ",") || byte.isBlank { position += 1 }
        return current
    }

    /// Advances to the next comma outside of quotes.
    mutating func skipItem() {
        while let byte = current, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quotedString() } else { position += 1 }
        }
    }

    mutating func token() -> String? {
        run(while: { $0.isTokenByte })
    }

    enum Assignment {
        /// No equals sign follows; nothing was consumed.
        case none
        /// nil if no valid value follows the equals sign.
        case value(String?)
    }

    /// Parses an equals sign and the value after it.
    mutating func assignment() -> Assignment {
        let start = position
        skipBlanks()
        guard current == UInt8(ascii: "=") else {
            position = start
            return .none
        }
        position += 1
        skipBlanks()
        return .value(value())
    }

    /// Parses a quoted string, or a token with the additional characters of base64.
    private mutating func value() -> String? {
        if current == UInt8(ascii: "\"") { return quotedString() }
        return run(while: { $0.isTokenByte || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "=") })
    }

    /// Parses the parameters after a scheme, if there are any.
    mutating func challenge(of name: String) -> HTTPChallenge? {
        guard isAtItemEnd || current?.isBlank == true else { return nil }
        var challenge = HTTPChallenge(schemeName: name)
        skipBlanks()
        let start = position
        if let word = run(while: { $0.isToken68Byte }) {
            let padding = run(while: { $0 == UInt8(ascii: "=") }) ?? ""
            skipBlanks()
            if isAtItemEnd {
                challenge.token68 = word + padding
                return challenge
            }
        }
        position = start
        return challenge
    }

    /// Returns nil if the closing quote is missing.
    private mutating func quotedString() -> String? {
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = current else { return nil }
                position += 1
                text.append(escaped)
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func skipBlanks() {
        while current?.isBlank == true { position += 1 }
    }

    private mutating func run(while belongs: (UInt8) -> Bool) -> String? {
        let start = position
        while let byte = current, belongs(byte) { position += 1 }
        return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }

    private var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Whether it may be part of a token (RFC 9110 §5.6.2).
    var isTokenByte: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
    fileprivate var isToken68Byte: Bool { isLetterOrDigit || "-._~+/".utf8.contains(self) }
}

extension String {
    /// The text as a quoted string (RFC 9110 §5.6.4).
    var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}
