import DropboxAPI
import Glibc

/// Reads files in chunks, so that none is fully in memory.
enum FileReader {
    static let pieceByteCount = 256 << 10

    /// Calls `body` with consecutive chunks, from the descriptor's position to the end.
    static func forEachPiece(
        of file: borrowing Descriptor, _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Void
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: pieceByteCount, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(file.number, buffer.baseAddress, buffer.count)
            if count == 0 { return }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("read")
            }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The content hash of an open file, or nil when it changed during the read.
    static func contentHash(
        of file: borrowing Descriptor, expecting signature: FileSignature
    ) throws(SystemError) -> ContentHash? {
        let hasher = ContentHasher()
        try forEachPiece(of: file) { hasher.update($0) }
        let hash = hasher.finish()
        return try FileStatus.of(file).signature == signature ? hash : nil
    }
}

enum FileWriter {
    static func writeAll(
        _ bytes: [UInt8], to file: borrowing Descriptor
    ) throws(SystemError) {
        var failure: SystemError?
        bytes.withUnsafeBytes { buffer in
            do throws(SystemError) {
                try writeAll(buffer, to: file)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to file: borrowing Descriptor
    ) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = write(file.number, piece.baseAddress, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("write")
            }
            rest = rest.dropFirst(count)
        }
    }
}
