internal import ClubAccess
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import ByteClubMessages

/// The system's spelling program, connected by the protocol of `ispell -a`.
///
/// A separate process: it shares neither memory nor crashes with the editor. Call all methods on ``queue``.
final class SpellingProgram: Sendable {
    /// The program and its arguments.
    struct Choice: Equatable, Sendable {
        var path: String
        var arguments: [String]

        /// The first of enchant, aspell and hunspell that is installed.
        ///
        /// - Parameter language: `en_GB`; nil for the system's language.
        init?(
            language: String?,
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) {
            guard
                let found = ChildProgram.path(
                    ofFirst: ["enchant-2", "aspell", "hunspell"], environment: environment)
            else { return nil }
            path = found.path
            arguments = ["-a"]
            switch found.name {
            case "aspell": arguments += ["--encoding=utf-8"]
            case "hunspell": arguments += ["-i", "UTF-8"]
            default: break
            }
            if let language { arguments += ["-d", language] }
        }

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    /// Why there is no response, for a sentence: `“aspell” has ended`.
    struct Failure: Error, Equatable {
        var reason: String
    }

    let queue = DispatchQueue(label: "byteclub.spelling")
    private let name: String
    private let process: pid_t
    /// A socket instead of two pipes: writing to a program that has ended is an error, not a signal.
    private let socket: Int32

    private static let answerByteLimit = 1 << 20
    /// A dictionary on a cold disk takes a second.
    private static let timeoutMilliseconds: Int32 = 10_000

    /// Starts the program.
    init(_ choice: Choice) throws(Failure) {
        name = choice.name
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Failure(
                reason: localized("it cannot be started: \(String(cString: strerror(errno)))"))
        }
        defer { close(ends[1]) }
        var environment = ProcessInfo.processInfo.environment
        environment["LC_CTYPE"] = environment["LC_ALL"] == nil ? "C.UTF-8" : nil
        var process: pid_t = 0
        let failure = ChildProgram.start(
            choice.path, [choice.path] + choice.arguments,
            descriptors: [0: .open(ends[1]), 1: .open(ends[1]), 2: .null],
            environment: environment, process: &process)
        guard failure == 0 else {
            close(ends[0])
            throw Failure(
                reason: localized("it cannot be started: \(String(cString: strerror(failure)))"))
        }
        self.process = process
        socket = ends[0]
    }

    deinit {
        // It ends at the end of its input: it may be writing the user's dictionary.
        close(socket)
        let process = process
        queue.async { @Sendable in
            var status: Int32 = 0
            // Waiting is fine here: the queue has no other work.
            for _ in 0..<40 {
                guard waitpid(process, &status, WNOHANG) == 0 else { return }
                usleep(50_000)
            }
            kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    /// Checks words; one response for each.
    func ask(_ words: [String]) throws(Failure) -> [SpellingAnswer] {
        var answers: [SpellingAnswer] = []
        // In small groups, so that neither side blocks on the other.
        for start in stride(from: 0, to: words.count, by: 16) {
            let part = words[start..<min(start + 16, words.count)]
            // The caret marks the line as data, whatever the word begins with.
            try send(part.map { "^\($0)\n" }.joined())
            answers += try receive(part.count)
        }
        return answers
    }

    /// Adds a word to the user's dictionary; returns when it was written.
    func learn(_ word: String) throws(Failure) {
        try send("*\(word)\n#\n")
        // The response to the next request shows that it was written.
        _ = try ask(["a"])
    }

    private func send(_ text: String) throws(Failure) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(reason: localized("“\(name)” has ended")) }
            bytes = bytes.dropFirst(count)
        }
    }

    private func receive(_ count: Int) throws(Failure) -> [SpellingAnswer] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, Self.timeoutMilliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw Failure(reason: localized("“\(name)” does not answer")) }
            let length = read(socket, &piece, piece.count)
            if length < 0, errno == EINTR { continue }
            guard length > 0 else {
                throw Failure(reason: localized("“\(name)” has ended: is a dictionary installed?"))
            }
            bytes += piece[..<length]
            guard bytes.count <= Self.answerByteLimit else {
                throw Failure(reason: localized("“\(name)” answers without an end"))
            }
            // Each response ends with an empty line; for a word of another script, there is nothing else.
            guard bytes.last == 0x0A else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            if let answers = SpellingAnswer.answers(in: text, count: count) { return answers }
        }
    }
}
