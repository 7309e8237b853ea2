import Foundation
import TestSupport

/// Byte Club's figures at a terminal beside nano, micro and vim, in one run.
///
/// `byteclub-bench [keys|start|many|photos|rest|cancel|appear]...` takes those parts, all of them without words.
@main struct TerminalBench {
    static func main() async {
        do {
            try await run(Set(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ parts: Set<String>) async throws {
        guard FileManager.default.isExecutableFile(atPath: ClubHome.program) else {
            throw Missing(path: ClubHome.program)
        }
        func wants(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        try home.write(Contestant.note, toNote: Contestant.noteName)
        // Keeps the club open from one measurement to the next.
        let keeper = try BenchSession(Contestant.byteclub(in: home).program)
        defer { keeper.close() }
        keeper.wait(forText: Contestant.noteName)
        keeper.settle(quiet: .milliseconds(500))

        if wants("keys") { try measureKeys(in: home) }
        if wants("start") {
            show(
                StartTime.table(
                    try Contestant.all(in: home).map { try StartTime(of: $0, count: 20) }))
        }
        if wants("many") { try ManyNotes(count: 10_000, starts: 10).tables.forEach(show) }
        if wants("photos") { show(try ManyPhotos(count: 1_000, openings: 10).table) }
        if wants("rest") {
            show(AtRest.table(try AtRest.measure(in: home, seconds: 5), seconds: 5))
        }
        if wants("appear") { show(try Appearing(in: home, count: 10).table) }
        if wants("cancel") { show(try await Cancelling(count: 10).table) }
    }

    private static func measureKeys(in home: ClubHome) throws {
        let contestants = Contestant.all(in: home)
        show(
            KeyLatency.table(
                "Key to screen, 160×50, a note of forty lines",
                try contestants.compactMap { try KeyLatency(of: $0, count: 300) }))
        let upload = try GigabyteUpload(into: home)
        defer { upload.stop(in: home) }
        let results = try contestants.compactMap { try KeyLatency(of: $0, count: 300) }
        show(
            KeyLatency.table(
                "The same while gigabytes are uploaded into the club (\(upload.count) arrived)",
                results))
    }

    private static func show(_ table: Table) { print(table.text) }
}

struct Missing: Error, CustomStringConvertible {
    let path: String
    var description: String { "there is no \(path): swift build -c release first" }
}
