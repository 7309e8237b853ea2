import Foundation
import TestSupport

/// From the key that cancels an upload to the screen that says so, and to the server's end of the
/// connection.
struct Cancelling {
    var shown = Sample()
    var ended = Sample()

    init(count: Int) async throws {
        for _ in 0..<count {
            let home = try ClubHome(hasClub: true)
            defer { home.remove() }
            try Photos.noise(width: 3000, height: 2000).write(
                to: home.work.appending(path: "big.jpg"))
            let byteclub = Contestant.byteclub(in: home).program
            let keeper = try BenchSession(byteclub)
            defer { keeper.close() }
            keeper.wait(forText: "No notes yet")
            guard let socket = home.socket else { throw CocoaError(.fileNoSuchFile) }
            let proxy = try ClubProxy(takingThePlaceOf: socket) { request in
                request.path.contains("files/upload") ? .hold(after: 400_000) : .forward
            }
            defer { proxy.stop() }
            let session = try BenchSession(byteclub)
            defer { session.close() }
            session.wait(forText: "No notes yet")
            session.settle()
            session.type("2u")
            session.wait(forText: "big.jpg")
            session.settle()
            session.press(.enter)
            session.wait(forText: "Cancel", " / ")
            try await proxy.waitForRequest(to: "upload", bodyByteCount: 400_000)
            session.settle(quiet: .milliseconds(200), atMost: .seconds(2))

            // The letter, not Esc: Esc waits for the rest of a sequence by design.
            let pressed = ContinuousClock.now
            session.type("c")
            let gone = session.wait { !$0.screen().contains(" / ") }
            if let gone { shown.add(pressed.duration(to: gone)) }
            let end = try await proxy.waitForAbandonment(of: "upload")
            ended.add(pressed.duration(to: end))
        }
    }

    var table: Table {
        var table = Table(
            "Cancel an upload", ["from the key to", "p50 ms", "largest ms", "goal ms"])
        table.add("the screen", shown.median.short, shown.largest.short, "50")
        table.add("the connection's end", ended.median.short, ended.largest.short, "250")
        return table
    }
}

/// From a file put into the club's folder by hand to its name on the screen.
struct Appearing {
    var times = Sample()

    init(in home: ClubHome, count: Int) throws {
        let session = try BenchSession(Contestant.byteclub(in: home).program)
        defer { session.close() }
        session.wait(forText: Contestant.noteName)
        session.settle()
        for number in 0..<count {
            let name = "arrived-\(number).txt"
            let began = ContinuousClock.now
            try home.write("text", toNote: name)
            if let time = session.wait(until: { $0.screen().contains(name) }) {
                times.add(began.duration(to: time))
            }
            session.settle()
        }
        for number in 0..<count {
            try FileManager.default.removeItem(
                at: home.club.appending(path: "arrived-\(number).txt"))
        }
    }

    var table: Table {
        var table = Table(
            "Another member's file on the screen",
            ["from the file to", "p50 ms", "largest ms", "goal ms"])
        table.add("the list", times.median.short, times.largest.short, "2000")
        return table
    }
}
