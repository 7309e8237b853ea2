import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import ByteClubPictures
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// A day of a club: transfers ordered at any time, a line and a server that fail for hours, a person who
/// pauses, resumes, cancels and tries again, a carrier that is ended and started again, and a clock that is set.
///
/// What must hold at any moment is noted in ``problems`` when it does not.
@MainActor final class SimulatedDay {
    static let transferCount = 80
    private nonisolated static let slotCount = 2

    let clock = SimulatedClock()
    let store = InMemoryStore()
    let journal: TransferJournal
    private(set) var cancelled: Set<String> = []
    private(set) var problems: [String] = []
    private(set) var requestCount = 0

    private let folder: URL
    private var random: SeededGenerator
    private var carrier: TransferCarrier
    private var running: Task<Void, Never>?
    /// What comes, the next last.
    private var plan: [(time: Duration, act: @MainActor () throws -> Void)] = []
    private var orders: [String: TransferOrder] = [:]
    private var contents: [String: Data] = [:]
    /// Paths whose first byte was asked for.
    private var begun: Set<RemotePath> = []
    /// Until when the server has asked for a pause, by path.
    private var refusals: [RemotePath: Duration] = [:]
    private var movingPaths: Set<RemotePath> = []
    /// Waits until all is at rest.
    private var resting: Waiter<SimulatedDay>?

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("day-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        journal = TransferJournal(folder: folder.appending(path: "j"))
        try journal.makeFolder()
        carrier = Self.makeCarrier(journal, store, clock)
        store.setPace { [weak self] call, count async throws(StoreError) in
            try await self?.move(call, count)
        }
        clock.didChange = { [weak self] in self?.lookWhetherAllRests() }
        try planTransfers()
        planPeople()
    }

    func end() { try? FileManager.default.removeItem(at: folder) }

    /// Pictures of other tests may keep the shared ones busy for long.
    private static let workers = PictureWorkers()

    private static func makeCarrier(
        _ journal: TransferJournal, _ store: InMemoryStore, _ clock: SimulatedClock
    ) -> TransferCarrier {
        let slotCount = slotCount
        return TransferCarrier(
            journal,
            means: TransferCarrier.Means(
                club: .remote, clock: clock.transferClock, workers: workers,
                slotCount: { slotCount }
            ) { store })
    }

    // MARK: - What comes

    private func planTransfers() throws {
        for number in 0..<Self.transferCount {
            let name = "\(number).jpg"
            let path = try RemotePath(validating: "/photos/\(name)")
            let isUpload = number % 6 == 5
            let data =
                isUpload
                ? Photos.corners(width: 96 + number, height: 64)
                : Data(
                    (0..<Int.random(in: 2_000...40_000, using: &random)).map {
                        UInt8(truncatingIfNeeded: $0 &* number)
                    })
            let file = folder.appending(path: name)
            contents[name] = data
            if isUpload { try data.write(to: file) } else { try store.plant(data, at: path.string) }
            at(.seconds(Int.random(in: 0..<82_800, using: &random))) { [self] in
                var order = TransferOrder(
                    isUpload ? .upload : .download, path, file: file, at: clock.date)
                order.keepsOriginal = true
                order.keepsLocation = true
                orders[order.id] = order
                try journal.write(order)
            }
        }
    }

    private func planPeople() {
        for _ in 0..<40 {
            let time = Duration.seconds(Int.random(in: 0..<82_800, using: &random))
            let later = time + .seconds(Int.random(in: 1..<7_200, using: &random))
            let choice = Int.random(in: 0..<100, using: &random)
            var chosen: String?
            at(time) { [self] in
                let open = journal.items(at: clock.date).filter(\.canPause)
                guard !open.isEmpty else { return }
                let item = open[choice % open.count]
                chosen = item.id
                if choice < 10 { cancelled.insert(item.id) }
                try journal.change([item.id]) { $0.intent = choice < 10 ? .cancel : .pause }
            }
            at(min(later, .seconds(83_000))) { [self] in
                guard let chosen, !cancelled.contains(chosen) else { return }
                try journal.change([chosen]) { $0.askAgain() }
            }
        }
        // Who comes back to the computer tries again what has failed.
        for hour in [1, 6, 10, 13, 17, 22, 23] {
            at(.seconds(hour * 3600 + 1800)) { [self] in
                for item in journal.items(at: clock.date) where item.state == .failed {
                    try journal.change([item.id]) { $0.askAgain() }
                }
            }
        }
        for _ in 0..<12 {
            at(.seconds(Int.random(in: 0..<86_400, using: &random))) { [self] in restart() }
        }
        at(.seconds(11 * 3600)) { [self] in setDate(ahead: .seconds(-3600)) }
        at(.seconds(20 * 3600)) { [self] in setDate(ahead: .seconds(1800)) }
    }

    /// Somebody sets the clock: what was to wait may be due at once.
    private func setDate(ahead lead: Duration) {
        clock.lead = lead
        refusals.removeAll()
    }

    private func at(_ time: Duration, _ act: @escaping @MainActor () throws -> Void) {
        plan.append((time, act))
    }

    // MARK: - The line and the server

    private enum Weather {
        case fair
        case offline
        case stalled
        case busy
        case refusing(wait: Duration)
        case broken
    }

    private var weather: Weather {
        switch clock.time / .seconds(3600) {
        case 2..<5.5: .offline
        case 9..<9.3: .busy
        case 12..<12.5: .refusing(wait: .seconds(600))
        case 15..<15.2: .broken
        case 18..<18.1: .stalled
        default: .fair
        }
    }

    /// A quarter of a transfer, at some kilobytes a second.
    private func move(_ call: InMemoryStore.Call, _ count: Int64) async throws(StoreError) {
        guard let path = call.path else { return }
        let fails = { (code: StoreError.Code) in StoreError(code, during: call.operation, at: path)
        }
        note(path)
        defer { movingPaths.remove(path) }
        switch weather {
        case .offline: throw fails(.offline)
        case .busy: throw fails(.serverUnavailable(retryAfter: nil))
        case .refusing(let wait):
            refusals[path] = clock.time + wait
            throw fails(.rateLimited(retryAfter: wait))
        case .broken: throw fails(.serverError)
        case .stalled:
            try await sleep(.seconds(60), call)
            throw fails(.timedOut)
        case .fair:
            try await sleep(.seconds(Double(count) / 3000), call)
        }
    }

    private func sleep(_ time: Duration, _ call: InMemoryStore.Call) async throws(StoreError) {
        do {
            try await clock.sleep(for: time, isTransfer: true)
        } catch {
            throw StoreError(.cancelled, during: call.operation, at: call.path)
        }
    }

    private func note(_ path: RemotePath) {
        requestCount += 1
        movingPaths.insert(path)
        check(movingPaths.count <= Self.slotCount, "\(movingPaths) move at once")
        if let refused = refusals.removeValue(forKey: path) {
            let order = orders.values.first { $0.path == path.string }
            let retryCount = order.flatMap { journal.item($0.id, at: clock.date)?.order.retryCount }
            check(
                // A date is exact to a millionth of a second.
                refused <= clock.time + .milliseconds(1) || retryCount != 0,
                "\(path) was asked for again \(refused - clock.time) too early")
        }
        guard begun.insert(path).inserted else { return }
        let waiting = journal.items(at: clock.date).filter {
            $0.isWanted && $0.order.retryCount == 0
        }
        let earlier = waiting.filter { item in
            item.status.failureCount == 0
                && !begun.contains(where: { $0.string == item.order.path })
        }
        if let first = earlier.first,
            let own = orders.values.first(where: { $0.path == path.string })
        {
            check(own.id < first.id, "\(own.name) began before \(first.order.name)")
        }
    }

    private func check(_ holds: Bool, _ problem: @autoclosure () -> String) {
        if !holds { problems.append("at \(clock.time / .seconds(3600)) h: \(problem())") }
    }

    // MARK: - Through the day

    func run() async throws {
        plan.sort { $0.time > $1.time }
        start()
        let end = Duration.seconds(90_000)
        while clock.time < end {
            try await rest()
            checkThatNothingIdles()
            let next = min(clock.nextDue ?? end, plan.last?.time ?? end)
            clock.advance(to: next)
            var hasActed = false
            while let (time, act) = plan.last, time <= clock.time {
                plan.removeLast()
                try act()
                hasActed = true
            }
            if hasActed { carrier.lookAgain() }
        }
        running?.cancel()
        await running?.value
    }

    private func lookWhetherAllRests() { resting?.look(at: self) }

    private func start() {
        carrier.didComeToRest = { [weak self] in self?.lookWhetherAllRests() }
        running = Task { [carrier] in await carrier.run(idleTime: .seconds(1 << 30)) }
    }

    private func restart() {
        let (old, task) = (carrier, running)
        carrier = Self.makeCarrier(journal, store, clock)
        carrier.didComeToRest = { [weak self] in self?.lookWhetherAllRests() }
        task?.cancel()
        running = Task { [carrier] in
            await task?.value
            withExtendedLifetime(old) {}
            await carrier.run(idleTime: .seconds(1 << 30))
        }
    }

    /// Returns when the carrier and all that it carries wait for the clock.
    private func rest() async throws {
        let end = ContinuousClock.now + TerminalDriver.timeout * 4
        // What rests at the moment of the call may go on in the same turn: it is looked at again after it.
        while !rests {
            // Something stands still elsewhere than at the clock.
            guard ContinuousClock.now < end else { throw NeverHappened(goal: "rest") }
            let waiter = Waiter<SimulatedDay> { $0.rests }
            resting = waiter
            let watch = Task {
                try await Task.sleep(until: end)
                waiter.end()
            }
            await waiter.wait()
            watch.cancel()
        }
    }

    private var rests: Bool {
        clock.wakingCount == 0 && carrier.jobCountAtRest == clock.waitingTransferCount
    }

    private var lastCheck = Duration.zero

    /// No slot is free while something is due.
    private func checkThatNothingIdles() {
        guard clock.time - lastCheck > .seconds(300) else { return }
        lastCheck = clock.time
        guard let count = carrier.jobCountAtRest, count < Self.slotCount else { return }
        let due = journal.items(at: clock.date).filter { item in
            item.isWanted && !movingPaths.contains { $0.string == item.order.path }
                && (item.status.nextAttempt ?? .distantPast) < clock.date
        }
        check(due.isEmpty, "\(due.map(\.order.name)) do not move")
    }

    // MARK: - In the end

    /// Whether a transfer has brought all that it had to, and under its name.
    func arrived(_ item: TransferItem) -> Bool {
        let data =
            switch item.order.direction {
            case .upload: store.contents(of: item.order.path)
            case .download: try? Data(contentsOf: URL(filePath: item.order.file))
            }
        return data != nil && data == contents[item.order.name]
    }

    /// How many uploads found their name taken.
    var storedCopyCount: Int {
        orders.values.filter { order in
            store.contents(of: "\(order.path.dropLast(4)) (2).jpg") != nil
        }.count
    }
}
