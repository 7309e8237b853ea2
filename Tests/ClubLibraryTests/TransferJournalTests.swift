import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

@Suite final class TransferJournalTests {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("journal-\(UUID().uuidString)", isDirectory: true)
    var journal: TransferJournal { TransferJournal(folder: folder) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func order(_ name: String = "alps.jpg", at seconds: Double = 1) throws -> TransferOrder
    {
        TransferOrder(
            .download, try RemotePath(validating: "/photos/\(name)"),
            file: folder.appending(path: name), at: Date(timeIntervalSince1970: seconds))
    }

    @Test func listsWhatWasOrderedInOrder() throws {
        let orders = try (1...20).map { try order("p\($0).jpg", at: Double($0)) }
        for order in orders.shuffled() { try journal.write(order) }
        #expect(journal.items().map(\.order) == orders)
        #expect(journal.items().allSatisfy { $0.state == .waiting && $0.isWanted })
    }

    /// Orders of one selection, or of several programs, fall into one millisecond.
    @Test func whatIsOrderedInOneMillisecondHasItsOwnNameAndKeepsItsOrder() throws {
        let orders = try (0..<5000).map { _ in try order() }
        let ids = orders.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(ids.sorted() == ids)
        #expect(ids.allSatisfy { TransferOrder.isValid($0) && $0.count == 25 })
        // The time comes first: what an earlier release has ordered stays before.
        #expect(try order(at: 0).id < order(at: 1).id)
    }

    @Test func writesManyOrdersAtOnce() throws {
        let orders = try (1...250).map { try order("p\($0).jpg", at: Double($0)) }
        try journal.write(orders)
        #expect(journal.items().map(\.order) == orders)
        try journal.change(orders.map(\.id) + ["nobody"]) { $0.intent = .pause }
        #expect(journal.items().allSatisfy { $0.order.intent == .pause })
        // Nothing but the orders is left.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 250)
    }

    /// Orders of earlier versions are read, and earlier versions read these.
    @Test func theKeysOfAnOrderStay() throws {
        var order = try order()
        order.intent = .pause
        order.bytesPerSecondLimit = 1
        order.keepsOriginal = true
        order.keepsLocation = false
        order.precedence = 1
        let data = try JSONEncoder().encode(order)
        let fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            Set(fields.keys) == [
                "id", "direction", "path", "file", "created", "wish", "bytesPerSecondLimit",
                "replaces", "quality", "keepsOriginal", "keepsLocation", "retryCount",
                "precedence",
            ])
        #expect(fields["wish"] as? String == "pause")
    }

    @Test func ordersThatCannotBeWrittenLeaveNothing() throws {
        let orders = try (1...5).map { try order("p\($0).jpg", at: Double($0)) }
        // A folder where the last one goes.
        try FileManager.default.createDirectory(
            at: folder.appending(path: "\(orders[4].id).order/x"),
            withIntermediateDirectories: true)
        #expect(throws: TransferJournal.Failure.self) { try journal.write(orders) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.hasPrefix(".") })
    }

    @Test func whatIsPutFirstBeginsBeforeWhatWaitsLonger() throws {
        let orders = try (1...4).map { try order("p\($0).jpg", at: Double($0)) }
        try journal.write(orders)
        #expect(journal.items().inTurn.map(\.order) == orders)
        let first = journal.items().firstPrecedence
        try journal.change([orders[2].id]) { $0.precedence = first }
        let second = journal.items().firstPrecedence
        try journal.change([orders[3].id]) { $0.precedence = second }
        #expect(journal.items().inTurn.map(\.id) == [3, 2, 0, 1].map { orders[$0].id })
        // The list keeps the order of time.
        #expect(journal.items().map(\.id) == orders.map(\.id))
    }

    @Test func anOrderOfAnEarlierVersionHasNoPrecedence() throws {
        let order = try order()
        try journal.write(order)
        let file = folder.appending(path: "\(order.id).order")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("precedence"))
        try Data(text.replacing("{", with: "{\"precedence\":-7,", maxReplacements: 1).utf8)
            .write(to: file)
        #expect(journal.item(order.id)?.order.precedence == 0)
    }

    private func write(
        _ state: TransferStatus.State, of order: TransferOrder, at seconds: Double = 1
    ) throws {
        var status = TransferStatus()
        status.state = state
        status.updated = Date(timeIntervalSince1970: seconds)
        try journal.write(status, of: order.id)
    }

    @Test func ofVeryManyTheLatestAreListedWithAllThatCanGoOn() throws {
        let states: [TransferStatus.State] = [.done, .paused, .failed, .done, .cancelled, .done]
        let orders = try states.indices.map { try order("p\($0).jpg", at: Double($0)) }
        for (index, order) in orders.enumerated() {
            var order = order
            if states[index] == .paused { order.intent = .pause }
            try journal.write(order)
            try write(states[index], of: order)
        }
        #expect(journal.items(limit: 4).map(\.id) == [1, 2, 4, 5].map { orders[$0].id })
        #expect(journal.items(limit: 1).map(\.id) == [1, 2].map { orders[$0].id })
        #expect(journal.items(limit: 6).count == 6)
    }

    @Test func whatIsDoneExpiresAndNothingElse() throws {
        let states: [TransferStatus.State] = [.done, .done, .paused, .failed, .cancelled, .waiting]
        let orders = try states.indices.map { try order("p\($0).jpg", at: Double($0)) }
        for (index, order) in orders.enumerated() {
            var order = order
            if states[index] == .paused { order.intent = .pause }
            try journal.write(order)
            try write(states[index], of: order, at: index == 1 ? 2 : 1)
        }
        journal.removeExpired(at: Date(timeIntervalSince1970: TransferJournal.doneAge + 1.5))
        #expect(journal.items().map(\.id) == orders.dropFirst().map(\.id))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.hasPrefix(orders[0].id) })
    }

    @Test func ofVeryManyThatAreDoneTheLatestStay() throws {
        let orders = try (1...8).map { try order("p\($0).jpg", at: Double($0)) }
        try journal.write(orders)
        for order in orders.dropFirst() { try write(.done, of: order) }
        journal.removeExpired(at: Date(timeIntervalSince1970: 1), limit: 5)
        // The first one waits.
        #expect(journal.items().map(\.id) == [orders[0].id] + orders.dropFirst(3).map(\.id))
    }

    /// What a damaged file or a strange server says, nobody who adds or counts falls over.
    @Test func numbersOutOfAllBoundsAreCorrected() throws {
        var order = try order()
        (order.retryCount, order.bytesPerSecondLimit, order.quality) = (.max, -1, 1e300)
        order.created = Date(timeIntervalSince1970: 1e300)
        try journal.write(order)
        var status = TransferStatus()
        (status.byteCount, status.totalByteCount) = (.min, .max)
        (status.failureCount, status.retryCount) = (.max, .min)
        (status.bytesPerSecond, status.preparedFraction) = (-1e300, 1e300)
        status.nextAttempt = Date(timeIntervalSince1970: 1e300)
        try journal.write(status, of: order.id)
        var item = try #require(journal.item(order.id))
        #expect(item.status.byteCount == 0 && item.status.totalByteCount == 1 << 50)
        #expect(item.status.bytesPerSecond == nil && item.status.preparedFraction == 1)
        #expect(item.status.nextAttempt == nil)
        #expect(item.order.bytesPerSecondLimit == nil && item.order.quality == 1)
        #expect(item.order.created <= .distantFuture)
        item.order.askAgain()
        #expect(item.fraction == 0)
        #expect(item.status.failureCount + 1 > 0)
    }

    @Test func aStatusFromTheFutureIsDueAtOnce() throws {
        let order = try order()
        try journal.write(order)
        let now = Date(timeIntervalSince1970: 1_000_000)
        var status = TransferStatus()
        status.updated = now
        status.nextAttempt = now + 60
        try journal.write(status, of: order.id)
        #expect(journal.item(order.id, at: now)?.status.nextAttempt == now + 60)
        #expect(journal.item(order.id, at: now + 30)?.status.nextAttempt == now + 60)
        // The clock was set back by three hours.
        #expect(try #require(journal.item(order.id, at: now - 10_800)).status.nextAttempt == nil)
    }

    @Test func onAFullDiskWhatIsThereIsWrittenOver() throws {
        let order = try order()
        try journal.write(order)
        journal.reserveStatus(of: order.id)
        let full = TransferJournal(folder: folder, isDiskFull: true)
        var status = TransferStatus()
        status.state = .failed
        status.failure = TransferFailure(
            .store, code: "fileUnwritable",
            values: ["detail": String(repeating: "x", count: 2000)])
        try full.write(status, of: order.id)
        try full.change([order.id]) { $0.intent = .cancel }
        let item = try #require(journal.item(order.id))
        #expect(item.status == status)
        #expect(item.order.intent == .cancel)
        // What is shorter leaves nothing of what was there.
        status.failure = nil
        try full.write(status, of: order.id)
        try full.change([order.id]) { $0.intent = .run }
        #expect(journal.item(order.id)?.status == status)
        #expect(journal.item(order.id)?.order == order)
        // There is no room for another file.
        let other = try self.order("b.jpg", at: 2)
        let error = #expect(throws: TransferJournal.Failure.self) { try full.write(other) }
        #expect(error?.reason == String(cString: strerror(ENOSPC)))
        #expect(throws: TransferJournal.Failure.self) { try full.write(status, of: other.id) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["\(order.id).order", "\(order.id).status"])
    }

    @Test func aStatusThatIsThereIsNotReservedAgain() throws {
        let order = try order()
        try journal.write(order)
        journal.reserveStatus(of: order.id)
        #expect(journal.item(order.id)?.status == TransferStatus())
        var status = TransferStatus()
        status.state = .done
        try journal.write(status, of: order.id)
        journal.reserveStatus(of: order.id)
        #expect(journal.item(order.id)?.state == .done)
        // Of one that was cleared meanwhile nothing stays.
        journal.remove(order.id)
        journal.reserveStatus(of: order.id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func keepsItsFilesToItself() throws {
        let order = try order()
        try journal.write(order)
        try journal.write(TransferStatus(), of: order.id)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let facts = try FileManager.default.attributesOfItem(
                atPath: folder.appending(path: name).path)
            #expect(facts[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test(arguments: ["", "{", "null", "[]", "{\"id\": 7}", "{\"id\": \"other\"}"])
    func aDamagedRecordCostsOneTransfer(text: String) throws {
        let (first, second) = (try order("a.jpg", at: 1), try order("b.jpg", at: 2))
        for order in [first, second] { try journal.write(order) }
        try Data(text.utf8).write(to: folder.appending(path: "\(first.id).order"))
        #expect(journal.items().map(\.id) == [second.id])
        try Data(text.utf8).write(to: folder.appending(path: "\(second.id).status"))
        #expect(journal.items().map(\.state) == [.waiting])
    }

    @Test func aNameThatLeadsOutOfTheFolderIsNone() throws {
        #expect(journal.item("../../etc/passwd") == nil)
        #expect(journal.item("") == nil)
        #expect(journal.item("A") == nil)
        journal.remove("../x")
    }

    @Test func aPipeOrAFolderInPlaceOfARecordIsPassedOver() throws {
        try journal.write(try order())
        mkfifo(folder.appending(path: "aaa.order").path, 0o600)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "bbb.order"), withIntermediateDirectories: false)
        #expect(journal.items().count == 1)
    }

    @Test func clearingRemovesWhatHasArrivedOfItAndNothingElse() throws {
        var order = try order("a.jpg")
        order.intent = .cancel
        try journal.write(order)
        let names = [
            ".a.jpg.rev1.part", ".a.jpg.rev_2.part", ".b.jpg.rev1.part", "a.jpg.rev1.part",
            ".a.jpg.part", ".a.jpg.x.y.part", "other",
        ]
        for name in names { try Data("x".utf8).write(to: folder.appending(path: name)) }
        journal.clear(try #require(journal.item(order.id)))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(left) == Set(names.dropFirst(2)))
    }
}

@Suite struct TransferItemTests {
    private func item(
        _ wish: TransferOrder.Intent, _ state: TransferStatus.State, asked: Int = 0
    ) throws -> TransferItem {
        var order = TransferOrder(
            .upload, try RemotePath(validating: "/photos/a.jpg"), file: URL(filePath: "/a.jpg"))
        order.intent = wish
        order.retryCount = asked
        var status = TransferStatus()
        status.state = state
        return TransferItem(order: order, status: status)
    }

    /// Of all, only what has failed or waits for its next attempt: the rest was stopped on purpose, or moves.
    @Test func triesNothingAgainThatTheUserHasStopped() throws {
        #expect(try item(.run, .failed).isTriedAgain)
        var waiting = try item(.run, .waiting)
        #expect(!waiting.isTriedAgain)
        waiting.status.nextAttempt = Date(timeIntervalSinceNow: 60)
        #expect(waiting.isTriedAgain)
        #expect(try !item(.pause, .paused).isTriedAgain)
        #expect(try !item(.cancel, .cancelled).isTriedAgain)
        #expect(try !item(.run, .running).isTriedAgain)
        #expect(try !item(.run, .done).isTriedAgain)
    }

    /// What was wished is shown at once; what has ended stays so until it is asked for again.
    @Test func showsWhatIsWishedBeforeItIsCarriedOut() throws {
        #expect(try item(.pause, .running).state == .paused)
        #expect(try item(.cancel, .running).state == .cancelled)
        #expect(try item(.cancel, .done).state == .done)
        #expect(try item(.run, .paused).state == .waiting)
        #expect(try item(.run, .failed).state == .failed)
        #expect(try item(.run, .failed, asked: 1).state == .waiting)
        #expect(try item(.run, .cancelled, asked: 1).isWanted)
        // Asked for a moment before it was done: it is not done twice.
        #expect(try item(.run, .done, asked: 1).state == .done)
        #expect(try item(.pause, .failed, asked: 1).state == .failed)
    }

    @Test func whatWaitsForItsNextAttemptCanBeTriedAgain() throws {
        for state in [TransferStatus.State.waiting, .running] {
            var item = try item(.run, state)
            #expect(!item.canTryAgain)
            item.status.nextAttempt = Date(timeIntervalSinceNow: 60)
            #expect(item.canTryAgain && !item.canResume)
        }
        // It moves again.
        var running = try item(.run, .running)
        running.status.nextAttempt = Date(timeIntervalSinceNow: -60)
        #expect(!running.canTryAgain)
    }

    @Test func offersWhatIsPossibleAlone() throws {
        let running = try item(.run, .running)
        #expect(running.canPause && running.canCancel && !running.canResume)
        let paused = try item(.pause, .running)
        #expect(!paused.canPause && paused.canCancel && paused.canResume)
        let done = try item(.run, .done)
        #expect(!done.canPause && !done.canCancel && !done.canResume)
        let cancelled = try item(.cancel, .running)
        #expect(!cancelled.canPause && !cancelled.canCancel && cancelled.canResume)
    }
}
