import Foundation
import TestSupport

/// What a program takes while nobody touches it.
struct AtRest {
    let name: String
    let megabytes: Double
    let wakeUps: Int
    let threads: Int

    /// - Parameter seconds: How long it is watched.
    init?(of process: Int32, named name: String, seconds: Int) {
        self.name = name
        let before = ProcessTable.wakeUpCounts(of: process)
        Thread.sleep(forTimeInterval: Double(seconds))
        let after = ProcessTable.wakeUpCounts(of: process)
        guard let bytes = ProcessTable.residentByteCount(of: process),
            let threads = ProcessTable.threadCount(of: process)
        else { return nil }
        megabytes = Double(bytes) / 1e6
        wakeUps = ProcessTable.wakeUps(from: before, to: after)
        self.threads = threads
    }

    static func measure(in home: ClubHome, seconds: Int) throws -> [AtRest] {
        var results: [AtRest?] = []
        for contestant in Contestant.all(in: home) {
            let session = try BenchSession(contestant.program)
            defer { session.close() }
            contestant.open(session)
            // Rest begins when the threads that typing needed have gone home.
            session.settle(quiet: .seconds(12))
            results.append(AtRest(of: session.process, named: contestant.name, seconds: seconds))
            if contestant.name == "byteclub", let server = home.servers.first {
                results.append(AtRest(of: server, named: "its club", seconds: seconds))
            }
        }
        return results.compactMap { $0 }
    }

    static func table(_ results: [AtRest], seconds: Int) -> Table {
        var table = Table(
            "At rest with a note open, \(seconds) s",
            ["program", "RSS MB", "wake-ups", "threads", "RSS to ours"])
        let ours = results.first?.megabytes ?? .nan
        for result in results {
            table.add(
                result.name, result.megabytes.short, "\(result.wakeUps)", "\(result.threads)",
                result.megabytes.ratio(to: ours))
        }
        return table
    }
}
