import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// Stores responses in a folder, one file each. There is no index file that could disagree with the folder.
///
/// Each file's size and last use are kept in memory, and read from the folder when they are first needed. The
/// last use is the file's modification time, so that it outlives the process. Other processes may use the
/// folder, too: files are replaced atomically, and a missing file is a cache miss.
final class DiskCache: Sendable {
    let folder: String
    private let state = Mutex(State())
    /// Outside the state, whose lock is held while the folder is read: the engine asks for it.
    private let capacityInBytes: Atomic<Int>

    private struct State {
        /// nil until the folder was read.
        var index: DiskCacheIndex?
    }

    init(folder: String, capacity: Int) {
        self.folder = folder
        capacityInBytes = Atomic(capacity)
    }

    /// Creates a cache in a folder, whose path may end in a slash; returns nil without a folder.
    convenience init?(_ folder: String?, _ capacity: Int) {
        guard let folder else { return nil }
        let isBare = folder.count > 1 && folder.hasSuffix("/")
        self.init(
            folder: isBare ? String(folder.dropLast()) : folder, capacity: max(0, capacity))
    }

    var capacity: Int {
        get { capacityInBytes.load(ordering: .relaxed) }
        set {
            capacityInBytes.store(newValue, ordering: .relaxed)
            state.withLock { shrink(&$0) }
        }
    }

    var byteCount: Int { withIndex { $0.byteCount } }

    // MARK: - Entries

    /// Returns the newest variant that matches a query.
    func entry(for key: CacheKey, _ query: CacheQuery) -> CacheEntry? {
        for name in newestFirst(withIndex { $0.names(of: key) }, of: key, query) {
            guard let found = open(name, key: key), query.matches(found.entry.head) else {
                continue
            }
            touch(name)
            return found.entry
        }
        return nil
    }

    /// Sorts the files that match a query by their heads alone: a body is verified as a whole. One file needs no order.
    private func newestFirst(_ names: [String], of key: CacheKey, _ query: CacheQuery) -> [String] {
        guard names.count > 1 else { return names }
        return names.compactMap { name in openHead(name, key: key).map { (name, head: $0) } }
            .filter { query.matches($0.head) }
            .sorted { $0.head.responseTime > $1.head.responseTime }.map(\.0)
    }

    /// Returns the head of a variant, from its file, which another process may have written. The body is not
    /// verified.
    func head(of variant: StoredHead.Variant, for key: CacheKey) -> StoredHead? {
        openHead(key.fileName(variant), key: key).flatMap { $0.variant == variant ? $0 : nil }
    }

    /// Reads a head without verifying its body. A damaged file is removed; one for another URL is ignored.
    private func openHead(_ name: String, key: CacheKey) -> StoredHead? {
        let descriptor = openFile(name)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let head = Self.readHead(descriptor)?.head else {
            remove(name)
            return nil
        }
        return CacheKey(head.url) == key ? head : nil
    }

    /// Writes an entry. It is not stored if it is too large or the disk is full.
    func store(_ entry: CacheEntry, key: CacheKey) {
        do throws(URLError) {
            var file = try makeScratchFile(for: entry.head)
            try Self.copy(entry.body, to: &file)
            try publish(file, head: entry.head, key: key)
        } catch {
            // No entry is better than the outdated one.
            remove(key.fileName(entry.head.variant))
        }
    }

    /// Starts a file for a body that is going to be received.
    func makeScratchFile(for head: StoredHead) throws(URLError) -> CacheScratchFile {
        try AtomicFile.makeFolder(folder)
        let file = try CacheScratchFile(folder: folder, head: head)
        try file.begin()
        return file
    }

    func publish(
        _ file: consuming CacheScratchFile, head: StoredHead, key: CacheKey
    ) throws(URLError) {
        let name = key.fileName(head.variant)
        let byteCount = try file.publish(as: name)
        state.withLock { state in
            load(&state)
            state.index?.insert(name, byteCount: byteCount, lastUse: Date().timeIntervalSince1970)
            while let oldest = state.index?.surplus(
                of: key, above: StoredHead.Variant.maximumCount, except: name)
            {
                unlink(path(of: oldest))
                state.index?.remove(oldest)
            }
            shrink(&state)
        }
    }

    func remove(_ variant: StoredHead.Variant, for key: CacheKey) {
        let name = key.fileName(variant)
        if withIndex({ $0.names(of: key).contains(name) }) { remove(name) }
    }

    /// Removes a variant of each account.
    func removeAccounts(of variant: StoredHead.Variant, for key: CacheKey) {
        for name in withIndex({ $0.names(of: key) })
        where openHead(name, key: key)?.variant.withoutAccount == variant.withoutAccount {
            remove(name)
        }
    }

    func removeAll(for key: CacheKey) {
        for name in withIndex({ $0.names(of: key) }) { remove(name) }
    }

    /// Removes all entries, or those stored since a date.
    func removeAll(since date: Date? = nil) {
        let names = state.withLock { state in
            state.index = nil  // includes files of other processes
            load(&state)
            return state.index?.names ?? []
        }
        for name in names {
            guard let date else {
                remove(name)
                continue
            }
            if let found = open(name, key: nil), found.entry.head.responseTime < date { continue }
            remove(name)
        }
    }

    private static func copy(
        _ body: CacheBody, to file: inout CacheScratchFile
    ) throws(URLError) {
        var offset = 0
        while offset < body.byteCount {
            guard let piece = body.piece(at: offset, byteCount: 256 << 10), !piece.isEmpty else {
                throw URLError(.cannotOpenFile)
            }
            try file.append(piece)
            offset += piece.count
        }
    }

    // MARK: - Files

    private func path(of name: String) -> String { folder + "/" + name }

    /// Returns the descriptor, or -1 on failure. A file that is gone is forgotten.
    private func openFile(_ name: String) -> Int32 {
        let descriptor = Glibc.open(
            path(of: name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor < 0, errno == ENOENT || errno == ELOOP else { return descriptor }
        withIndex { index in
            // It may have been published meanwhile.
            var facts = stat()
            let isThere = lstat(path(of: name), &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            if !isThere { index.remove(name) }
        }
        return descriptor
    }

    /// Reads and verifies an entry. A damaged one is removed; one for another URL is ignored.
    private func open(_ name: String, key: CacheKey?) -> (name: String, entry: CacheEntry)? {
        let descriptor = openFile(name)
        guard descriptor >= 0 else { return nil }
        guard let (head, body) = Self.read(descriptor) else {
            remove(name)
            return nil
        }
        guard key == nil || CacheKey(head.url) == key else { return nil }
        return (name, CacheEntry(head: head, body: .file(body)))
    }

    /// Takes ownership of the descriptor.
    private static func read(_ descriptor: Int32) -> (StoredHead, CacheBodyFile)? {
        guard let (preamble, head) = readHead(descriptor) else {
            close(descriptor)
            return nil
        }
        let body = CacheBodyFile(
            descriptor: descriptor, offset: preamble.bodyOffset, byteCount: preamble.bodyByteCount)
        return body.checksum() == preamble.bodySum ? (head, body) : nil
    }

    private static func readHead(
        _ descriptor: Int32
    ) -> (preamble: CacheFilePreamble, head: StoredHead)? {
        var status = stat()
        let limit = CacheFilePreamble.byteCount + CacheFilePreamble.largestHeadByteCount
        var bytes: [UInt8] = []
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        {
            bytes = read(descriptor, atMost: min(limit, Int(status.st_size), 16 << 10))
            if let preamble = CacheFilePreamble(bytes[...]), preamble.bodyOffset > bytes.count {
                lseek(descriptor, 0, SEEK_SET)
                bytes = read(descriptor, atMost: preamble.bodyOffset)
            }
        }
        guard let preamble = CacheFilePreamble(bytes[...]),
            preamble.fileByteCount == Int(status.st_size), preamble.bodyOffset <= bytes.count,
            preamble.headSum
                == Checksum.of(bytes[CacheFilePreamble.byteCount..<preamble.bodyOffset]),
            let head = StoredHead(encoded: bytes[CacheFilePreamble.byteCount..<preamble.bodyOffset])
        else { return nil }
        return (preamble, head)
    }

    private static func read(_ descriptor: Int32, atMost count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = AtomicFile.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    private func touch(_ name: String) {
        _ = utimensat(AT_FDCWD, path(of: name), nil, AT_SYMLINK_NOFOLLOW)
        withIndex { $0.touch(name, at: Date().timeIntervalSince1970) }
    }

    private func remove(_ name: String) {
        unlink(path(of: name))
        forget(name)
    }

    private func forget(_ name: String) {
        withIndex { $0.remove(name) }
    }

    // MARK: - The folder

    private func withIndex<Result: Sendable>(
        _ body: (inout DiskCacheIndex) -> Result
    ) -> Result {
        state.withLock { state in
            var index = state.index.take() ?? list()
            defer { state.index = index }
            return body(&index)
        }
    }

    private func load(_ state: inout State) {
        if state.index == nil { state.index = list() }
    }

    /// Lists the entries, and removes files that a crash left incomplete.
    private func list() -> DiskCacheIndex {
        var index = DiskCacheIndex()
        guard let directory = opendir(folder) else { return index }
        defer { closedir(directory) }
        let now = Date().timeIntervalSince1970
        while let item = readdir(directory) {
            let name = withUnsafePointer(to: &item.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard CacheKey.isFileName(name) || name.hasSuffix(CacheScratchFile.suffix),
                fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            let time = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
            if CacheKey.isFileName(name) {
                index.insert(name, byteCount: Int(status.st_size), lastUse: time)
            } else if UUID(uuidString: String(name.dropLast(4))) != nil, now - time > 3600 {
                unlink(path(of: name))
            }
        }
        return index
    }

    /// Removes the least recently used entries until a tenth of the capacity is free.
    private func shrink(_ state: inout State) {
        load(&state)
        let capacity = capacity
        guard let known = state.index, known.byteCount > capacity else { return }
        state.index = list().refined(by: known)  // other processes may have changed the folder
        for name in state.index?.longestUnused(downTo: capacity / 10 * 9, if: capacity) ?? [] {
            unlink(path(of: name))
            state.index?.remove(name)
        }
    }
}
