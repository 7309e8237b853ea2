public import FoundationEssentials
import Glibc

/// Caches decoded pictures on disk, each in several sizes, by the state of the original file: no decoding is
/// needed the next time.
///
/// Files are private and written atomically. The total size is limited; the least recently used are removed
/// first. Everything may be deleted at any time. Reading and writing block: do not call them on the main
/// actor.
public struct PictureCache: Sendable {
    /// Identifies a picture.
    public struct Key: Sendable, Hashable {
        public var club: String
        public var path: String
        public var revision: String
        /// The state of the file on this computer, if it was decoded from that: a modified file has another
        /// state. Nil for the club's preview.
        public var file: String?

        public init(club: String, path: String, revision: String, file: String?) {
            self.club = club
            self.path = path
            self.revision = revision
            self.file = file
        }

        /// One line, unambiguous.
        var text: String {
            [club, path, revision, file ?? "0"]
                .map { "\($0.utf8.count):\($0)" }.joined()
        }

        /// The common prefix of the texts of all pictures of the club.
        var clubText: String { "\(club.utf8.count):\(club)" }

        /// The file's name: FNV-1a, twice. The whole key is in the file.
        var fileName: String {
            func hash(_ seed: UInt64) -> UInt64 {
                text.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            }
            let parts = [hash(0xCBF2_9CE4_8422_2325), hash(0x8422_2325_CBF2_9CE4)]
            return parts.map { part in
                let digits = String(part, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined() + ".levels"
        }
    }

    public let folder: URL
    private let byteLimit: Int

    /// - Parameter byteLimit: The limit for all pictures together.
    public init(folder: URL, byteLimit: Int = 512 << 20) {
        self.folder = folder
        self.byteLimit = byteLimit
    }

    private static let magic = Array("byteclub levels 1\n".utf8)
    private static let unfinished = ".unfinished"

    /// A cached picture; nil if there is no usable one.
    public func picture(for key: Key) -> (levels: PictureLevels, details: PictureDetails)? {
        let path = folder.appending(path: key.fileName).path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size < 1 << 30
        else { return nil }
        var reader = LevelsReader(descriptor: descriptor, byteCount: Int(status.st_size))
        guard reader.bytes(Self.magic.count) == Self.magic,
            reader.text() == key.text,
            let details = reader.text().flatMap(PictureDetails.init(encoded:)),
            let levels = reader.levels()
        else {
            unlink(path)
            return nil
        }
        // Marks it as recently used.
        futimens(descriptor, nil)
        return (levels, details)
    }

    /// Caches a picture, and removes others if there are too many. Errors are ignored: they only cost time
    /// later.
    public func keep(_ levels: PictureLevels, _ details: PictureDetails, for key: Key) {
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = folder.appending(path: key.fileName)
        let temporary =
            "\(file.path).\(getpid()).\(UInt32.random(in: 0...UInt32.max))\(Self.unfinished)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        var writer = LevelsWriter(descriptor: descriptor)
        writer.bytes(Self.magic)
        writer.text(key.text)
        writer.text(details.encoded)
        writer.number(levels.images.count)
        for image in levels.images {
            writer.number(image.size.width)
            writer.number(image.size.height)
        }
        for image in levels.images { writer.bytes(image.bytes) }
        let isWritten = writer.isFine && close(descriptor) == 0
        if !writer.isFine { close(descriptor) }
        guard isWritten, rename(temporary, file.path) == 0 else {
            unlink(temporary)
            return
        }
        trim()
    }

    /// Removes all pictures of a club, also those being written.
    public func removeAll(ofClub club: String) {
        let beginning = Key(club: club, path: "", revision: "", file: nil).clubText
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let path = folder.appending(path: name).path
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            var reader = LevelsReader(descriptor: descriptor, byteCount: Int(status.st_size))
            // Unreadable files are useless: remove them.
            guard reader.bytes(Self.magic.count) == Self.magic, let text = reader.text(),
                !text.hasPrefix(beginning)
            else {
                unlink(path)
                continue
            }
        }
    }

    /// Removes the least recently used pictures.
    private func trim() {
        struct Entry {
            let path: String
            let byteCount: Int
            let used: Int
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            return
        }
        let now = Int(time(nil))
        var entries: [Entry] = []
        for name in names where name.hasSuffix(".levels") || name.hasSuffix(Self.unfinished) {
            let path = folder.appending(path: name).path
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if name.hasSuffix(Self.unfinished) {
                // Left by a killed program.
                if now - status.st_mtim.tv_sec > 3600 { unlink(path) }
                continue
            }
            let used = status.st_mtim.tv_sec * 1_000_000 + status.st_mtim.tv_nsec / 1000
            entries.append(Entry(path: path, byteCount: Int(status.st_size), used: used))
        }
        var total = entries.reduce(0) { $0 + $1.byteCount }
        for entry in entries.sorted(by: { $0.used < $1.used }) where total > byteLimit {
            unlink(entry.path)
            total -= entry.byteCount
        }
    }
}

/// Reads four-byte numbers, texts with a length, and pixels; all are checked against the remaining bytes.
private struct LevelsReader {
    let descriptor: Int32
    let byteCount: Int
    private var position = 0

    init(descriptor: Int32, byteCount: Int) {
        self.descriptor = descriptor
        self.byteCount = byteCount
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= byteCount - position else { return nil }
        var isFine = true
        let start = position
        let result = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            var done = 0
            while done < count {
                let step = pread(
                    descriptor, buffer.baseAddress?.advanced(by: done), count - done,
                    off_t(start + done))
                if step > 0 {
                    done += step
                } else if step == 0 || errno != EINTR {
                    isFine = false
                    break
                }
            }
            length = done
        }
        guard isFine else { return nil }
        position += count
        return result
    }

    mutating func number() -> Int? {
        bytes(4).map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }

    mutating func text() -> String? {
        guard let count = number(), count < 1 << 16, let bytes = bytes(count) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All sizes, with exactly the specified number of pixels.
    mutating func levels() -> PictureLevels? {
        guard let count = number(), (1...20).contains(count) else { return nil }
        var sizes: [PixelSize] = []
        for _ in 0..<count {
            guard let width = number(), let height = number(), (1...1 << 16).contains(width),
                (1...1 << 16).contains(height)
            else { return nil }
            sizes.append(PixelSize(width: width, height: height))
        }
        guard sizes.reduce(0, { $0 + $1.pixelCount * 4 }) == byteCount - position else {
            return nil
        }
        var images: [PixelImage] = []
        for size in sizes {
            guard let bytes = bytes(size.pixelCount * 4),
                let image = PixelImage(size: size, bytes: bytes)
            else { return nil }
            images.append(image)
        }
        return PictureLevels(images: images)
    }
}

private struct LevelsWriter {
    let descriptor: Int32
    private(set) var isFine = true

    init(descriptor: Int32) { self.descriptor = descriptor }

    mutating func bytes(_ bytes: [UInt8]) {
        isFine =
            isFine
            && bytes.withUnsafeBytes { raw in
                var rest = raw[...]
                while !rest.isEmpty {
                    let part = UnsafeRawBufferPointer(rebasing: rest)
                    let count = write(descriptor, part.baseAddress, part.count)
                    if count > 0 {
                        rest = rest.dropFirst(count)
                    } else if errno != EINTR {
                        return false
                    }
                }
                return true
            }
    }

    mutating func number(_ value: Int) {
        bytes([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    mutating func text(_ text: String) {
        number(text.utf8.count)
        bytes(Array(text.utf8))
    }
}
