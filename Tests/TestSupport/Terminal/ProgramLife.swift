import CVTerm

/// The state of a program on a terminal.
public enum ProgramLife: Hashable, Sendable, CustomStringConvertible {
    case running
    case stopped(signal: Int32)
    case exited(status: Int32)
    case killed(signal: Int32)

    public var hasEnded: Bool {
        switch self {
        case .running, .stopped: false
        case .exited, .killed: true
        }
    }

    public var description: String {
        switch self {
        case .running: "running"
        case .stopped(let signal): "stopped by signal \(signal)"
        case .exited(let status): "exited with status \(status)"
        case .killed(let signal): "killed by signal \(signal)"
        }
    }

    /// Blocks until the child's next state change.
    static func next(of child: Int32) -> ProgramLife {
        var value: Int32 = 0
        switch Int(byteclub_wait_for_change(child, &value)) {
        case Int(BYTECLUB_LIFE_EXITED): return .exited(status: value)
        case Int(BYTECLUB_LIFE_SIGNALLED): return .killed(signal: value)
        case Int(BYTECLUB_LIFE_STOPPED): return .stopped(signal: value)
        case Int(BYTECLUB_LIFE_CONTINUED): return .running
        default: return .exited(status: -1)
        }
    }
}
