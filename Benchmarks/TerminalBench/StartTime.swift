import Foundation
import TestSupport

/// From starting the program to its first full screen.
struct StartTime {
    let name: String
    var times = Sample()

    init(of contestant: Contestant, count: Int) throws {
        name = contestant.name
        for number in 0..<count + 2 {
            let session = try BenchSession(contestant.program)
            session.wait { emulator in
                let screen = emulator.screen()
                return contestant.firstScreen.allSatisfy { screen.contains($0) }
            }
            let time = session.firstTime { screen in
                contestant.firstScreen.allSatisfy { screen.contains($0) }
            }
            session.close()
            if number >= 2, let time { times.add(time) }
        }
    }

    static func table(_ results: [StartTime]) -> Table {
        var table = Table(
            "Start to first full paint, 160×50", ["program", "p50 ms", "p90 ms", "p50 to ours"])
        let ours = results.first?.times.median ?? .nan
        for result in results {
            table.add(
                result.name, result.times.median.short, result.times.quantile(0.9).short,
                result.times.median.ratio(to: ours))
        }
        return table
    }
}
