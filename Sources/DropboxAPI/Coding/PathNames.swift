@_spi(_Unicode) import Swift

/// How Dropbox compares and stores names: case-insensitive, case-preserving, in Normalization Form
/// C.
public enum PathNames {
    /// The text in Normalization Form C, as the server stores it.
    public static func normalized(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }

    /// The key under which Dropbox treats two names or paths as the same (`path_lower`).
    public static func key(_ text: String) -> String {
        normalized(normalized(text).lowercased())
    }

    /// The components of a path that starts with a slash, or of the root's "".
    ///
    /// - Returns: nil when a component is empty, `.` or `..`, or holds a NUL; no store accepts such
    ///   a path.
    public static func components(of path: String) -> [String]? {
        if path.isEmpty { return [] }
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        let components = path.utf8.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let isSound = components.allSatisfy { component in
            !component.isEmpty && component != "." && component != ".."
                && !component.utf8.contains(0)
        }
        return isSound ? components : nil
    }
}
