import Glibc

/// Finds a request's head in the received bytes, however they are split.
struct HeadReader {
    /// How much of the buffer contains no end of a head.
    private var searched = 0

    enum Failure: Error, Hashable {
        case tooLarge
        case malformed(RequestHead.Failure)
    }

    /// - Returns: nil when more bytes are needed.
    mutating func next(in buffer: ReceiveBuffer) throws(Failure) -> RequestHead? {
        skipEmptyLines(buffer)
        guard let end = Self.endOfHead(in: buffer.unread, from: searched) else {
            guard buffer.count < RequestHead.byteLimit else { throw .tooLarge }
            searched = max(0, buffer.count - 3)
            return nil
        }
        searched = 0
        guard end.next <= RequestHead.byteLimit else { throw .tooLarge }
        defer { buffer.take(end.next) }
        do throws(RequestHead.Failure) {
            return try RequestHead(UnsafeRawBufferPointer(rebasing: buffer.unread[..<end.head]))
        } catch {
            throw .malformed(error)
        }
    }

    /// RFC 9112 §2.2 requires empty lines before a request to be ignored.
    private mutating func skipEmptyLines(_ buffer: ReceiveBuffer) {
        guard searched == 0 else { return }
        let empty = buffer.unread.prefix { $0 == 0x0D || $0 == 0x0A }.count
        if empty > 0 { buffer.take(empty) }
    }

    /// Finds the empty line: where the head ends, and where the body begins.
    private static func endOfHead(
        in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> (head: Int, next: Int)? {
        var index = start
        while index < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + index, 0x0A, bytes.count - index)
        {
            index = found - UnsafeMutableRawPointer(mutating: base)
            if index + 1 < bytes.count, bytes[index + 1] == 0x0A {
                return (index, index + 2)
            }
            if index + 2 < bytes.count, bytes[index + 1] == 0x0D, bytes[index + 2] == 0x0A {
                let head = index > 0 && bytes[index - 1] == 0x0D
                return (head ? index - 1 : index, index + 3)
            }
            index += 1
        }
        return nil
    }
}
