import Foundation
import Synchronization

/// A program without a terminal that is talked to while it runs.
///
/// What it writes goes into files: a pipe could be held open by any other program that was started
/// at the same moment.
public final class Conversation: Sendable {
    private let process: Process
    private let input: Int32
    private let folder: URL
    private let isOver = Mutex(false)

    public init(
        _ executable: String, _ arguments: [String], environment: [String: String],
        directory: String
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-conversation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        self.folder = folder
        process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(filePath: directory)
        let inPipe = Pipe()
        process.standardInput = inPipe
        let files = ["out", "error"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        input = fcntl(inPipe.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        process.terminationHandler = { [weak self] _ in self?.isOver.withLock { $0 = true } }
        try process.run()
    }

    deinit {
        close(input)
        try? FileManager.default.removeItem(at: folder)
    }

    public var processIdentifier: Int32 { process.processIdentifier }

    private func text(of stream: String) -> String {
        let data = FileManager.default.contents(atPath: folder.appending(path: stream).path)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Waits until all that was written to standard output is as wanted, or the program has ended.
    public func output(where isTrue: @escaping @Sendable (String) -> Bool) async -> String {
        while true {
            let hasEnded = isOver.withLock { $0 }
            let text = text(of: "out")
            if hasEnded || isTrue(text) { return text }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Types a line.
    public func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(input, bytes, bytes.count)
    }

    /// Waits for the end.
    public func end() async -> Command.Output {
        _ = await output { _ in false }
        return Command.Output(
            status: process.terminationReason == .exit
                ? process.terminationStatus : 128 + process.terminationStatus,
            standardOutput: Data(text(of: "out").utf8),
            standardError: Data(text(of: "error").utf8))
    }
}
