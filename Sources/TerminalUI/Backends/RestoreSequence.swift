/// The bytes that restore a terminal: modes off, cursor shown, the shell's screen.
///
/// Built when the screen is opened, because a crash handler cannot build anything.
struct RestoreSequence: Hashable, Sendable {
    /// Modes beside terminfo's: mouse reports in their three forms, and bracketed paste.
    static let privateModes = [1006, 1002, 1000, 2004]

    let bytes: [UInt8]

    /// - Parameter capability: A terminfo string by its name; nil when the terminal has none.
    init(capability: (String) -> [UInt8]?) {
        // Terminates a picture that was being written when the program died; has no effect otherwise.
        var bytes: [UInt8] = [0x1B, 0x5C]
        for mode in Self.privateModes { bytes += Self.mode(mode, isOn: false) }
        for name in ["rmkx", "sgr0", "cnorm", "rmcup"] {
            bytes += Self.withoutPadding(capability(name) ?? [])
        }
        self.bytes = bytes
    }

    static func mode(_ number: Int, isOn: Bool) -> [UInt8] {
        Array("\u{1B}[?\(number)\(isOn ? "h" : "l")".utf8)
    }

    /// Leaves out terminfo's delays, `$<50/>`.
    static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "<"),
                let end = bytes[index...].firstIndex(of: UInt8(ascii: ">"))
            {
                index = end + 1
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
