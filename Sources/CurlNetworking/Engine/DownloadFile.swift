import FoundationEssentials
import Glibc
import Synchronization

/// The temporary file a download is written to, on the queue for files.
final class DownloadFile: Sendable {
    private let task: URLSessionTask
    private let state = Mutex(State())

    private struct State: ~Copyable {
        var file: TemporaryFile?
        var descriptor: Int32 = -1
        var failure: URLError?
        var writtenByteCount: Int64 = 0
    }

    init(for task: URLSessionTask) {
        self.task = task
    }

    /// Writes a piece in its turn. A failure is reported to the engine once.
    func append(_ data: Data, expected: Int64) {
        FileQueue.run { [self] in
            let outcome: Result<Int64, URLError>? = state.withLock { state in
                guard state.failure == nil else { return nil }
                do throws(URLError) {
                    try Self.open(&state)
                    try Self.write(data, to: state.descriptor)
                    state.writtenByteCount += Int64(data.count)
                    return .success(state.writtenByteCount)
                } catch {
                    state.failure = error
                    return .failure(error)
                }
            }
            switch outcome {
            case .success(let total)?:
                task.post(.wrote(total: total, expected: expected))
            case .failure(let error)?:
                Engine.shared.submit { [task] engine in engine.fail(task, with: error) }
            case nil:
                break
            }
            task.didConsume(data.count)
        }
    }

    /// Closes the file after its last piece and hands it over.
    func finish(_ receive: @escaping @Sendable (Result<TemporaryFile, URLError>) -> Void) {
        FileQueue.run { [self] in
            receive(
                state.withLock { state in
                    Result { () throws(URLError) -> TemporaryFile in
                        if let failure = state.failure { throw failure }
                        try Self.open(&state)  // an empty body is an empty file
                        let descriptor = state.descriptor
                        state.descriptor = -1
                        guard close(descriptor) == 0 else {
                            throw URLError(.cannotCloseFile, underlyingText: lastSystemError)
                        }
                        guard let file = state.file else { throw URLError(.cannotCreateFile) }
                        state.file = nil
                        return file
                    }
                })
        }
    }

    /// Removes what was written.
    func discard() {
        FileQueue.run { [self] in
            state.withLock { state in
                if state.descriptor >= 0 { close(state.descriptor) }
                state.descriptor = -1
                state.file = nil
                state.failure = state.failure ?? URLError(.cancelled)
            }
        }
    }

    private static func open(_ state: inout State) throws(URLError) {
        guard state.file == nil else { return }
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

/// What `errno` means, in words.
var lastSystemError: String { String(cString: strerror(errno)) }
