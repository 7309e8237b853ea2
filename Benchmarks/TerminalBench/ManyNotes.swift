import Foundation
import TestSupport

/// A club of many notes: the first time it is opened, and every time after that.
struct ManyNotes {
    private let count: Int
    private let megabytes: Double
    /// Until the list has all of them, and until their texts are here, too.
    private let listed: Duration
    private let fetched: Duration
    private var starts: StartTime

    /// - Parameter count: So many notes of a kilobyte each.
    init(count: Int, starts startCount: Int) throws {
        self.count = count
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        for number in 0..<count {
            let text = String(repeating: "note \(number) has words of its own\n", count: 32)
            try home.write(text, toNote: Self.name(number))
        }
        let program = TerminalProgram(
            ClubHome.program, environment: home.environment(), directory: home.work.path,
            size: .wide)
        // Keeps the club's server from one start to the next.
        let keeper = try BenchSession(program)
        defer { keeper.close() }
        let isListed = keeper.wait(atMost: .seconds(60)) { emulator in
            let screen = emulator.screen()
            return screen.contains(Self.name(0)) && screen.contains("\(count) · by name")
        }
        // The wheel turns until all texts have been fetched.
        keeper.settle(quiet: .seconds(2), atMost: .seconds(120))
        fetched = .now - keeper.began - .seconds(2)
        listed = (isListed ?? .now) - keeper.began
        let contestant = Contestant(
            name: "byteclub, \(count) cached notes", program: program,
            firstScreen: ["PanoPhotos", Self.name(0), "\(count) · by name", "quit"], openScreen: []
        ) { _ in }
        starts = try StartTime(of: contestant, count: startCount)
        megabytes = Double(ProcessTable.residentByteCount(of: keeper.process) ?? 0) / 1e6
    }

    private static func name(_ number: Int) -> String {
        "note-" + String(repeating: "0", count: 6 - "\(number)".count) + "\(number).txt"
    }

    var tables: [Table] {
        var table = Table("A club of \(count) notes, 160×50", ["figure", "value"])
        table.add("first start to the whole list, ms", (listed / .milliseconds(1)).short)
        table.add("first start to all texts here, ms", (fetched / .milliseconds(1)).short)
        table.add("RSS then, MB", megabytes.short)
        return [table, StartTime.table([starts])]
    }
}
