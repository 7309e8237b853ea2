import CByteClubPictureWorker
import FoundationEssentials
import Glibc

/// The descriptors passed to a worker with a picture.
struct OpenFiles {
    /// The picture, the output file, scratch files.
    private(set) var descriptors: [Int32] = []
    private var own: [Int32] = []
    private var strip: Int32?
    private var stripByteCount = 0

    /// Opens the picture at its beginning, with a separate file position.
    mutating func open(_ source: PictureSource, to operation: String) throws(PictureError) -> Int32
    {
        let descriptor: Int32
        switch source.contents {
        case .file(let url):
            descriptor = try InputFile.opening(url, to: operation).release()
        case .descriptor(let number):
            descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
        case .memory(let data):
            guard !data.isEmpty else { throw PictureError(.empty, operation: operation) }
            descriptor = try Self.memory(holding: data, to: operation)
        }
        guard descriptor >= 0 else { throw PictureError(.unreadable, operation: operation) }
        add(descriptor)
        return descriptor
    }

    mutating func openStrip(_ byteCount: Int, to operation: String) throws(PictureError) {
        let descriptor = byteclub_picture_make_memory(byteCount)
        guard descriptor >= 0 else { throw PictureError(.outOfMemory, operation: operation) }
        add(descriptor)
        strip = descriptor
        stripByteCount = byteCount
    }

    mutating func openScratch(_ byteCount: Int, to operation: String) throws(PictureError) {
        let file = try ScratchFile(to: operation)
        if byteCount > 0 { try file.reserve(byteCount, to: operation) }
        add(file.release())
    }

    /// Adds a descriptor that the caller still owns.
    mutating func lend(_ descriptor: Int32) { descriptors.append(descriptor) }

    func close() {
        for descriptor in own { Glibc.close(descriptor) }
    }

    /// Copies a worker's result from the strip; all its numbers are validated.
    func takeResult(
        _ reply: byteclub_picture_reply, to operation: String
    ) throws(PictureError) -> [UInt8] {
        guard let strip else { return [] }
        guard reply.byte_count > 0, reply.byte_count <= UInt64(stripByteCount) else {
            throw PictureError(.crashed, operation: operation, detail: "no result")
        }
        let byteCount = Int(reply.byte_count)
        // Read, not mapped: the pages of a map would count as this process's memory, beside the copy.
        let result = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            count = 0
            while count < byteCount {
                let step = pread(
                    strip, buffer.baseAddress?.advanced(by: count), byteCount - count,
                    off_t(count))
                guard step > 0 else {
                    if step < 0, errno == EINTR { continue }
                    return
                }
                count += step
            }
        }
        guard result.count == byteCount else {
            throw PictureError(.crashed, operation: operation, detail: "a result that ends early")
        }
        return result
    }

    private mutating func add(_ descriptor: Int32) {
        descriptors.append(descriptor)
        own.append(descriptor)
    }

    private static func memory(
        holding data: Data, to operation: String
    ) throws(PictureError) -> Int32 {
        let descriptor = byteclub_picture_make_memory(data.count)
        guard descriptor >= 0 else { throw PictureError(.outOfMemory, operation: operation) }
        let isWritten = data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                    off_t(written))
                if count > 0 {
                    written += count
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
        guard isWritten else {
            Glibc.close(descriptor)
            throw PictureError(.outOfMemory, operation: operation)
        }
        return descriptor
    }
}
