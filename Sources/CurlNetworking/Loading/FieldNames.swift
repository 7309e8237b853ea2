/// The spelling of field names in ``HTTPURLResponse/allHeaderFields``, whatever the server's.
enum FieldNames {
    /// Returns a name as Foundation spells it: each part begins with a capital, and the rest is lower case (`Etag`,
    /// `Content-Length`). Names that begin with `X-` are unchanged.
    ///
    /// Programs look names up with this spelling: HTTP/2 sends them in lower case.
    static func usual(_ name: String) -> String {
        let lower = name.lowercased()
        if lower.hasPrefix("x-") { return name }
        if lower == "www-authenticate" { return "WWW-Authenticate" }
        var result = ""
        var beginsPart = true
        for character in lower {
            result += beginsPart ? character.uppercased() : String(character)
            beginsPart = !character.isLetter && !character.isNumber
        }
        return result
    }
}
