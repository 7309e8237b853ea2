/// The names of what is ours on a server while something is on its way, and no member's: never listed,
/// and removed if a killed program has left it behind. A member's file that only looks similar is one.
enum OwnName {
    static let prefix = ".byteclub-"

    /// For bytes that are moved into place later.
    static func staged() -> String { prefix + mark() + ".tmp" }

    /// For finding out what the server can do.
    static func probe() -> String { prefix + "probe-" + mark() }

    static func isOne(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        return (rest.hasSuffix(".tmp") && isMark(rest.dropLast(4)))
            || (rest.hasPrefix("probe-") && isMark(rest.dropFirst(6)))
    }

    /// A number nobody thinks of, in digits of base 36.
    private static func mark() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 36)
        return String(repeating: "0", count: markLength - digits.count) + digits
    }

    private static func isMark(_ text: Substring) -> Bool {
        text.utf8.count == markLength
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }

    /// Of the largest number there is.
    private static let markLength = 13
}
