import Foundation
import Glibc

/// A server program that ends with the program that started it, however that ends: a shell keeps it
/// only as long as a pipe from here is open.
final class ServerProcess: Sendable {
    /// Open as long as this program runs, and the server with it; never written to.
    private let lease: Int32

    struct NotStarted: Error, CustomStringConvertible {
        let log: String
        var description: String { "the server did not start: \(log)" }
    }

    /// Returns when the server has said that it is ready.
    ///
    /// - Parameters:
    ///   - home: The server's folder, removed after it has ended.
    ///   - readiness: What its log says when it listens.
    /// - Throws: ``NotStarted`` with the log when the server gave up instead.
    init(
        _ command: [String], home: URL, more environment: [String: String] = [:],
        readiness: String
    ) throws {
        // The shell leads a process group of its own, which the server's workers are in as well.
        let script = """
            { "$@" >&2; echo server ended >&2; } </dev/null &
            cat >/dev/null
            trap '' TERM
            kill -TERM 0
            wait
            rm -rf "$0"
            """
        // Neither is inherited by a program that another test starts: it would keep the server alive.
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
        // What it logs later is read by nobody; it must not wait for that.
        Thread.detachNewThread { while !output.availableData.isEmpty {} }
        guard text.contains(readiness) else { throw NotStarted(log: text) }
    }

    /// Ends the server; so does the end of this program.
    func stop() { shutdown(lease, Int32(SHUT_RDWR)) }

    deinit { close(lease) }
}
