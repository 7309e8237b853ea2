/// The names of the app's temporary files on a server: never listed, and removed if a killed
/// program has left them. A member's file with a merely similar name is treated as a member's.
enum TemporaryName {
    static let prefix = ".byteclub-"

    /// For bytes that are moved into place later.
    static func staged() -> String { prefix + mark() + ".tmp" }

    /// For probing the server.
    static func probe() -> String { prefix + "probe-" + mark() }

    /// Characters with a meaning in URLs, and one that is not ASCII.
    private static let oddEnding = "&+é%41#;?x"

    /// For probing whether a name arrives unchanged.
    static func oddProbe() -> String { probe() + oddEnding }

    /// Characters that are only escaped in URLs, and mean nothing there.
    private static let mildEnding = " é(1),'!x"

    static func mildProbe() -> String { probe() + mildEnding }

    /// Whether a name has characters with a meaning in URLs: some servers decode a `Destination` too early.
    static func isOdd(_ name: String) -> Bool {
        name.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                false
            default: byte < 0x80 && !" ()',!-._~".utf8.contains(byte)
            }
        }
    }

    /// What remains of such a name if the server took it for a URL and truncated it.
    static func mangled(_ name: String) -> [String] {
        let decoded = name.replacing("%41", with: "A")
        let cuts: [Character] = [";", "?", "#", "%", "é", "+", "&", " ", "("]
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

    /// A random number in base 36.
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

    /// The length of the largest number.
    private static let markLength = 13
}
