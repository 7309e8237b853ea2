import FoundationEssentials
import Glibc

/// A photo as it is, for the club: a copy without a name, so that nothing that happens to the file later changes what is
/// sent.
struct OriginalPhoto {
    private let file: NamelessFile
    private let operation: String
    private let byteCount: Int

    /// Copies a file.
    ///
    /// - Throws: `.notFound` and similar ones, `.changed`, `.diskFull`, `.cancelled`.
    init(
        copying photo: URL, progress: (Double) -> Void, to operation: String
    ) throws(PictureError) {
        let input = try InputFile.opening(photo, to: operation)
        file = NamelessFile(try ScratchFile(to: operation).release())
        self.operation = operation
        let before = FileState(of: input.descriptor)
        guard before.byteCount <= PictureLimits.fileByteCount else {
            throw PictureError(.tooLarge, operation: operation)
        }
        var (buffer, copied) = ([UInt8](repeating: 0, count: 1 << 20), 0)
        while true {
            guard !Task.isCancelled else { throw PictureError(.cancelled, operation: operation) }
            let count = buffer.withUnsafeMutableBytes {
                pread(input.descriptor, $0.baseAddress, $0.count, off_t(copied))
            }
            guard count > 0 else {
                guard count == 0 else {
                    if errno == EINTR { continue }
                    throw PictureError(.unreadable, operation: operation)
                }
                break
            }
            try Self.write(buffer[..<count], to: file.descriptor, at: copied, operation)
            copied += count
            guard copied <= PictureLimits.fileByteCount else {
                throw PictureError(.tooLarge, operation: operation)
            }
            progress(min(1, Double(copied) / Double(max(1, before.byteCount))))
        }
        guard FileState(of: input.descriptor) == before else {
            throw PictureError(.changed, operation: operation)
        }
        byteCount = copied
    }

    /// What it is, read by ourselves.
    func facts() throws(PictureError) -> PictureFacts {
        try PictureFacts(.descriptor(file.descriptor), to: operation)
    }

    /// The copy, to be decoded.
    func picture(named name: String) -> PictureFile {
        PictureFile(PictureSource(.descriptor(file.descriptor), name: name))
    }

    func prepared(_ size: PixelSize) -> PreparedPhoto {
        PreparedPhoto(file: file, byteCount: Int64(byteCount), size)
    }

    /// Takes out where it was taken: from its EXIF, from that of other pictures in the file (previews,
    /// depth maps), and from XMP.
    func removeLocation() throws(PictureError) {
        var start = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while start < byteCount {
            guard !Task.isCancelled else { throw PictureError(.cancelled, operation: operation) }
            let count = read(into: &buffer, at: start)
            guard count > 0 else { throw PictureError(.unreadable, operation: operation) }
            for place in Self.candidates(in: buffer[..<count]) {
                try removeLocation(at: start + place)
            }
            guard start + count < byteCount else { break }
            // What begins at the end of one piece is found in the next.
            start += max(1, count - 8)
        }
    }

    private func removeLocation(at place: Int) throws(PictureError) {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        bytes.removeLast(bytes.count - read(into: &bytes, at: place))
        if bytes.starts(with: Exif.signature) {
            // Nothing outside its marker is touched, whatever it says.
            guard let byteCount = markerByteCount(at: place) else { return }
            var tiff = Array(bytes.prefix(byteCount).dropFirst(Exif.signature.count))
            if case .removed = LocationRemoval.remove(fromTIFF: &tiff) {
                try Self.write(
                    tiff[...], to: file.descriptor, at: place + Exif.signature.count, operation)
            }
        } else if case .removed = LocationRemoval.remove(fromXMP: &bytes) {
            try Self.write(bytes.prefix(512), to: file.descriptor, at: place, operation)
        }
    }

    /// How long the content of the APP1 marker is that begins here; nil where none does.
    private func markerByteCount(at place: Int) -> Int? {
        var head = [UInt8](repeating: 0, count: 4)
        guard place >= 4, read(into: &head, at: place - 4) == 4, head[0] == 0xFF, head[1] == 0xE1
        else { return nil }
        let length = Int(head[2]) << 8 | Int(head[3])
        return length >= 2 ? length - 2 : nil
    }

    /// Where `Exif\0\0` or `:GPS`, in any case of letters, begins.
    private static func candidates(in bytes: ArraySlice<UInt8>) -> [Int] {
        bytes.withUnsafeBufferPointer { bytes in
            var places: [Int] = []
            guard bytes.count >= 6 else { return places }
            for index in 0...(bytes.count - 6) {
                switch bytes[index] {
                case UInt8(ascii: "E")
                where Exif.signature.indices.allSatisfy {
                    bytes[index + $0] == Exif.signature[$0]
                }:
                    places.append(index)
                case UInt8(ascii: ":")
                where bytes[index + 1] | 0x20 == UInt8(ascii: "g")
                    && bytes[index + 2] | 0x20 == UInt8(ascii: "p")
                    && bytes[index + 3] | 0x20 == UInt8(ascii: "s"):
                    places.append(index)
                default: break
                }
            }
            return places
        }
    }

    /// How many bytes there are, up to the buffer's size.
    private func read(into buffer: inout [UInt8], at place: Int) -> Int {
        buffer.withUnsafeMutableBytes { bytes in
            var count = 0
            while count < bytes.count {
                let read = pread(
                    file.descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count,
                    off_t(place + count))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                count += read
            }
            return count
        }
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>, to descriptor: Int32, at place: Int, _ operation: String
    ) throws(PictureError) {
        let failure = bytes.withUnsafeBytes { bytes -> Int32 in
            var written = 0
            while written < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                    off_t(place + written))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                written += count
            }
            return 0
        }
        guard failure == 0 else { throw .writing(failure, operation: operation) }
    }
}

/// By which a file is known to be the same as before.
struct FileState: Equatable {
    let byteCount: Int
    private let seconds: Int
    private let nanoseconds: Int
    private let inode: UInt

    init(of descriptor: Int32) {
        var status = stat()
        _ = fstat(descriptor, &status)
        self.init(status)
    }

    /// Nil when the file does not exist.
    init?(at url: URL) {
        var status = stat()
        guard stat(url.path(percentEncoded: false), &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        byteCount = Int(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
        inode = UInt(status.st_ino)
    }
}
