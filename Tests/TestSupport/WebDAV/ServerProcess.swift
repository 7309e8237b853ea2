import Foundation
import Glibc

/// A server program that ends with this process, however that ends: a shell keeps it running only
/// while a pipe from here is open.
final class ServerProcess: Sendable {
    /// Open while this process runs, and the server with it; never written to.
    private let lease: Int32

    struct NotStarted: Error, CustomStringConvertible {
        let log: String
        var description: String { "the server did not start: \(log)" }
    }

    /// Returns when the server has reported that it is ready.
    ///
    /// - Parameters:
    ///   - home: The server's folder, removed after it has exited.
    ///   - readiness: The log line that shows that it is listening.
    /// - Throws: ``NotStarted`` with the log when the server exited instead.
    init(
        _ command: [String], home: URL, more environment: [String: String] = [:],
        readiness: String
    ) throws {
        // The shell leads a process group, which includes the server's workers.
        let script = """
            { "$@" >&2; echo server ended >&2; } </dev/null &
            cat >/dev/null
            trap '' TERM
            kill -TERM 0
            wait
            rm -rf "$0"
            """
        // Close-on-exec: a program that another test starts would keep the server alive.
        var lease: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &lease) == 0 else { throw NotStarted(log: "no lease") }
        self.lease = lease[0]
        let leaseOfTheirs = HandedFile(owning: lease[1])
        let log = try ChildProgram.makePipe()
        let logOfTheirs = HandedFile(owning: log.writing)
        let output = FileHandle(fileDescriptor: log.reading, closeOnDealloc: true)
        let nothing = try HandedFile(URL(filePath: "/dev/null"), O_WRONLY)
        _ = try ChildProgram(
            "/bin/sh", ["-c", script, home.path] + command,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            directory: "/", input: leaseOfTheirs, output: nothing, error: logOfTheirs)
        var text = ""
        while !text.contains(readiness), !text.contains("server ended") {
            let more = output.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
        }
        // Later log output is discarded, so that the server does not block.
        Thread.detachNewThread { while !output.availableData.isEmpty {} }
        guard text.contains(readiness) else { throw NotStarted(log: text) }
    }

    /// Ends the server, as does the end of this process.
    func stop() { shutdown(lease, Int32(SHUT_RDWR)) }

    deinit { close(lease) }
}
