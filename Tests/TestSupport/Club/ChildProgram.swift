import CTestPrograms
import CVTerm
import Foundation
import Synchronization

/// A program without a terminal, spawned and waited for directly.
///
/// Foundation's `Process` is unsuitable: it detects a program's end by a socket that any other program
/// started at the same moment inherits, and then only when that one has ended too; and from a Dispatch
/// thread its programs inherit the signals that are blocked there.
final class ChildProgram: Sendable {
    let process: Int32
    private let state = Mutex(State())

    private struct State {
        var life = ProgramLife.running
        var waits: [CheckedContinuation<ProgramLife, Never>] = []
    }

    /// - Throws: `POSIXError` when it cannot be started.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String],
        directory: String, input: borrowing HandedFile, output: borrowing HandedFile,
        error: borrowing HandedFile
    ) throws {
        let descriptors = (
            input: input.descriptor, output: output.descriptor, error: error.descriptor
        )
        let child = withCStrings([executable] + arguments) { words in
            withCStrings(environment.map { "\($0)=\($1)" }.sorted()) { variables in
                byteclub_spawn_alone(
                    descriptors.input, descriptors.output, descriptors.error, directory, executable,
                    words, variables)
            }
        }
        guard child > 0 else { throw POSIXError(POSIXErrorCode(rawValue: -child) ?? .EIO) }
        process = child
        Thread.detachNewThread { self.watch() }
    }

    var hasEnded: Bool { state.withLock { $0.life.hasEnded } }

    /// Waits until it exits.
    func end() async -> ProgramLife {
        await withCheckedContinuation { continuation in
            let life: ProgramLife? = state.withLock { state in
                if state.life.hasEnded { return state.life }
                state.waits.append(continuation)
                return nil
            }
            if let life { continuation.resume(returning: life) }
        }
    }

    /// A close-on-exec pipe.
    static func makePipe() throws -> (reading: Int32, writing: Int32) {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        let problem = byteclub_open_pipe(&reading, &writing)
        guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
        // Reads block.
        _ = fcntl(reading, F_SETFL, 0)
        return (reading, writing)
    }

    private func watch() {
        var life = ProgramLife.running
        while !life.hasEnded { life = ProgramLife.next(of: process) }
        let waits = state.withLock { state in
            state.life = life
            defer { state.waits = [] }
            return state.waits
        }
        for wait in waits { wait.resume(returning: life) }
    }
}

extension ProgramLife {
    /// As in a shell: 128 plus the signal's number for a killed program. -1 while it runs.
    var status: Int32 {
        switch self {
        case .running, .stopped: -1
        case .exited(let status): status
        case .killed(let signal): 128 + signal
        }
    }
}

/// A close-on-exec file for a program's standard streams; closed here when the value is destroyed.
struct HandedFile: ~Copyable {
    let descriptor: Int32

    /// - Parameter descriptor: Above 2, closed when another program is started, and this one's from now on.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    /// - Throws: `POSIXError` when it cannot be opened.
    init(_ file: URL, _ flags: Int32) throws {
        let lowest = open(file.path, flags | O_CLOEXEC, 0o600)
        // Above the three standard descriptors it replaces.
        descriptor = lowest < 0 ? -1 : fcntl(lowest, F_DUPFD_CLOEXEC, 3)
        let reason = errno
        if lowest >= 0 { Glibc.close(lowest) }
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO) }
    }

    deinit { Glibc.close(descriptor) }
}

/// Calls `body` with a null-terminated array of C strings, valid during the call.
func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
}
