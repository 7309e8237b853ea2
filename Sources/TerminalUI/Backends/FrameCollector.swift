import CNcurses
import Glibc

/// Collects what ncurses writes, so that a frame reaches the terminal in one piece.
///
/// ncurses writes to its descriptor at each move of the cursor. While a frame is drawn a file in memory stands in
/// that descriptor's place.
@MainActor
final class FrameCollector {
    /// What ncurses writes to.
    private let descriptor: Int32
    /// The terminal meanwhile.
    private let terminal: Int32
    private let memory: Int32

    /// - Parameter descriptor: Written to by nobody but ncurses.
    /// - Returns: Nil when the system gives no descriptors; frames are written piece by piece then.
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

    /// The bytes that `body` has ncurses write.
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
