import ClubStore
import Foundation

/// A transfer's delegate that writes down what it hears, and lets a test wait for the end.
@MainActor final class Recorder: TransferDelegate {
    private(set) var progress: [(moved: Int64, expected: Int64)] = []
    private(set) var results: [Result<RemoteFile, StoreError>] = []
    var onProgress: (any Transfer) -> Void = { _ in }
    private var continuation: CheckedContinuation<Void, Never>?

    func transfer(_ transfer: any Transfer, didMove byteCount: Int64, ofExpected expected: Int64) {
        progress.append((byteCount, expected))
        onProgress(transfer)
    }

    func transfer(
        _ transfer: any Transfer, didFinishWith result: Result<RemoteFile, StoreError>
    ) {
        results.append(result)
        continuation?.resume()
        continuation = nil
    }

    func waitForEnd() async {
        guard results.isEmpty else { return }
        await withCheckedContinuation { continuation = $0 }
    }

    /// Uploads, or does what `start` does instead of resuming, and waits for the end.
    static func upload(
        _ file: URL, to path: RemotePath, mode: WriteMode = .add, record: URL? = nil,
        in store: any RemoteStore,
        start: @MainActor (any Transfer) -> Void = { $0.resume() }
    ) async throws -> RemoteFile {
        let recorder = Recorder()
        let transfer = store.upload(
            fileAt: file, to: path, mode: mode, record: record, delegate: recorder)
        start(transfer)
        await recorder.waitForEnd()
        return try recorder.results[0].get()
    }

    static func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool = false,
        in store: any RemoteStore
    ) async throws -> RemoteFile {
        let recorder = Recorder()
        let transfer = store.download(
            path, to: file, keepsPartialFile: keepsPartialFile, delegate: recorder)
        transfer.resume()
        await recorder.waitForEnd()
        return try recorder.results[0].get()
    }
}

/// A folder of a test's own, removed after it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "byteclub-store-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ data: Data, to name: String) throws -> URL {
        let file = url.appending(path: name)
        try data.write(to: file)
        return file
    }

    /// The same files in another folder: the locks on these are nobody's.
    func copyWithoutLocks() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in try names {
            _ = try copy.write(Data(contentsOf: url.appending(path: name)), to: name)
        }
        return copy
    }

    /// Another descriptor of a file that this program has open, as a child has one that is just being
    /// started: with the same lock. To be closed.
    func descriptorOfAChild(_ name: String) throws -> Int32 {
        let file = url.resolvingSymlinksInPath().appending(path: name).path
        for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/" + entry)
            if target == file, let number = Int32(entry) { return dup(number) }
        }
        throw POSIXError(.ENOENT)
    }

    struct NotEmpty: Error { let names: [String] }

    /// Waits until nothing is in it.
    func isEmpty() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !names.isEmpty {
            guard ContinuousClock.now < end else { throw NotEmpty(names: try names) }
            await Task.yield()
        }
    }

    /// What is in it, hidden files too.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
