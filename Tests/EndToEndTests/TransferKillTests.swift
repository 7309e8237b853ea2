import Foundation
import Synchronization
import TestSupport
import Testing

/// Uploads and downloads that are cut, slowed down, corrupted and killed end byte for byte as they should.
@Suite(.serialized, .timeLimit(.minutes(30))) struct TransferKillTests {
    /// `BYTECLUB_TEST_KILLS` and `BYTECLUB_TEST_SEED`: more faults, and others, where there is time for them.
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// The app on its terminal, opened again after it was killed.
    private final class App: Sendable {
        private let home: ClubHome
        private let terminal: Mutex<TerminalDriver>

        init(_ home: ClubHome) async throws {
            self.home = home
            terminal = Mutex(try await home.open())
        }

        var hasEnded: Bool { terminal.withLock { $0.life.hasEnded } }

        func kill() { terminal.withLock { $0.signal(SIGKILL) } }

        func openIfKilled() async throws {
            guard hasEnded else { return }
            let next = try await home.open()
            terminal.withLock { last in
                last.close()
                last = next
            }
        }

        func close() { terminal.withLock { $0.close() } }
    }

    private let photo = Photos.noise(width: 1600, height: 1000)

    @Test func endAsTheyShouldWhateverHappensOnTheWay() async throws {
        let wanted = max(1, Self.number("BYTECLUB_TEST_KILLS") ?? 12)
        var random = SeededGenerator(seed: UInt64(max(1, Self.number("BYTECLUB_TEST_SEED") ?? 5)))
        try await inFreshHome { home in
            let app = try await App(home)
            defer { app.close() }
            let pipe = try FaultPipe(takingThePlaceOf: try #require(home.socket))
            defer { pipe.stop() }
            let got = home.work.appending(path: "got")
            try FileManager.default.createDirectory(at: got, withIntermediateDirectories: false)
            var names: Set<String> = []
            while pipe.firedCount < wanted {
                let isUp = names.count.isMultiple(of: 2)
                let name = "photo-\(names.count).jpg"
                names.insert(name)
                // No two have the same bytes.
                let bytes = photo + Data(name.utf8)
                let plans = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    FaultPipe.Plan(
                        fault(in: home, app, &random), on: isUp ? .up : .down,
                        after: Int.random(in: 0..<photo.count * 3 / 4, using: &random))
                }
                try bytes.write(to: (isUp ? home.work : home.photos).appending(path: name))
                pipe.plan(plans)
                let order = try await home.run(
                    isUp
                        ? ["photos", "put", "--original", "--background", name]
                        : ["photos", "get", "--background", name, "got/"])
                try #require(order.status == 0, "\(order.errorText)")
                let row = try await end(of: name, in: home, app)
                try #require(row.state == "done", "\(name) of seed: \(row)")
                pipe.plan([])
                #expect(
                    try Data(contentsOf: (isUp ? home.photos : got).appending(path: name)) == bytes)
            }
            #expect(Set(home.photoNames) == names)
            let all = try FileManager.default.contentsOfDirectory(atPath: got.path)
            #expect(all.allSatisfy { names.contains($0) }, "\(all)")
        }
    }

    private func fault(
        in home: ClubHome, _ app: App, _ random: inout SeededGenerator
    ) -> FaultPipe.Fault {
        @Sendable func killHelper() {
            for process in home.carriers { kill(process, SIGKILL) }
        }
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: .cut
        case 1: .slow
        case 2: .corrupt
        case 3: .pause { killHelper() }
        case 4: .pause { app.kill() }
        default:
            .pause {
                app.kill()
                killHelper()
            }
        }
    }

    /// Asks for it again whenever it has failed or waits, as a person would.
    private func end(
        of name: String, in home: ClubHome, _ app: App
    ) async throws -> ListedTransfer {
        let limit = ContinuousClock.now + .seconds(120)
        while true {
            try await app.openIfKilled()
            let row = try #require(try await home.listTransfers().last)
            guard row.state != "done", ContinuousClock.now < limit else { return row }
            if ["failed", "waiting"].contains(row.state) {
                _ = try await home.run("transfers", "retry", row.id)
            }
            try await eventually(
                "\(name) has arrived, or goes on only if somebody asks", timeout: .seconds(120)
            ) {
                if app.hasEnded || home.carriers.isEmpty { return true }
                return home.writtenTransfer.map { $0.hasEnded || $0.isRetrying } ?? false
            }
        }
    }
}
