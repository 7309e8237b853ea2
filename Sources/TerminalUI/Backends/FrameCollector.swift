import CByteClubNcurses
import Glibc

/// Captures the output of ncurses, so that a frame is written in one piece.
///
/// ncurses writes to its descriptor at each move of the cursor. While a frame is drawn, the descriptor refers
/// to a file in memory.
@MainActor
final class FrameCollector {
    /// The descriptor that ncurses writes to.
    private let descriptor: Int32
    /// The terminal while capturing.
    private let terminal: Int32
    private let memory: Int32

    /// - Parameter descriptor: Must only be written to by ncurses.
    /// - Returns: Nil if no descriptors are available; frames are then written in several pieces.
    init?(descriptor: Int32) {
        let terminal = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        let memory = byteclub_memory_file()
        guard terminal >= 0, memory >= 0 else {
            if terminal >= 0 { Glibc.close(terminal) }
            if memory >= 0 { Glibc.close(memory) }
            return nil
        }
        self.descriptor = descriptor
        self.terminal = terminal
        self.memory = memory
    }

    deinit {
        Glibc.close(terminal)
        Glibc.close(memory)
    }

    /// The bytes that ncurses writes during `body`.
    func bytes(of body: () -> Void) -> [UInt8] {
        guard byteclub_put_in_place(memory, descriptor) == 0 else {
            body()
            return []
        }
        body()
        _ = byteclub_put_in_place(terminal, descriptor)
        let count = Int(lseek(memory, 0, SEEK_CUR))
        guard count > 0 else { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(memory, buffer.baseAddress, count, 0))
        }
        lseek(memory, 0, SEEK_SET)
        return bytes
    }
}
