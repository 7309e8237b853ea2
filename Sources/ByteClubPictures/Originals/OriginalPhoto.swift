import FoundationEssentials
import Glibc

/// An unchanged photo for the club: a nameless copy, so that later changes of the file do not affect the
/// upload.
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

    /// Its facts, without using a library.
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

    /// Checks that a file that cannot be decoded is complete according to its own structure.
    ///
    /// - Throws: `.truncated`.
    func checkLength(of format: FileFormat) throws(PictureError) {
        let bytes = PictureBytes.descriptor(file.descriptor)
        let isWhole =
            switch format {
            case .webp: try WebPContainer.isWhole(bytes, to: operation)
            case .heic, .avif: try HEIFContainer.isWhole(bytes, to: operation)
            // Their length was checked when the sizes were read.
            default: true
            }
        guard isWhole else { throw PictureError(.truncated, operation: operation) }
    }

    /// Removes the location: from the EXIF, from that of other pictures in the file (previews, depth maps),
    /// from XMP and IPTC, and from a video after it.
    func removeLocation(from format: FileFormat) throws(PictureError) {
        // Its chunks have checksums, and may be compressed.
        guard format != .png else { return try removeLocationFromPNG() }
        if format.needsLibrary {
            let head = try ContainerHead(
                .descriptor(file.descriptor), as: format, to: operation)
            if let range = head.exifRange { try removeLocation(fromTIFFIn: range) }
        }
        var start = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while start < byteCount {
            guard !Task.isCancelled else { throw PictureError(.cancelled, operation: operation) }
            let count = read(into: &buffer, at: start)
            guard count > 0 else { throw PictureError(.unreadable, operation: operation) }
            for candidate in Self.candidates(in: buffer[..<count]) {
                try remove(candidate, at: start, of: format)
            }
            guard start + count < byteCount else { break }
            // A match that crosses the end of a piece is found in the next one.
            start += max(1, count - 64)
        }
    }

    /// A possible location, with its position in a piece.
    private enum Candidate {
        case exif(Int)
        /// The colon before the name.
        case property(Int)
        case datasets(Int)
        case coordinates(Range<Int>)
    }

    private func removeLocation(fromTIFFIn range: Range<Int>) throws(PictureError) {
        var content = [UInt8](repeating: 0, count: range.count)
        content.removeLast(content.count - read(into: &content, at: range.lowerBound))
        if case .removed = LocationRemoval.remove(fromTIFF: &content) {
            try write(content[...], at: range.lowerBound)
        }
    }

    private func removeLocationFromPNG() throws(PictureError) {
        var place = 8
        while place + 12 <= byteCount {
            var head = [UInt8](repeating: 0, count: 8)
            guard read(into: &head, at: place) == 8 else { return }
            let count = PNGLocation.number(head[0..<4])
            guard count <= byteCount - place - 12 else { return }
            if PNGLocation.mayTellPlace(head[4...]) {
                guard count <= PNGLocation.chunkByteLimit else {
                    throw PictureError(.tooCostly, operation: operation, detail: "metadata")
                }
                var chunk = [UInt8](repeating: 0, count: count + 4)
                guard read(into: &chunk, at: place + 4) == chunk.count else { return }
                if case .removed = PNGLocation.remove(from: &chunk) {
                    try write(
                        chunk[...] + PNGLocation.checksum(of: chunk), at: place + 4)
                }
            }
            place += count + 12
        }
    }

    private func remove(
        _ candidate: Candidate, at start: Int, of format: FileFormat
    ) throws(PictureError) {
        switch candidate {
        case .exif(let offset) where format.needsLibrary:
            // The EXIF of another picture in the file. Its offsets stay within the bytes read here.
            let place = start + offset + Exif.signature.count
            try removeLocation(
                fromTIFFIn: place..<min(byteCount, place + ContainerHead.metadataByteLimit))
        case .exif(let offset):
            let place = start + offset
            // Nothing outside of its marker is changed, whatever it claims.
            guard var content = markerContent(at: place, marker: 0xE1) else { return }
            content.removeFirst(Exif.signature.count)
            if case .removed = LocationRemoval.remove(fromTIFF: &content) {
                try write(content[...], at: place + Exif.signature.count)
            }
        case .property(let offset):
            // The prefix, and whether it is an end tag, precede it.
            let colon = start + offset
            let place = max(0, colon - 40)
            var text = [UInt8](repeating: 0, count: 8 << 10)
            text.removeLast(text.count - read(into: &text, at: place))
            if let changed = LocationText.blankProperty(&text, at: colon - place) {
                try write(text[changed], at: place + changed.lowerBound)
            }
        case .datasets(let offset):
            let place = start + offset
            guard var content = markerContent(at: place, marker: 0xED) else { return }
            if let changed = LocationText.blankDatasets(&content) {
                try write(content[changed], at: place + changed.lowerBound)
            }
        case .coordinates(let range):
            var text = [UInt8](repeating: 0, count: range.count)
            text.removeLast(text.count - read(into: &text, at: start + range.lowerBound))
            try write(
                text.map { (0x30...0x39).contains($0) ? 0x30 : $0 }[...],
                at: start + range.lowerBound)
        }
    }

    /// The content of the marker that begins here; nil if there is none of that kind.
    private func markerContent(at place: Int, marker: UInt8) -> [UInt8]? {
        var head = [UInt8](repeating: 0, count: 4)
        guard place >= 4, read(into: &head, at: place - 4) == 4, head[0] == 0xFF, head[1] == marker
        else { return nil }
        let length = Int(head[2]) << 8 | Int(head[3])
        guard length >= 2 else { return nil }
        var content = [UInt8](repeating: 0, count: length - 2)
        content.removeLast(content.count - read(into: &content, at: place))
        return content.count < 8 ? nil : content
    }

    private static func candidates(in bytes: ArraySlice<UInt8>) -> [Candidate] {
        bytes.withUnsafeBufferPointer { bytes in
            var found: [Candidate] = []
            for index in bytes.indices {
                switch bytes[index] {
                case UInt8(ascii: "E") where bytes.begins(with: Exif.signature, at: index):
                    found.append(.exif(index))
                case UInt8(ascii: ":") where LocationText.isProperty(bytes, at: index):
                    found.append(.property(index))
                case UInt8(ascii: "P") where bytes.begins(with: LocationText.photoshop, at: index):
                    found.append(.datasets(index))
                case UInt8(ascii: "+"), UInt8(ascii: "-"):
                    guard let end = LocationText.endOfCoordinates(bytes, at: index) else {
                        continue
                    }
                    found.append(.coordinates(index..<end))
                default: break
                }
            }
            return found
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, at place: Int) throws(PictureError) {
        try Self.write(bytes, to: file.descriptor, at: place, operation)
    }

    /// Reads bytes, at most the buffer's size.
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

/// The state of a file, to detect changes.
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

extension UnsafeBufferPointer<UInt8> {
    fileprivate func begins(with signature: [UInt8], at index: Int) -> Bool {
        index + signature.count <= count
            && signature.indices.allSatisfy { self[index + $0] == signature[$0] }
    }
}
