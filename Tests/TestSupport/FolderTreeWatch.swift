import Dispatch
public import Foundation
import Glibc

/// Waits until files show that something has happened: looks at each change of a folder and of all below it.
///
/// - Parameter folder: Must be there; what is in it may come later.
public func eventually(
    _ goal: String, in folder: URL, timeout: Duration = TerminalDriver.timeout,
    isolation: isolated (any Actor)? = #isolation, _ isSo: () throws -> Bool
) async throws {
    let watch = try FolderTreeWatch(folder.path)
    let timer = Task {
        try await Task.sleep(for: timeout)
        watch.stop()
    }
    defer {
        timer.cancel()
        watch.stop()
    }
    if try isSo() { return }
    for await _ in watch.changes where try isSo() { return }
    throw NeverHappened(goal: goal)
}

/// Reports when something in a folder, or in a folder below it, is made, moved, removed or written to.
///
/// Source: inotify(7).
private final class FolderTreeWatch: Sendable {
    let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ folder: String) throws {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Any thread may cancel it.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "folder tree watch"))
        source.setEventHandler { @Sendable [continuation] in
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while read(descriptor, &buffer, buffer.count) > 0 {}
            // Before the look: what changes in a new folder from now on is another event.
            Self.add(folder, to: descriptor)
            continuation.yield()
        }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        continuation.onTermination = { @Sendable _ in source.cancel() }
        Self.add(folder, to: descriptor)
        source.activate()
    }

    func stop() { continuation.finish() }

    /// Watches a folder and all below it. A folder that is watched already is not watched twice.
    private static func add(_ folder: String, to descriptor: Int32) {
        // To open and close a file is not a change: a test that looks does so.
        let events = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY)
        guard inotify_add_watch(descriptor, folder, events | UInt32(IN_ONLYDIR)) >= 0 else {
            return
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            add(folder + "/" + name, to: descriptor)
        }
    }
}
