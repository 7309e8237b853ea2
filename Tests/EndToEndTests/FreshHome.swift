import Foundation
import Synchronization
import TestSupport
import Testing

/// Runs a test in a home of its own, few at a time, and leaves no file and no process behind.
///
/// - Parameter hasClub: An empty club is there already; otherwise the first start makes one.
func inFreshHome(
    hasClub: Bool = true, _ body: (ClubHome) async throws -> Void
) async throws {
    try await Turnstile.shared.pass {
        let home = try ClubHome(hasClub: hasClub)
        defer { home.remove() }
        try await body(home)
    }
}

/// The same, with the app open and at rest.
func withApp(
    _ look: Look = .classic, notes: [String: String] = [:], photos: [String: Data] = [:],
    files: [String: Data] = [:], _ body: (ClubHome, TerminalDriver) async throws -> Void
) async throws {
    try await inFreshHome { home in
        for (name, text) in notes { try home.write(text, toNote: name) }
        for (name, data) in photos { try data.write(to: home.photos.appending(path: name)) }
        for (name, data) in files { try data.write(to: home.work.appending(path: name)) }
        let terminal = try await home.open(look)
        defer { terminal.close() }
        try await body(home, terminal)
    }
}

extension ClubHome {
    /// Starts the app and waits until it shows the club.
    func open(_ look: Look = .classic) async throws -> TerminalDriver {
        let terminal = try start(size: look.size, terminal: look.terminal, more: look.environment)
        do {
            // A name with hidden characters is shown in another way.
            // On a small screen a long one is cut.
            let name = noteNames.first { $0.allSatisfy(\.isASCII) && !$0.contains("\u{1B}") }
            let beginning = String((name ?? Label.notes).prefix(5))
            try await terminal.wait(for: "the club") {
                $0.text(ofRow: 0).contains(Label.notes) && $0.positions(of: beginning).count > 0
            }
            try await terminal.waitUntilIdle()
        } catch {
            terminal.close()
            throw error
        }
        return terminal
    }

    /// Puts a spelling program into the home's `bin`, so that the screen is the same whatever the machine has.
    ///
    /// - Returns: The variables with which the app finds it.
    func makeSpeller() throws -> [String: String] {
        let bin = folder.appending(path: "bin")
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        let program = bin.appending(path: "enchant-2")
        try Data("#!/bin/sh\n".utf8).write(to: program)
        chmod(program.path, 0o755)
        return ["PATH": "\(bin.path):/usr/local/bin:/usr/bin:/bin"]
    }

    /// Puts a browser into the home's `bin`.
    ///
    /// - Returns: The file in which the address is that it was asked to open.
    func makeBrowser() throws -> URL {
        let bin = folder.appending(path: "bin")
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        let (opener, note) = (bin.appending(path: "xdg-open"), folder.appending(path: "opened"))
        let script = """
            #!/bin/sh
            printf %s "$1" > \(note.path).part
            mv \(note.path).part \(note.path)

            """
        try Data(script.utf8).write(to: opener)
        chmod(opener.path, 0o755)
        return note
    }

    /// Opens what the program has given its browser to open, as a browser does.
    ///
    /// - Returns: Where it leads: the page of the sign-in.
    func page(openedBy note: URL) async throws -> String {
        let entrance = try String(contentsOf: note, encoding: .utf8)
        // Every user of the computer can read a program's arguments.
        for secret in ["state", "challenge", "client_id"] { #expect(!entrance.contains(secret)) }
        let url = try #require(URL(string: entrance))
        let port = try #require(url.port.flatMap { UInt16(exactly: $0) })
        #expect(url.host() == "127.0.0.1")
        let answer = try await LoopbackClient.send(
            "GET \(url.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", toPort: port)
        #expect(answer.hasPrefix("HTTP/1.1 303 "), "\(answer)")
        let line = answer.split(separator: "\r\n").first { $0.hasPrefix("Location: ") }
        return String(try #require(line).dropFirst("Location: ".count))
    }

    /// Every file below the club's folder, hidden ones too, by its path there.
    var everyFile: Set<String> {
        let all = FileManager.default.enumerator(atPath: club.path)?.compactMap { $0 as? String }
        return Set(all ?? [])
    }
}

extension TerminalScreen {
    /// Whether the tab bar is in the first row and no note is open; on a wide screen a note stands beside the
    /// list, below the same bar.
    var showsTabs: Bool {
        let bar = text(ofRow: 0)
        return bar.contains(Label.notes) && bar.contains(Label.photos) && !contains("Ln ")
    }
}

extension TerminalDriver {
    /// Waits until no note is open.
    @discardableResult
    func waitForTabs() async throws -> TerminalScreen {
        try await wait(for: "the tabs") { $0.showsTabs }
    }
}

/// Waits until the app rests and looks at the colors it shows.
func expectPossibleColors(_ look: Look, _ terminal: TerminalDriver) async throws {
    let screen = try await terminal.waitUntilIdle()
    #expect(look.colorProblem(in: screen) == nil)
}

/// Lets as many through at a time as there are processors: each test runs two programs.
private final class Turnstile: Sendable {
    static let shared = Turnstile(ProcessInfo.processInfo.activeProcessorCount)

    private struct State {
        var free: Int
        var queue: [CheckedContinuation<Void, Never>] = []
    }
    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

    func pass(_ body: () async throws -> Void) async throws {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                if state.free == 0 {
                    state.queue.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if mayGo { continuation.resume() }
        }
        defer {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if state.queue.isEmpty {
                    state.free += 1
                    return nil
                }
                return state.queue.removeFirst()
            }
            next?.resume()
        }
        try await body()
    }
}
