import FoundationEssentials
import CurlNetworkingPlatform

/// The open file that a response body is written to.
final class HelperFile {
    let folder: PrivateFolder
    let name: String
    private var descriptor: Int32
    private(set) var byteCount: Int64
    /// Of the first `byteCount` bytes.
    private(set) var checksum = Checksum()
    /// Checksums of a part that another attempt, or another process, may resume.
    private var marks: PartialFileMarks?

    init(_ name: String, in folder: PrivateFolder, _ descriptor: Int32, byteCount: Int64) {
        self.name = name
        self.folder = folder
        self.descriptor = descriptor
        self.byteCount = byteCount
    }

    deinit {
        if descriptor >= 0 { LockedFile.close(descriptor) }
    }

    var path: String { folder.path(of: name) }

    // MARK: - Opening

    /// A duplicate descriptor for reading on another queue, closed by the caller; -1 on failure.
    func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Continues behind the part that was verified.
    func accept(_ found: PartialFileChecks.Finding) {
        byteCount = found.byteCount
        checksum = found.checksum
    }

    /// From here on, checksums of what is written are recorded.
    func keepMarks() {
        guard marks == nil else { return }
        marks = PartialFileMarks(ofPartAt: path)
        marks?.cut(to: byteCount)
        mark()
    }

    /// Records a checksum of all that was written so far.
    func mark() {
        marks?.add(PartialFileMark(byteCount: byteCount, checksum: checksum.value))
    }

    // MARK: - Writing

    /// Truncates the file, and continues from there.
    func cut(to count: Int64) throws(URLError) {
        let place = off_t(count)
        guard ftruncate(descriptor, place) == 0, lseek(descriptor, place, SEEK_SET) == place else {
            throw AtomicFile.failure(.cannotWriteToFile, path)
        }
        if count != byteCount { checksum = Checksum() }
        byteCount = count
        if count > 0 { marks?.cut(to: count) } else { removeMarks() }
    }

    /// Appends data. When this throws, `byteCount` and `checksum` still describe what was written.
    func append(_ data: Data) throws(URLError) {
        let isWritten = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = write(descriptor, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                byteCount += Int64(count)
                checksum.add(UnsafeRawBufferPointer(rebasing: part[..<count]))
                rest = rest.dropFirst(count)
            }
            return true
        }
        guard isWritten else { throw AtomicFile.failure(.cannotWriteToFile, path) }
        if marks?.isDue(at: byteCount) == true { mark() }
    }

    func remove() {
        unlink(path)
        removeMarks()
    }

    private func removeMarks() {
        marks = nil
        PartialFileMarks.remove(ofPartAt: path)
    }

    /// Syncs the file and moves it to the folder of results under the same name, on the queue for files,
    /// because a large one takes a while.
    ///
    /// - Parameter staysOnFailure: Whether resume data names it.
    func finish(
        into results: PrivateFolder, staysOnFailure: Bool,
        _ receive: @escaping @Sendable (URLError?) -> Void
    ) {
        let descriptor = descriptor
        self.descriptor = -1
        let path = path
        let destination = results.path(of: name)
        FileQueue.run {
            var error: URLError?
            if fsync(descriptor) != 0 { error = AtomicFile.failure(.cannotWriteToFile, path) }
            if LockedFile.close(descriptor) != 0, error == nil {
                error = AtomicFile.failure(.cannotCloseFile, path)
            }
            if error == nil, path != destination {
                if rename(path, destination) == 0 {
                    AtomicFile.syncFolder(results.path)
                } else {
                    error = AtomicFile.failure(.cannotMoveFile, path)
                }
            }
            if error != nil, !staysOnFailure { unlink(path) }
            PartialFileMarks.remove(ofPartAt: path)
            receive(error)
        }
    }
}

extension PartialFiles {
    /// Makes a part to write to.
    func makeFile(_ name: String = makeName()) throws(URLError) -> HelperFile {
        let (name, descriptor) = try make(name)
        return HelperFile(name, in: folder, descriptor, byteCount: 0)
    }

    /// nil when it is gone.
    func openFile(_ name: String) throws(URLError) -> HelperFile? {
        guard let (descriptor, byteCount) = try open(name) else { return nil }
        return HelperFile(name, in: folder, descriptor, byteCount: byteCount)
    }
}
