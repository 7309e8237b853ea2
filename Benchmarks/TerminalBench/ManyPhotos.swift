import Foundation
import TestSupport

/// A club of many photos whose thumbnails are on this computer: how long its tab takes, and a row of its list.
struct ManyPhotos {
    private let count: Int
    /// From the key to the names, and to the last thumbnail beside them.
    private var names = Sample()
    private var thumbnails = Sample()
    /// From the key to a row that was out of sight.
    private var rows = Sample()
    private var megabytes = 0.0

    /// - Parameters:
    ///   - count: So many photos.
    ///   - openings: How often the tab is opened, each time by a new start.
    init(count: Int, openings: Int) throws {
        self.count = count
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        for number in 0..<count {
            try Photos.noise(width: 320, height: 160, seed: UInt64(number + 1))
                .write(to: home.photos.appending(path: Self.name(number)))
        }
        let program = TerminalProgram(
            ClubHome.program, environment: home.environment(), directory: home.work.path,
            size: .wide)
        // Keeps the club's server from one start to the next.
        let keeper = try BenchSession(program)
        defer { keeper.close() }
        try fill(keeper)
        for _ in 0..<openings {
            let session = try BenchSession(program)
            defer { session.close() }
            session.wait(forText: "PanoPhotos")
            session.settle(quiet: .milliseconds(300))
            openTab(session)
            if rows.values.isEmpty { scroll(session) }
        }
    }

    /// Looks at every photo once.
    private func fill(_ session: BenchSession) throws {
        session.wait(forText: "PanoPhotos")
        session.settle()
        session.type("2")
        session.wait(atMost: .seconds(60)) { $0.screen().contains(Self.name(0)) }
        session.settle(quiet: .seconds(1), atMost: .seconds(60))
        while Self.lastRow(session) < count - 1 {
            let before = Self.lastRow(session)
            session.press(.pageDown)
            session.settle(quiet: .milliseconds(300), atMost: .seconds(30))
            if Self.lastRow(session) == before { break }
        }
        session.settle(quiet: .seconds(1), atMost: .seconds(60))
    }

    private mutating func openTab(_ session: BenchSession) {
        let pressed = ContinuousClock.now
        session.type("2")
        guard
            let listed = Self.wait(session, until: { $0.emulator.screen().contains(Self.name(0)) })
        else { return }
        names.add(pressed.duration(to: listed))
        session.settle(quiet: .milliseconds(300))
        thumbnails.add(pressed.duration(to: session.chunks.last?.time ?? listed))
        megabytes = Double(ProcessTable.residentByteCount(of: session.process) ?? 0) / 1e6
    }

    private mutating func scroll(_ session: BenchSession) {
        // To the last row in sight: from there on each key brings another one.
        for _ in 0..<60 { session.press(.down) }
        session.settle(quiet: .milliseconds(300))
        for _ in 0..<200 {
            let before = Self.lastRow(session)
            let pressed = ContinuousClock.now
            session.press(.down, quiet: nil)
            let shown = Self.wait(session) { Self.lastRow($0) > before }
            if let shown { rows.add(pressed.duration(to: shown)) }
            session.settle(quiet: .milliseconds(10))
        }
    }

    /// When what the last key has changed came. The screen is looked at only after something has: looking takes as long
    /// as what is measured.
    private static func wait(
        _ session: BenchSession, until isReached: (BenchSession) -> Bool
    ) -> ContinuousClock.Instant? {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            if let time = session.receive(atMost: .seconds(2)), isReached(session) { return time }
        }
        return nil
    }

    /// The number of the last photo in sight; -1 when there is none.
    private static func lastRow(_ session: BenchSession) -> Int {
        session.emulator.screen().text.matches(of: #/photo-(\d{6})/#)
            .compactMap { Int($0.output.1) }.max() ?? -1
    }

    private static func name(_ number: Int) -> String {
        "photo-" + String(repeating: "0", count: 6 - "\(number)".count) + "\(number).jpg"
    }

    var table: Table {
        var table = Table(
            "A club of \(count) photos with their thumbnails here, 160×50",
            ["figure", "median", "largest", "limit"])
        func add(_ figure: String, _ sample: Sample, _ limit: String) {
            table.add(figure, sample.median.short, sample.largest.short, limit)
        }
        add("tab to its names, ms", names, "50")
        add("tab to its last thumbnail, ms", thumbnails, "")
        add("a row further, ms", rows, "8")
        table.add("RSS then, MB", megabytes.short, "", "")
        return table
    }
}
