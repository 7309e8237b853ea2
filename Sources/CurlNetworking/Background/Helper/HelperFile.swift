import FoundationEssentials
import Glibc

/// The file the body of an answer is written to, open.
final class HelperFile {
    let folder: PrivateFolder
    let name: String
    private var descriptor: Int32
    private(set) var byteCount: Int64

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

    /// Cuts the file, and goes on from there.
    func cut(to count: Int64) throws(URLError) {
        let place = off_t(count)
        guard ftruncate(descriptor, place) == 0, lseek(descriptor, place, SEEK_SET) == place else {
            throw WholeFile.failure(.cannotWriteToFile, path)
        }
        byteCount = count
    }

    func append(_ data: Data) throws(URLError) {
        let isWritten = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = write(descriptor, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        guard isWritten else { throw WholeFile.failure(.cannotWriteToFile, path) }
        byteCount += Int64(data.count)
    }

    func remove() {
        unlink(path)
    }

    /// Brings the file to the disk and into the folder of results, under the same name, on the queue
    /// for files: a large one takes its time.
    func finish(
        into results: PrivateFolder, _ receive: @escaping @Sendable (URLError?) -> Void
    ) {
        let descriptor = descriptor
        self.descriptor = -1
        let path = path
        let destination = results.path(of: name)
        FileQueue.run {
            var error: URLError?
            if fsync(descriptor) != 0 { error = WholeFile.failure(.cannotWriteToFile, path) }
            if LockedFile.close(descriptor) != 0, error == nil {
                error = WholeFile.failure(.cannotCloseFile, path)
            }
            if error == nil, path != destination {
                if rename(path, destination) == 0 {
                    WholeFile.syncFolder(results.path)
                } else {
                    error = WholeFile.failure(.cannotMoveFile, path)
                }
            }
            if error != nil { unlink(path) }
            receive(error)
        }
    }
}

extension PartialFiles {
    /// Makes a part to write to.
    func makeFile() throws(URLError) -> HelperFile {
        let (name, descriptor) = try make()
        return HelperFile(name, in: folder, descriptor, byteCount: 0)
    }

    /// nil when it is gone.
    func openFile(_ name: String) throws(URLError) -> HelperFile? {
        guard let (descriptor, byteCount) = try open(name) else { return nil }
        return HelperFile(name, in: folder, descriptor, byteCount: byteCount)
    }
}
