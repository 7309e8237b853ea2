import ClubStore
import Foundation
import TestSupport

/// A transfer's delegate that records its callbacks and can be awaited.
@MainActor final class Recorder: StoreTransferDelegate {
    private(set) var progress: [(moved: Int64, expected: Int64)] = []
    private(set) var results: [Result<RemoteFile, StoreError>] = []
    var onProgress: (any StoreTransfer) -> Void = { _ in }
    private var continuation: CheckedContinuation<Void, Never>?

    func transfer(
        _ transfer: any StoreTransfer, didMove byteCount: Int64, ofExpected expected: Int64
    ) {
        progress.append((byteCount, expected))
        onProgress(transfer)
    }

    func transfer(
        _ transfer: any StoreTransfer, didFinishWith result: Result<RemoteFile, StoreError>
    ) {
        results.append(result)
        continuation?.resume()
        continuation = nil
    }

    func waitForEnd() async {
        guard results.isEmpty else { return }
        await withCheckedContinuation { continuation = $0 }
    }

    /// Resumes an upload, or calls `start` instead, and waits until it finishes.
    static func upload(
        _ file: URL, to path: RemotePath, mode: RemoteWriteMode = .add, record: URL? = nil,
        in store: any RemoteStore,
        start: @MainActor (any StoreTransfer) -> Void = { $0.resume() }
    ) async throws -> RemoteFile {
        let recorder = Recorder()
        let transfer = store.upload(
            fileAt: file, to: path, mode: mode, record: record, delegate: recorder)
        start(transfer)
        await recorder.waitForEnd()
        return try recorder.results[0].get()
    }

    static func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool = false, replaces: Bool = true,
        in store: any RemoteStore
    ) async throws -> RemoteFile {
        let recorder = Recorder()
        let transfer = store.download(
            path, to: file, keepsPartialFile: keepsPartialFile, replaces: replaces,
            delegate: recorder)
        transfer.resume()
        await recorder.waitForEnd()
        return try recorder.results[0].get()
    }
}

/// A test's temporary folder, removed after it.
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

    /// A copy of the files, without the locks on them.
    func copyWithoutLocks() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in try names {
            _ = try copy.write(Data(contentsOf: url.appending(path: name)), to: name)
        }
        return copy
    }

    /// A duplicate descriptor of an open file, as a child process has one right after `fork`: with
    /// the same lock. The caller closes it.
    func descriptorOfAChild(_ name: String) throws -> Int32 {
        let file = url.resolvingSymlinksInPath().appending(path: name).path
        for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/" + entry)
            if target == file, let number = Int32(entry) { return dup(number) }
        }
        throw POSIXError(.ENOENT)
    }

    /// Waits until it is empty.
    func isEmpty() async throws {
        try await eventually("an empty folder", in: url) { try names.isEmpty }
    }

    /// The names in it, hidden files too.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
