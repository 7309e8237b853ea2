import Foundation
import Glibc

/// An interactive program without a terminal.
///
/// Its output goes to files, so that neither side blocks.
public final class Conversation: Sendable {
    private let program: ChildProgram
    private let input: Int32
    private let folder: URL

    public init(
        _ executable: String, _ arguments: [String], environment: [String: String],
        directory: String
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-conversation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        self.folder = folder
        // Not a pipe: writing to a closed one would kill the tests.
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
        input = ends[0]
        let theirs = HandedFile(owning: ends[1])
        let output = try HandedFile(folder.appending(path: "out"), O_WRONLY | O_CREAT)
        let error = try HandedFile(folder.appending(path: "error"), O_WRONLY | O_CREAT)
        program = try ChildProgram(
            executable, arguments, environment: environment, directory: directory,
            input: theirs, output: output, error: error)
        // A change in the folder that ends a wait for more output.
        Task { [program] in
            _ = await program.end()
            _ = FileManager.default.createFile(
                atPath: folder.appending(path: "end").path, contents: nil)
        }
    }

    deinit {
        close(input)
        try? FileManager.default.removeItem(at: folder)
    }

    public var processIdentifier: Int32 { program.process }

    private func text(of stream: String) -> String {
        let data = FileManager.default.contents(atPath: folder.appending(path: stream).path)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Waits until the standard output satisfies a condition, the program exits, or the wait times out.
    public func output(where isTrue: (String) -> Bool) async -> String {
        var output = ""
        try? await eventually("the output", in: folder) {
            // What it has written at its end counts, too.
            let isOver = program.hasEnded
            output = text(of: "out")
            return isOver || isTrue(output)
        }
        return output
    }

    /// Types a line.
    public func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Waits until it exits.
    public func end() async -> Command.Output {
        let life = await program.end()
        return Command.Output(
            status: life.status, standardOutput: Data(text(of: "out").utf8),
            standardError: Data(text(of: "error").utf8))
    }
}
