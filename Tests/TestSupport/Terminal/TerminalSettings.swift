import CVTerm

/// The kernel's terminal settings (`stty -a`), to compare before and after.
public struct TerminalSettings: Hashable, Sendable, CustomStringConvertible {
    public let input: UInt32
    public let output: UInt32
    public let control: UInt32
    public let local: UInt32
    public let characters: [UInt8]

    init?(of descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        input = settings.c_iflag
        output = settings.c_oflag
        control = settings.c_cflag
        local = settings.c_lflag
        characters = withUnsafeBytes(of: settings.c_cc) { Array($0) }
    }

    /// Whether the kernel echoes typed characters.
    public var echoes: Bool { local & UInt32(ECHO) != 0 }
    /// Whether a program receives lines, not single characters.
    public var readsLines: Bool { local & UInt32(ICANON) != 0 }
    /// Whether ^C, ^Z and ^\ are signals.
    public var keysAreSignals: Bool { local & UInt32(ISIG) != 0 }

    public var description: String {
        let flags = [("iflag", input), ("oflag", output), ("cflag", control), ("lflag", local)]
        return flags.map { "\($0) \(String($1, radix: 8))" }.joined(separator: " ")
            + " cc \(characters)"
    }
}
