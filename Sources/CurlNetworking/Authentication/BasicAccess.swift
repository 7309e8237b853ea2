import FoundationEssentials

/// HTTP Basic (RFC 7617), always in UTF-8.
enum BasicAccess {
    /// The value of `Authorization`; nil when the user name has a colon or either has control
    /// characters, which Basic cannot carry.
    static func authorization(user: String, password: String) -> String? {
        let isPlain: (UInt8) -> Bool = { $0 >= 0x20 && $0 != 0x7F }
        guard user.utf8.allSatisfy({ isPlain($0) && $0 != UInt8(ascii: ":") }),
            password.utf8.allSatisfy(isPlain)
        else { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// The folder of the path that was challenged: what lies below it is taken to be in the same
    /// space (§2.2).
    static func scope(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "/" }
        return String(path[...slash])
    }
}
