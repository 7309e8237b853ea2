public import Foundation
import Synchronization

/// A club on a real server that two rival clients write to between the requests of the program under
/// test, with a record of each state of its files.
///
/// A proxy in front of the server that forwards one request at a time, so that the record is exact. The
/// rivals behave correctly: each reads a note before adding a word to it, and overwrites only what it
/// has read (with `If-Match`; without that, or if the server does not support it, no request comes in
/// between). Sometimes one replaces its own last word with another of the same length. The program's
/// requests and a seed decide when they write.
public final class ContestedWebDAV: Sendable {
    /// One change of a file.
    public struct Write: Sendable, CustomStringConvertible {
        /// Whether a rival made it, or the program.
        public let isRivals: Bool
        public let request: String
        public let file: String
        /// The text before and after.
        public let replaced: String?
        public let text: String?

        public var description: String {
            "\(isRivals ? "rival" : "program") \(request): \(replaced ?? "–") → \(text ?? "–")"
        }
    }

    /// The club's URL for the program.
    public let club: URL
    private let server: LoopbackServer
    private let state: Contest

    /// - Parameters:
    ///   - club: An empty club on a real server.
    ///   - notes: The texts that the rivals write in, by name.
    ///   - honorsConditions: Whether the server rejects requests whose `If-Match` fails. If not, the
    ///     rivals do not write between the program's last check and its write: nobody could notice that.
    public init(
        _ club: URL, notes: [String: String], honorsConditions: Bool, seed: UInt64
    ) throws {
        let state = Contest(
            base: club.path(percentEncoded: true), port: UInt16(club.port ?? 80),
            notes: notes.keys.sorted(), honorsConditions: honorsConditions, seed: seed)
        self.state = state
        server = try LoopbackServer { request in [.send(state.answer(request)), .close] }
        guard let own = URL(string: "http://127.0.0.1:\(server.port)" + state.base) else {
            throw URLError(.badURL)
        }
        self.club = own
        for (name, text) in notes { try state.plant(text, at: name) }
    }

    /// Starts or stops the rivals.
    public func setRivalsActive(_ isActive: Bool) {
        state.contest.withLock { $0.isActive = isActive }
    }

    /// Makes a rival write to a note without a request from the program.
    public func letARivalWrite(in note: String) { state.letARivalWrite(in: note) }

    /// Each change so far, in order.
    public var writes: [Write] { state.contest.withLock { $0.writes } }
    /// The current texts of all files.
    public var files: [String: String] { state.contest.withLock { $0.files } }
    /// All words that the rivals have written.
    public var rivalsWords: [String] {
        state.contest.withLock { $0.rivals.flatMap { $0.words } }
    }
}

/// State shared by the threads of a ``ContestedWebDAV``.
final class Contest: Sendable {
    struct Rival {
        let name: String
        var words: [String] = []
        /// What it has read and is about to overwrite.
        var plan: (note: String, text: String, tag: String)?
    }

    struct State {
        var files: [String: String] = [:]
        var writes: [ContestedWebDAV.Write] = []
        var rivals = [Rival(name: "x"), Rival(name: "y")]
        var isActive = false
        var random: UInt64

        /// A random number below a limit (SplitMix64).
        mutating func draw(_ limit: Int) -> Int {
            random &+= 0x9E37_79B9_7F4A_7C15
            var z = random
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((z ^ (z >> 31)) % UInt64(limit))
        }
    }

    let base: String
    private let port: UInt16
    private let notes: [String]
    private let honorsConditions: Bool
    /// Locked during a request: one at a time.
    let contest: Mutex<State>

    init(base: String, port: UInt16, notes: [String], honorsConditions: Bool, seed: UInt64) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.port = port
        self.notes = notes
        self.honorsConditions = honorsConditions
        contest = Mutex(State(random: seed))
    }

    func plant(_ text: String, at name: String) throws {
        contest.withLock { _ = send("PUT", name, body: text, isRivals: true, &$0) }
    }

    func answer(_ request: LoopbackRequest) -> [UInt8] {
        contest.withLock { state in
            let writes = ["PUT", "MOVE", "COPY", "DELETE"].contains(request.method)
            let isLook = ["PROPFIND", "GET", "HEAD"].contains(request.method)
            let note = name(request.target)
            if isLook || honorsConditions { moveARival(near: note, mayKeepLength: isLook, &state) }
            let answer = forward(request, isRivals: false, &state)
            if writes { moveARival(near: note, mayKeepLength: true, &state) }
            return answer
        }
    }

    func letARivalWrite(in note: String) {
        contest.withLock { state in
            guard state.isActive else { return }
            let (status, _, text) = send("GET", note, isRivals: true, &state)
            guard status == 200 else { return }
            write(over: text, note, state.draw(2), tag: nil, true, &state)
        }
    }
}

// MARK: - The rivals

extension Contest {
    /// In one of three cases; mostly in the note that the request concerns.
    private func moveARival(near note: String, mayKeepLength: Bool, _ state: inout State) {
        guard state.isActive, state.draw(3) == 0 else { return }
        let rival = state.draw(2)
        if let plan = state.rivals[rival].plan {
            state.rivals[rival].plan = nil
            // Another client may have written first: then it reads again later.
            write(over: plan.text, plan.note, rival, tag: plan.tag, mayKeepLength, &state)
            return
        }
        let isNear = notes.contains(note) && state.draw(4) > 0
        let note = isNear ? note : notes[state.draw(notes.count)]
        let (status, tag, text) = send("GET", note, isRivals: true, &state)
        guard status == 200 else { return }
        if honorsConditions, let tag, !tag.hasPrefix("W/"), state.draw(2) == 0 {
            state.rivals[rival].plan = (note, text, tag)
        } else {
            write(over: text, note, rival, tag: nil, mayKeepLength, &state)
        }
    }

    private func write(
        over text: String, _ note: String, _ rival: Int, tag: String?, _ mayKeepLength: Bool,
        _ state: inout State
    ) {
        let number = state.rivals[rival].words.count
        let word = "\(state.rivals[rival].name)\(1000 + number)"
        state.rivals[rival].words.append(word)
        var new = text + " " + word
        if mayKeepLength, state.draw(2) == 0,
            let own = state.rivals[rival].words.dropLast().last(where: text.contains)
        {
            new = text.replacingOccurrences(of: own, with: word)
        }
        _ = send(
            "PUT", note, tag.map { ["If-Match: \($0)"] } ?? [], body: new, isRivals: true, &state)
    }

    @discardableResult
    private func send(
        _ method: String, _ name: String, _ fields: [String] = [], body: String = "",
        isRivals: Bool, _ state: inout State
    ) -> (status: Int, tag: String?, text: String) {
        let lines = ["\(method) \(base)/\(name) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + fields
        let request = LoopbackRequest(
            connection: 0, head: lines.joined(separator: "\r\n") + "\r\n\r\n",
            body: Array(body.utf8))
        let answer = String(
            decoding: forward(request, isRivals: isRivals, &state), as: UTF8.self)
        let parts = answer.components(separatedBy: "\r\n\r\n")
        let tag = parts[0].split(separator: "\r\n").first { $0.lowercased().hasPrefix("etag:") }
        return (
            Self.status(answer.utf8),
            tag.map { $0.dropFirst(5).trimmingCharacters(in: .whitespaces) },
            parts.dropFirst().joined(separator: "\r\n\r\n")
        )
    }
}

// MARK: - The server

extension Contest {
    private static func status(_ answer: some Collection<UInt8>) -> Int {
        let line = String(decoding: Array(answer.prefix(16)), as: UTF8.self)
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Forwards a request, and records what it has changed.
    private func forward(
        _ request: LoopbackRequest, isRivals: Bool, _ state: inout State
    ) -> [UInt8] {
        let own = ["connection:", "expect:", "transfer-encoding:", "content-length:"]
        let lines = request.lines.filter { line in
            !own.contains { line.lowercased().hasPrefix($0) }
        }
        let head =
            lines.map(String.init) + ["Content-Length: \(request.body.count)", "Connection: close"]
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + request.body
        guard let answer = try? LoopbackClient.exchange(bytes, toPort: port), !answer.isEmpty else {
            return Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        if (200..<300).contains(Self.status(answer)) { note(request, isRivals, &state) }
        return answer
    }

    private func note(_ request: LoopbackRequest, _ isRivals: Bool, _ state: inout State) {
        func change(_ file: String, to text: String?) {
            let description = "\(request.method) \(file)"
            state.writes.append(
                ContestedWebDAV.Write(
                    isRivals: isRivals, request: description, file: file,
                    replaced: state.files[file], text: text))
            state.files[file] = text
        }
        let file = name(request.target)
        switch request.method {
        case "PUT": change(file, to: request.text)
        case "DELETE": change(file, to: nil)
        case "MOVE", "COPY":
            guard let destination = request["Destination"].flatMap(URL.init(string:)) else {
                return
            }
            let text = state.files[file]
            change(name(destination.path(percentEncoded: true)), to: text)
            if request.method == "MOVE" { change(file, to: nil) }
        default: break
        }
    }

    private func name(_ target: String) -> String {
        let path = target.dropFirst(base.count).drop(while: { $0 == "/" })
        return String(path).removingPercentEncoding ?? String(path)
    }
}
