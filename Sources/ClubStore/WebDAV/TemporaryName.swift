/// The names of what is ours on a server while something is on its way, and no member's: never listed,
/// and removed if a killed program has left it behind. A member's file that only looks similar is one.
enum TemporaryName {
    static let prefix = ".byteclub-"

    /// For bytes that are moved into place later.
    static func staged() -> String { prefix + mark() + ".tmp" }

    /// For finding out what the server can do.
    static func probe() -> String { prefix + "probe-" + mark() }

    /// Characters that mean something in a URL, and one that is not ASCII.
    private static let oddEnding = "&+é%41#;?x"

    /// For finding out whether a name arrives as it is written.
    static func oddProbe() -> String { probe() + oddEnding }

    /// What is left of such a name where it was taken for an address and cut.
    static func mangled(_ name: String) -> [String] {
        let decoded = name.replacing("%41", with: "A")
        let cuts: [Character] = [";", "?", "#", "%", "é", "+", "&"]
        return [decoded]
            + [name, decoded].flatMap { name in
                cuts.compactMap { cut in name.firstIndex(of: cut).map { String(name[..<$0]) } }
            }
    }

    static func isOne(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        if rest.hasSuffix(".tmp") { return isMark(rest.dropLast(4)) }
        guard rest.hasPrefix("probe-") else { return false }
        return isMark(rest.dropFirst(6).prefix(markLength))
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
