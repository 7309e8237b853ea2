import FoundationEssentials
import Glibc
import Synchronization

/// The file a download is written to, on the queue for files: a temporary one or, when the download can
/// be gone on with later, a part in `PartialFiles`.
final class DownloadFile: Sendable {
    private let task: URLSessionTask
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: TemporaryFile?
        var descriptor: Int32 = -1
        var failure: URLError?
        /// Of the whole file, what an earlier task has brought included.
        var writtenByteCount: Int64 = 0
        /// Of what was written, for resume data.
        var checksum = Checksum()
        /// What the whole file will have, as far as a range has said.
        var total: Int64?
        /// nil for what cannot be gone on with.
        var recipe: ResumeRecipe?
        /// The part's plain name; nil for a temporary file.
        var partName: String?
        /// Whether somebody has resume data that names the part.
        var isNamedElsewhere = false
    }

    /// - Parameter recipe: nil for a download that cannot be gone on with.
    init(for task: URLSessionTask, recipe: ResumeRecipe? = nil) {
        self.task = task
        state = Mutex(State(recipe: recipe))
    }

    /// Opens the part that resume data names, and finds out how much of it is as it was: nothing, if a
    /// byte has changed. On the queue for files.
    ///
    /// - Throws: `.cannotOpenFile` when it is gone, not ours, or in use.
    init(
        goingOnWith data: ResumeData, for task: URLSessionTask
    ) throws(URLError) {
        let parts = try PartialFiles(task.session.settings)
        let opened = try parts.open(data.fileName)
        _ = try DownloadResumption(data, fileByteCount: opened?.byteCount)
        let found = PartialFileChecks.find(
            in: opened?.descriptor ?? -1, upTo: min(data.byteCount, opened?.byteCount ?? 0),
            total: data.totalByteCount, data.marks)
        self.task = task
        state = Mutex(
            State(
                file: TemporaryFile(path: parts.folder.path(of: data.fileName)),
                descriptor: opened?.descriptor ?? -1, writtenByteCount: found.byteCount,
                checksum: found.checksum, recipe: .goesOn(data), partName: data.fileName,
                isNamedElsewhere: true))
    }

    /// How much is in the file, what an earlier task has brought included.
    var byteCount: Int64 { state.withLock { $0.writtenByteCount } }

    /// Writes a piece in its turn. A failure is reported to the engine once.
    func append(_ data: Data, expected: Int64) {
        FileQueue.run { [self] in
            let outcome: Result<(Int64, Int64), URLError>? = state.withLock { state in
                guard state.failure == nil else { return nil }
                do throws(URLError) {
                    try open(&state)
                    try Self.write(data, to: state.descriptor)
                    state.writtenByteCount += Int64(data.count)
                    // Of use to resume data alone.
                    if state.recipe != nil { data.withUnsafeBytes { state.checksum.add($0) } }
                    return .success((state.writtenByteCount, state.total ?? expected))
                } catch {
                    state.failure = error
                    return .failure(error)
                }
            }
            switch outcome {
            case .success(let (total, expected))?:
                task.post(.wrote(total: total, expected: expected))
            case .failure(let error)?:
                Engine.shared.thread.submit { [task] engine in engine.fail(task, with: error) }
            case nil:
                break
            }
            task.didConsume(data.count)
        }
    }

    /// Goes on behind the first `offset` bytes, or begins again with none. Before the first piece.
    ///
    /// - Parameter recipe: What the resume data will say from here on.
    func begin(at offset: Int64, total: Int64?, _ recipe: ResumeRecipe?) {
        FileQueue.run { [self] in
            let failure: URLError? = state.withLock { state in
                guard state.failure == nil else { return nil }
                state.total = total
                state.recipe = recipe
                state.writtenByteCount = offset
                if offset == 0 { state.checksum = Checksum() }
                do throws(URLError) {
                    guard ftruncate(state.descriptor, Int(offset)) == 0,
                        lseek(state.descriptor, Int(offset), SEEK_SET) == Int(offset)
                    else {
                        throw URLError(.cannotWriteToFile, underlyingText: lastSystemError)
                    }
                    // What comes now may be another version: the old resume data must not find it.
                    if offset == 0 { try rename(&state) }
                    return nil
                } catch {
                    state.failure = error
                    return error
                }
            }
            if let failure {
                Engine.shared.thread.submit { [task] engine in engine.fail(task, with: failure) }
            }
        }
    }

    /// Closes the file after its last piece and hands it over.
    func finish(_ receive: @escaping @Sendable (Result<TemporaryFile, URLError>) -> Void) {
        FileQueue.run { [self] in
            let result: Result<TemporaryFile, URLError> = state.withLock { state in
                Result { () throws(URLError) -> TemporaryFile in
                    if let failure = state.failure { throw failure }
                    try Self.check(&state)
                    try open(&state)  // an empty body is an empty file
                    // Resume data that somebody kept must not find what is somebody else's now.
                    try rename(&state)
                    let descriptor = state.descriptor
                    state.descriptor = -1
                    guard LockedFile.close(descriptor) == 0 else {
                        throw URLError(.cannotCloseFile, underlyingText: lastSystemError)
                    }
                    guard let file = state.file else { throw URLError(.cannotCreateFile) }
                    state.file = nil
                    return file
                }
            }
            guard case .failure(let error) = result else { return receive(result) }
            stop { [task] in receive(.failure(error.with(resumeData: $0, of: task))) }
        }
    }

    /// Brings what has arrived to the disk and makes resume data of it; nil, and nothing is left, when
    /// it cannot be gone on with.
    func stop(_ receive: @escaping @Sendable (Data?) -> Void) {
        FileQueue.run { [self] in
            let blob: Data? = state.withLock { state in
                defer { Self.close(&state) }
                guard state.descriptor >= 0, let name = state.partName,
                    let data = state.recipe?.data(
                        byteCount: state.writtenByteCount, checksum: state.checksum.value,
                        fileName: name),
                    let blob = try? data.blob, fsync(state.descriptor) == 0
                else {
                    if !state.isNamedElsewhere { state.file?.remove() }
                    return nil
                }
                state.file?.keep()
                return blob
            }
            receive(blob)
        }
    }

    /// Removes what was written, except for a part that somebody has resume data of.
    func discard() {
        FileQueue.run { [self] in
            state.withLock { state in
                if state.isNamedElsewhere { state.file?.keep() }
                Self.close(&state)
            }
        }
    }

    // MARK: - On the queue for files

    private static func close(_ state: inout State) {
        if state.descriptor >= 0 { LockedFile.close(state.descriptor) }
        state.descriptor = -1
        if state.isNamedElsewhere { state.file?.keep() }
        state.file = nil
        state.failure = state.failure ?? URLError(.cancelled)
    }

    private func open(_ state: inout State) throws(URLError) {
        guard state.file == nil else { return }
        if state.recipe != nil, openPart(&state) == .opened { return }
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appending(
            path: "CurlNetworkingDownload_\(UUID().uuidString).tmp", directoryHint: .notDirectory
        ).path(percentEncoded: false)
        // Refuses to write through a link or into a file that is there already.
        let descriptor = Glibc.open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw URLError(.cannotCreateFile, underlyingText: "\(path): \(lastSystemError)")
        }
        state.descriptor = descriptor
        state.file = TemporaryFile(path: path)
    }

    private enum Part {
        case opened
        case unavailable
    }

    /// Without a folder for parts the download still works, it just cannot be continued later.
    private func openPart(_ state: inout State) -> Part {
        guard let parts = try? PartialFiles(task.session.settings), let part = try? parts.make()
        else { return .unavailable }
        parts.removeOldOnce()
        state.descriptor = part.descriptor
        state.partName = part.name
        state.file = TemporaryFile(path: parts.folder.path(of: part.name))
        return .opened
    }

    /// Gives a part a name that no resume data knows.
    private func rename(_ state: inout State) throws(URLError) {
        guard state.partName != nil, let file = state.file else { return }
        let name = PartialFiles.makeName()
        let path =
            file.path.prefix(through: file.path.lastIndex(of: "/") ?? file.path.startIndex) + name
        guard Glibc.rename(file.path, String(path)) == 0 else {
            throw URLError(.cannotMoveFile, underlyingText: "\(path): \(lastSystemError)")
        }
        file.keep()
        state.file = TemporaryFile(path: String(path))
        state.partName = name
        state.isNamedElsewhere = false
    }

    /// A range that ended early, or went on and on, does not make a whole file.
    private static func check(_ state: inout State) throws(URLError) {
        guard let total = state.total, total != state.writtenByteCount else { return }
        if state.writtenByteCount > total { state.recipe = nil }
        throw URLError(
            .networkConnectionLost,
            underlyingText: "the range ended after \(state.writtenByteCount) of \(total) bytes")
    }

    private static func write(_ data: Data, to descriptor: Int32) throws(URLError) {
        let failure: String? = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return lastSystemError
                }
                rest = rest.dropFirst(count)
            }
            return nil
        }
        if let failure { throw URLError(.cannotWriteToFile, underlyingText: failure) }
    }
}

extension PartialFiles {
    /// Those of a session.
    fileprivate init(_ settings: SessionSettings) throws(URLError) {
        try self.init(path: settings.partialDownloadsFolder ?? PartialFiles.standardPath())
    }
}
