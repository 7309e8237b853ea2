import FoundationEssentials

/// A parsed `Set-Cookie` line (RFC 6265 §5.2), not yet validated.
///
/// Where the RFC's revision (6265bis) and browsers agree, their rules apply: cookies with control characters,
/// or with more than 4096 bytes of name and value, are rejected; attributes of more than 1024 bytes are
/// ignored. As the RFC requires, cookies without a name are rejected: browsers accept them, which makes it
/// possible to forge other cookies.
struct SetCookieField: Hashable, Sendable {
    var name: String
    var value: String
    var expires: Date?
    /// In seconds; zero and below mean immediately. Takes precedence over `expires`.
    var maxAge: Int?
    /// In lower case, without a leading dot. nil if absent or empty.
    var domain: String?
    /// Begins with a slash. nil for the default path.
    var path: String?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: String?
    /// Attributes of older cookies, which have no effect.
    var comment: String?
    var commentURL: String?
    var isDiscarded = false

    /// The maximum length of name and value in bytes.
    static let largestByteCount = 4096
    static let largestAttributeByteCount = 1024

    /// Parses a line.
    ///
    /// - Parameter line: The field's value, without `Set-Cookie:`.
    init?(_ line: some Sequence<UInt8>) {
        let bytes = Array(line)
        guard !bytes.contains(where: \.isRefusedInCookies) else { return nil }
        var parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(),
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        let name = pair[..<equals].trimmed
        let value = pair[pair.index(after: equals)...].trimmed
        guard !name.isEmpty, name.count + value.count <= Self.largestByteCount else { return nil }
        self.name = String(decoding: name, as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
        for part in parts { takeAttribute(part) }
    }

    private mutating func takeAttribute(_ part: ArraySlice<UInt8>) {
        let equals = part.firstIndex(of: UInt8(ascii: "="))
        let name = part[..<(equals ?? part.endIndex)].trimmed
        let value = equals.map { part[($0 + 1)...].trimmed } ?? []
        guard value.count <= Self.largestAttributeByteCount else { return }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: name, as: UTF8.self).lowercased() {
        case "expires": CookieDate.parse(value).map { expires = $0 }
        case "max-age": Self.seconds(value).map { maxAge = $0 }
        case "domain": if !value.isEmpty { domain = Self.domain(text) }
        case "path": path = value.first == UInt8(ascii: "/") ? text : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = ["strict", "lax", "none"].first { $0 == text.lowercased() }
        case "comment": comment = text.isEmpty ? nil : text
        case "commenturl": commentURL = text.isEmpty ? nil : text
        case "discard": isDiscarded = true
        default: break
        }
    }

    private static func domain(_ text: String) -> String? {
        let name = (text.first == "." ? String(text.dropFirst()) : text).lowercased()
        return name.isEmpty ? nil : name
    }

    /// Parses a number of any length; it is limited to a century.
    private static func seconds(_ value: ArraySlice<UInt8>) -> Int? {
        guard let first = value.first, first.isASCIIDigit || first == UInt8(ascii: "-"),
            value.dropFirst().allSatisfy(\.isASCIIDigit)
        else { return nil }
        guard first != UInt8(ascii: "-") else { return 0 }
        let century = 100 * 366 * 86_400
        return value.reduce(0) { min(century, $0 * 10 + Int($1 - 0x30)) }
    }

    /// Returns when the cookie expires; nil for a session cookie.
    func expiry(now: Date) -> Date? {
        guard let maxAge else { return expires }
        return maxAge <= 0 ? .distantPast : now.addingTimeInterval(Double(maxAge))
    }
}

extension UInt8 {
    /// Control characters except tab.
    fileprivate var isRefusedInCookies: Bool { self < 0x20 && self != 0x09 || self == 0x7F }

    fileprivate var isCookieSpace: Bool { self == 0x20 || self == 0x09 }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: ArraySlice<UInt8> {
        guard let start = firstIndex(where: { !$0.isCookieSpace }),
            let end = lastIndex(where: { !$0.isCookieSpace })
        else { return [] }
        return self[start...end]
    }
}
