import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// The file that a download is written to, on the file queue: a temporary file or, if the download can be
/// resumed, a partial file in `PartialFiles`.
final class DownloadFile: Sendable {
    private let task: URLSessionTask
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: TemporaryFile?
        var descriptor: Int32 = -1
        var failure: URLError?
        /// The length of the file, including bytes from an earlier task.
        var writtenByteCount: Int64 = 0
        /// The checksum of these bytes, for resume data.
        var checksum = Checksum()
        /// The expected length of the whole file, from `Content-Range`.
        var total: Int64?
        /// nil if the download cannot be resumed.
        var recipe: ResumeRecipe?
        /// The partial file's name; nil for a temporary file.
        var partName: String?
        /// Whether resume data that names the partial file was handed out.
        var isNamedElsewhere = false
    }

    /// Creates the file of a download.
    ///
    /// - Parameter recipe: nil if the download cannot be resumed.
    init(for task: URLSessionTask, recipe: ResumeRecipe? = nil) {
        self.task = task
        state = Mutex(State(recipe: recipe))
    }

    /// Opens the partial file that resume data names, and verifies its contents. If a byte has changed,
    /// nothing of it is used. Blocks until it is read, or the opening is cancelled.
    ///
    /// - Throws: `.cannotOpenFile` if it is missing, not a partial file of ours, or in use.
    init(
        goingOnWith data: ResumeData, for task: URLSessionTask, _ opening: PartialFileOpening
    ) throws(URLError) {
        let parts = try PartialFiles(task.session.settings)
        let opened = try parts.open(data.fileName)
        _ = try DownloadResumption(data, fileByteCount: opened?.byteCount)
        let found = PartialFileChecks.find(
            in: opened?.descriptor ?? -1, upTo: min(data.byteCount, opened?.byteCount ?? 0),
            total: data.totalByteCount, data.marks, isCancelled: { opening.isCancelled })
        self.task = task
        state = Mutex(
            State(
                file: TemporaryFile(path: parts.folder.path(of: data.fileName)),
                descriptor: opened?.descriptor ?? -1, writtenByteCount: found.byteCount,
                checksum: found.checksum, recipe: .resumes(data), partName: data.fileName,
                isNamedElsewhere: true))
    }

    deinit {
        // One that nobody has taken, because the transfer has ended meanwhile.
        state.withLock { state in Self.close(&state) }
    }

    /// The length of the file, including bytes from an earlier task.
    var byteCount: Int64 { state.withLock { $0.writtenByteCount } }

    /// Queues a write. A failure is reported to the engine once.
    func append(_ data: Data, expected: Int64) {
        FileQueue.run { [self] in
            let outcome: Result<(Int64, Int64), URLError>? = state.withLock { state in
                guard state.failure == nil else { return nil }
                do throws(URLError) {
                    try open(&state)
                    try Self.write(data, to: state.descriptor)
                    state.writtenByteCount += Int64(data.count)
                    // Only resume data needs it.
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
                report(error)
            case nil:
                break
            }
            task.didConsume(data.count)
        }
    }

    /// Continues after the first `offset` bytes; 0 starts over. Called before the first piece is appended.
    ///
    /// - Parameter recipe: The contents of future resume data.
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
                    // The new bytes may be of another version, which old resume data must not refer to.
                    if offset == 0 { try rename(&state) }
                    return nil
                } catch {
                    state.failure = error
                    return error
                }
            }
            if let failure { report(failure) }
        }
    }

    /// Closes the file after its last piece and hands it over.
    func finish(_ receive: @escaping @Sendable (Result<TemporaryFile, URLError>) -> Void) {
        FileQueue.run { [self] in
            let result: Result<TemporaryFile, URLError> = state.withLock { state in
                Result { () throws(URLError) -> TemporaryFile in
                    if let failure = state.failure { throw failure }
                    try Self.check(&state)
                    try open(&state)  // so that an empty body is an empty file
                    // Stale resume data must not match another download's file.
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

    /// Syncs the received bytes to disk and creates resume data for them. Passes nil, and removes the file,
    /// if the download cannot be resumed.
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

    /// Removes the file unless resume data refers to it, and closes it.
    ///
    /// - Parameter completion: Called on the file queue, when another task can open the file.
    func discard(completion: @escaping @Sendable () -> Void = {}) {
        FileQueue.run { [self] in
            state.withLock { state in
                if state.isNamedElsewhere { state.file?.keep() }
                Self.close(&state)
            }
            completion()
        }
    }

    // MARK: - On the file queue

    /// Ends the transfer with a failure. What a ``URLProtocol`` loads has no transfer, and gets the failure from
    /// `finish`.
    private func report(_ failure: URLError) {
        let fail = Engine.shared.callback(forAnyAttemptOf: task) {
            (engine, transfer, failure: URLError) in
            let url = transfer.request.url
            engine.fail(transfer, with: failure.failingURL == nil ? failure.for(url) : failure)
        }
        fail(failure)
    }

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
        // Does not follow symbolic links or open existing files.
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

    /// Opens a partial file. Without a folder for them, the download runs but cannot be resumed.
    private func openPart(_ state: inout State) -> Part {
        guard let parts = try? PartialFiles(task.session.settings), let part = try? parts.make()
        else { return .unavailable }
        parts.removeOldOnce()
        state.descriptor = part.descriptor
        state.partName = part.name
        state.file = TemporaryFile(path: parts.folder.path(of: part.name))
        return .opened
    }

    /// Renames the partial file, so that no resume data refers to it.
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

    /// Verifies that the length matches the range: the server may have sent less or more.
    private static func check(_ state: inout State) throws(URLError) {
        guard let total = state.total, total != state.writtenByteCount else { return }
        if state.writtenByteCount > total { state.recipe = nil }
        throw URLError(
            .networkConnectionLost,
            underlyingText: "the range ended after \(state.writtenByteCount) of \(total) bytes")
    }

    private static func write(_ data: Data, to descriptor: Int32) throws(URLError) {
        // A typed error does not pass through `withUnsafeBytes` of `Data`.
        let failure: URLError? = data.withUnsafeBytes { bytes in
            do throws(URLError) { try AtomicFile.write(bytes, to: descriptor) } catch {
                return error
            }
            return nil
        }
        if let failure { throw failure }
    }
}

extension PartialFiles {
    /// The partial files of a session.
    fileprivate init(_ settings: SessionSettings) throws(URLError) {
        try self.init(path: settings.partialDownloadsFolder ?? PartialFiles.standardPath())
    }
}
