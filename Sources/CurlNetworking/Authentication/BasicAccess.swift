import FoundationEssentials

/// HTTP Basic authentication (RFC 7617), always in UTF-8.
enum BasicAccess {
    /// Returns the value of `Authorization`. Returns nil if the user name contains a colon or either text
    /// contains control characters, which Basic cannot represent.
    static func authorization(user: String, password: String) -> String? {
        let isPlain: (UInt8) -> Bool = { $0 >= 0x20 && $0 != 0x7F }
        guard user.utf8.allSatisfy({ isPlain($0) && $0 != UInt8(ascii: ":") }),
            password.utf8.allSatisfy(isPlain)
        else { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Returns the folder of the challenged path: paths below it are assumed to be in the same protection
    /// space (§2.2).
    static func scope(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "/" }
        return String(path[...slash])
    }
}
