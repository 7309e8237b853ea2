/// The forms of path that a route's argument may take.
///
/// Dropbox checks these with regular expressions and responds with 400 when none matches; whether a
/// valid path exists is for the route to check (409).
public enum PathPattern: Sendable {
    /// The root as "", a path, an identifier or a namespace (`PathROrId`).
    case rootOrPathOrID
    /// A path, an identifier or a namespace (`PathOrId`, `WritePathOrId`).
    case pathOrID
    /// A path or a namespace (`WritePath`).
    case path
    /// A path, an identifier, a revision or a namespace (`ReadPath`).
    case read

    /// Whether `value` has one of the forms.
    public func matches(_ value: String) -> Bool {
        if value.utf8.first == UInt8(ascii: "/") || isNamespace(value) { return true }
        return switch self {
        case .rootOrPathOrID: value.isEmpty || value.hasPrefix("id:")
        case .pathOrID: value.hasPrefix("id:")
        case .path: false
        case .read:
            value.hasPrefix("id:")
                || value.hasPrefix("rev:")
                    && Revisions.problem(with: String(value.dropFirst(4))) == nil
        }
    }

    /// The regular expression of the specification, for error messages.
    public var expression: String {
        let path = #"/(.|[\r\n])*"#
        let namespace = #"(ns:[0-9]+(/(.|[\r\n])*)?)"#
        return switch self {
        case .rootOrPathOrID: "(\(path))?|id:.*|\(namespace)"
        case .pathOrID: "(\(path))|\(namespace)|(id:.*)"
        case .path: "(\(path))|\(namespace)"
        case .read: "(\(path)|id:.*)|(rev:[0-9a-f]{9,})|\(namespace)"
        }
    }

    private func isNamespace(_ value: String) -> Bool {
        guard value.hasPrefix("ns:") else { return false }
        let number = value.utf8.dropFirst(3).prefix { $0 != UInt8(ascii: "/") }
        return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
    }
}
