import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import ByteClubPictures
import Synchronization
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
import ByteClubFiles
@testable import ClubAccess

@MainActor @Suite final class TransferCarrierTests {
    let store = InMemoryStore()
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("carrier-\(UUID().uuidString)", isDirectory: true)
    let activity = TestActivity()
    private var journal: TransferJournal { TransferJournal(folder: folder.appending(path: "j")) }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func makeCenter() -> (TransferCenter, CarrierHere) {
        let carrier = CarrierHere(journal.folder, store)
        let center = TransferCenter(journal, carrier: carrier, activity: activity)
        center.start()
        return (center, carrier)
    }

    private func upload(_ name: String, _ data: Data) throws -> TransferOrder {
        let file = folder.appending(path: name)
        try data.write(to: file)
        return TransferOrder(.upload, try RemotePath(validating: "/photos/\(name)"), file: file)
    }

    private func download(_ name: String) throws -> TransferOrder {
        TransferOrder(
            .download, try RemotePath(validating: "/photos/\(name)"),
            file: folder.appending(path: name))
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).subtracting(["j"])
    }

    // MARK: - What has failed

    @Test func aFailureThatWasSeenIsNotToldAfterARestart() async throws {
        let order = try download("sea.jpg")
        try journal.makeFolder()
        try journal.write(order)
        var status = TransferStatus()
        (status.state, status.reason) = (.failed, "The disk is full.")
        try journal.write(status, of: order.id)
        func run() async -> TransferCenter {
            let center = TransferCenter(
                journal, carrier: NoCarrier(reason: nil), activity: activity)
            center.start()
            await center.finish()
            return center
        }
        var center = await run()
        #expect(center.unseenFailures.map(\.id) == [order.id])
        center.seeFailures()
        #expect(center.unseenFailures.isEmpty)
        await center.finish()
        center.stop()

        center = await run()
        #expect(center.items.map(\.id) == [order.id])
        #expect(center.unseenFailures.isEmpty)
        center.stop()
        // Another failure of it is another one.
        status.retryCount = 1
        try journal.write(status, of: order.id)
        center = await run()
        #expect(center.unseenFailures.map(\.id) == [order.id])
        center.stop()
    }

    // MARK: - No carrier

    @Test func saysWhyNoCarrierCanBeStarted() async throws {
        let center = TransferCenter(
            journal, carrier: NoCarrier(reason: "Permission denied"), activity: activity)
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        center.start()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.state == .failed)
        #expect(item.status.reason?.contains("cannot be started: Permission denied") == true)
    }

    @Test func doesNotStartACarrierForEverThatEndsAtOnce() async throws {
        let carrier = NoCarrier(reason: nil)
        let center = TransferCenter(
            journal, carrier: carrier, activity: activity, checkInterval: .milliseconds(1))
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        center.start()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.status.reason?.contains("ends at once") == true)
        #expect(carrier.startCount.withLock { $0 } <= 8)
        // It is tried again as soon as somebody asks for it.
        center.resume([order.id])
        #expect(center.item(order.id)?.isWanted == true)
        center.stop()
    }

    // MARK: - Up

    @Test func putsAReencodedCopyIntoTheClub() async throws {
        let original = Photos.wide(width: 1200, height: 300)
        let order = try upload("sea.jpg", original)
        let (center, _) = makeCenter()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.state == .done)
        #expect(item.status.path == "/photos/sea.jpg")
        let stored = try #require(store.contents(of: "/photos/sea.jpg"))
        #expect(try JPEGHeader.read(stored).size == PixelSize(width: 1200, height: 300))
        #expect(item.status.byteCount == Int64(stored.count))
        #expect(try Data(contentsOf: URL(filePath: order.file)) == original)
        await center.finish()
        #expect(activity.count == 0)
    }

    @Test func sendsAnOriginalWithoutThePlaceUnlessThatIsWanted() async throws {
        let metadata = PhotoMetadata(orientation: 6, hasLocation: true, maker: "Byte & Sons")
        let original = Photos.corners(metadata: metadata)
        var orders = [try upload("as-it-is.jpg", original), try upload("place.jpg", original)]
        for index in orders.indices { orders[index].keepsOriginal = true }
        orders[1].keepsLocation = true
        orders.append(try upload("plain.jpg", original))
        let (center, _) = makeCenter()
        center.add(orders)
        for order in orders { #expect(await center.end(of: order.id).state == .done) }

        let sent = try #require(store.contents(of: "/photos/as-it-is.jpg"))
        #expect(sent.count == original.count)
        #expect(try !JPEGHeader.read(sent).hasLocation)
        #expect(store.contents(of: "/photos/place.jpg") == original)
        let plain = try #require(store.contents(of: "/photos/plain.jpg"))
        #expect(try !JPEGHeader.read(plain).hasLocation)
        #expect(try PictureFile(data: plain).details().camera == "Byte & Sons")
    }

    @Test func replacesNothing() async throws {
        try store.plant("theirs", at: "/photos/sea.jpg")
        try store.plant("theirs", at: "/photos/sea (2).jpg")
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        let (center, _) = makeCenter()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.status.path == "/photos/sea (3).jpg")
        #expect(item.shownName == "sea (3).jpg")
        #expect(store.contents(of: "/photos/sea.jpg") == Data("theirs".utf8))
    }

    @Test(arguments: [
        (Data("no picture at all".utf8), "it is a text"), (Data(), "is empty"),
        (Photos.truncated(), "ends before the picture does"),
    ])
    func saysWhyAFileIsNotUploaded(data: Data, words: String) async throws {
        let order = try upload("bad.jpg", data)
        let (center, _) = makeCenter()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.state == .failed)
        let reason = try #require(item.status.reason)
        #expect(reason.contains("“bad.jpg” was not uploaded because"))
        #expect(reason.contains(words))
        #expect(store.contents(of: "/photos/bad.jpg") == nil)
    }

    @Test(arguments: [StoreError.Code.overQuota, .unauthorized, .forbidden])
    func whatOnlyAPersonCanMendFails(code: StoreError.Code) async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        store.failNext(.upload, with: code)
        let (center, _) = makeCenter()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.state == .failed)
        #expect(item.status.reason?.isEmpty == false)
        // And works when it is asked for again.
        center.resume([order.id])
        #expect(center.item(order.id)?.state == .waiting)
        #expect(await center.end(of: order.id).state == .done)
    }

    @Test func whatTheNetworkFailsAtWaitsAndSaysSo() async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        store.failNext(.upload, with: .offline)
        let (center, _) = makeCenter()
        center.add([order])
        let waiting = await center.wait { $0.item(order.id)?.status.nextAttempt != nil }
        #expect(waiting.first?.state == .waiting)
        let next = try #require(waiting.first?.status.nextAttempt)
        let words = waiting.first?.words(at: next.addingTimeInterval(-0.5))
        #expect(words == "The connection broke; trying again in 1 s.")
        // Not waited for by a person who asks.
        center.resume([order.id])
        #expect(await center.end(of: order.id).state == .done)
    }

    @Test func aFileThatChangedBeforeTheNextAttemptIsSentAsItIsThen() async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        store.failNext(.upload, with: .offline)
        let (center, _) = makeCenter()
        center.add([order])
        _ = await center.wait { $0.item(order.id)?.status.nextAttempt != nil }
        try Photos.wide(width: 600, height: 200).write(to: URL(filePath: order.file))
        center.resume([order.id])
        #expect(await center.end(of: order.id).state == .done)
        let sent = try #require(store.contents(of: "/photos/sea.jpg"))
        #expect(try JPEGHeader.read(sent).size == PixelSize(width: 600, height: 200))
    }

    /// A server that changes what it stores would do so under each next name.
    @Test func whatTheClubHasStoredOtherwiseGetsNoOtherName() async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        store.failNext(.upload, with: .conflict(serverRevision: nil), wasAccepted: true)
        let (center, _) = makeCenter()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.state == .failed)
        #expect(item.reason?.contains("the server has changed it") == true)
        #expect(store.calls.count { $0.operation == .upload } == 1)
        #expect(store.contents(of: "/photos/sea.jpg") == nil)
    }

    @Test func whatArrivesAfterItWasCancelledIsShown() async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        store.holdConfirmations()
        let (center, _) = makeCenter()
        center.add([order])
        await store.waitForConfirmation()
        center.cancel([order.id])
        #expect(center.item(order.id)?.state == .cancelled)
        await center.wait { $0.item(order.id)?.status.state == .cancelled }
        let count = try #require(center.item(order.id)?.status.totalByteCount)
        try store.plant(Data(count: Int(count)), at: "/photos/sea.jpg")
        await center.wait { $0.item(order.id)?.state == .done }
        await center.finish()
    }

    /// Somebody else's, that came under the same name.
    @Test func anotherPhotoOfTheSameLengthIsNotTheOneThatWasCancelled() async throws {
        let store = InMemoryStore(hasHashes: true)
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        store.holdConfirmations()
        let carrier = CarrierHere(journal.folder, store)
        let center = TransferCenter(journal, carrier: carrier, activity: activity)
        center.start()
        center.add([order])
        await store.waitForConfirmation()
        center.cancel([order.id])
        await center.wait { $0.item(order.id)?.status.state == .cancelled }
        let count = try #require(center.item(order.id)?.status.totalByteCount)
        try store.plant(Data(count: Int(count)), at: "/photos/sea.jpg")
        // It looks for it, however it is ended.
        await carrier.end()
        #expect(store.calls.contains { $0.operation == .metadata })
        #expect(journal.item(order.id)?.status.state == .cancelled)
        center.stop()
    }

    // MARK: - What fails again

    /// Twice in a row without a step forward: that needs a person.
    @Test(arguments: [([1, 2, 3], TransferStatus.State.done), ([1, 1], .failed)])
    func aStepForwardEndsARowOfFailures(
        quarters: [Int], end: TransferStatus.State
    ) async throws {
        try store.plant(Data(count: 4000), at: "/photos/a.jpg")
        let order = try download("a.jpg")
        try journal.write(order)
        let state = Mutex((attempt: 0, part: 0))
        store.setPace { call, _ async throws(StoreError) in
            let fails = state.withLock { state -> Bool in
                guard quarters.indices.contains(state.attempt) else { return false }
                guard state.part == quarters[state.attempt] else {
                    state.part += 1
                    return false
                }
                state = (state.attempt + 1, 0)
                return true
            }
            if fails { throw StoreError(.serverError, during: call.operation, at: call.path) }
        }
        let (store, clock) = (store, WaitedClock())
        let carrier = TransferCarrier(
            journal,
            means: TransferCarrier.Means(club: .remote, clock: clock.transferClock) { store })
        await carrier.run(idleTime: .zero)
        #expect(journal.item(order.id)?.state == end)
    }

    /// What was refused is not shown as sent, and a person need not wait for the request to be sent again.
    @Test func aRequestThatWaitsIsSentAgainAtOnceWhenSomebodyAsks() async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        let callCount = Mutex(0)
        store.setPace { call, _ async throws(StoreError) in
            guard call.operation == .upload else { return }
            let count = callCount.withLock { count -> Int in
                count += 1
                return count
            }
            // The last quarter of the first attempt.
            guard count == 4 else { return }
            RetryNotice.observer?(RetryNotice(reason: .busy, wait: .seconds(600)))
            try? await Task.sleep(for: .seconds(600))
            throw StoreError(.cancelled, during: .upload, at: call.path)
        }
        let (center, _) = makeCenter()
        center.add([order])
        await center.wait { $0.item(order.id)?.isRetrying == true }
        let waiting = try #require(center.item(order.id))
        #expect(waiting.state == .running && waiting.status.byteCount == 0)
        #expect(waiting.canTryAgain)
        center.resume([order.id])
        #expect(await center.end(of: order.id).state == .done)
        #expect(callCount.withLock { $0 } == 8)
    }

    /// As on a full disk: else it would begin again at once, for ever.
    @Test func whatHasFailedDoesNotBeginAgainIfThatCannotBeWritten() async throws {
        let order = try download("gone.jpg")
        try journal.write(order)
        // Nothing can be written in the place of a folder.
        let status = journal.folder.appending(path: "\(order.id).status")
        try FileManager.default.createDirectory(
            at: status.appending(path: "x"), withIntermediateDirectories: true)
        let waits = Mutex<[Duration]>([])
        let clock = WaitedClock { wait in
            guard wait >= .seconds(1) else { return }
            let count = waits.withLock { waits -> Int in
                waits.append(wait)
                return waits.count
            }
            if count == 5 { try? FileManager.default.removeItem(at: status) }
        }
        let store = store
        let carrier = TransferCarrier(
            journal,
            means: TransferCarrier.Means(club: .remote, clock: clock.transferClock) { store })
        await carrier.run(idleTime: .zero)
        #expect(store.calls.count { $0.operation == .download } == 1)
        #expect(journal.item(order.id)?.status.state == .failed)
        // Ever more rarely.
        let longest = waits.withLock { $0.max() }
        #expect(try #require(longest) > .seconds(2))
    }

    /// There is no room for a new order.
    @Test func aTransferIsCancelledOnAFullDisk() async throws {
        try store.plant("new", at: "/photos/a.jpg")
        store.hold(.download)
        let order = try download("a.jpg")
        let (center, _) = makeCenter()
        center.add([order])
        await center.wait { $0.item(order.id)?.state == .running }
        let full = TransferJournal(folder: journal.folder, isDiskFull: true)
        try full.change([order.id]) { $0.intent = .cancel }
        await center.wait { $0.item(order.id)?.status.state == .cancelled }
        store.release(.download)
        center.stop()
    }

    @Test func cancelsWhileItRuns() async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 1200, height: 300))
        store.hold(.upload)
        let (center, _) = makeCenter()
        center.add([order])
        await center.wait { $0.item(order.id)?.state == .running }
        center.cancel([order.id])
        #expect(center.item(order.id)?.state == .cancelled)
        await center.wait { $0.item(order.id)?.status.state == .cancelled }
        store.release(.upload)
        #expect(store.contents(of: "/photos/sea.jpg") == nil)
    }

    // MARK: - Down

    @Test func fetchesSeveralWholeAndVerified() async throws {
        let data = Photos.noise(width: 300, height: 200)
        for number in 0..<5 { try store.plant(data, at: "/photos/p\(number).jpg") }
        let orders = try (0..<5).map { try download("p\($0).jpg") }
        let (center, _) = makeCenter()
        center.add(orders)
        for order in orders { #expect(await center.end(of: order.id).state == .done) }
        for order in orders {
            #expect(try Data(contentsOf: URL(filePath: order.file)) == data)
        }
        #expect(try names() == Set((0..<5).map { "p\($0).jpg" }))
    }

    @Test func neverReplacesAFileWithoutAYes() async throws {
        try store.plant("new", at: "/photos/a.jpg")
        try Data("mine".utf8).write(to: folder.appending(path: "a.jpg"))
        var order = try download("a.jpg")
        let (center, _) = makeCenter()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.state == .failed)
        #expect(item.status.reason?.contains("There is a file") == true)
        #expect(try Data(contentsOf: folder.appending(path: "a.jpg")) == Data("mine".utf8))

        order = try download("a.jpg")
        order.replaces = true
        center.add([order])
        #expect(await center.end(of: order.id).state == .done)
        #expect(try Data(contentsOf: folder.appending(path: "a.jpg")) == Data("new".utf8))
    }

    @Test func pausesAndGoesOn() async throws {
        let data = Photos.noise(width: 600, height: 400)
        try store.plant(data, at: "/photos/a.jpg")
        store.hold(.download)
        let order = try download("a.jpg")
        let (center, _) = makeCenter()
        center.add([order])
        await center.wait { ($0.item(order.id)?.status.byteCount ?? 0) > 0 }
        center.pause([order.id])
        await center.wait { $0.item(order.id)?.status.state == .paused }
        #expect(!FileManager.default.fileExists(atPath: order.file))
        store.release(.download)
        center.resume([order.id])
        #expect(await center.end(of: order.id).state == .done)
        #expect(try Data(contentsOf: URL(filePath: order.file)) == data)
    }

    /// The carrier ends in the middle, as with the computer; the next one goes on.
    @Test func whatACarrierHasLeftTheNextOneTakesUp() async throws {
        let data = Photos.noise(width: 600, height: 400)
        try store.plant(data, at: "/photos/a.jpg")
        store.hold(.download)
        let order = try download("a.jpg")
        let (center, carrier) = makeCenter()
        center.add([order])
        await center.wait { $0.item(order.id)?.state == .running }
        await carrier.end()
        #expect(journal.item(order.id)?.isWanted == true)
        store.release(.download)
        center.stop()

        let (next, _) = makeCenter()
        #expect(await next.end(of: order.id).state == .done)
        #expect(try Data(contentsOf: URL(filePath: order.file)) == data)
    }

    @Test func aFileThatAppearsMeanwhileIsNotReplaced() async throws {
        try store.plant("new", at: "/photos/a.jpg")
        store.hold(.download)
        let order = try download("a.jpg")
        let (center, _) = makeCenter()
        center.add([order])
        await center.wait { $0.item(order.id)?.state == .running }
        try Data("mine".utf8).write(to: URL(filePath: order.file))
        store.release(.download)
        let item = await center.end(of: order.id)
        #expect(item.state == .failed)
        #expect(item.status.reason?.contains("There is a file") == true)
        #expect(try Data(contentsOf: URL(filePath: order.file)) == Data("mine".utf8))
    }

    /// What was read a moment ago may be over by now.
    @Test func nothingIsDoneAboutAnOldStateOfATransfer() async throws {
        try store.plant("new", at: "/photos/a.jpg")
        let (wanted, cancelled) = (try download("a.jpg"), try download("b.jpg"))
        for order in [wanted, cancelled] { try journal.write(order) }
        try journal.change([cancelled.id]) { $0.intent = .cancel }
        let old = journal.items()
        var status = TransferStatus()
        status.state = .done
        for order in [wanted, cancelled] { try journal.write(status, of: order.id) }
        let store = store
        let carrier = TransferCarrier(
            journal, means: TransferCarrier.Means(club: .remote) { store })
        #expect(await carrier.arrange(old) == nil)
        await carrier.run(idleTime: .zero)
        #expect(journal.items().map(\.status.state) == [.done, .done])
        #expect(try names().isEmpty)
    }

    @Test func whatWasClearedWhileItRanLeavesNothing() async throws {
        try store.plant("new", at: "/photos/a.jpg")
        store.hold(.download)
        let order = try download("a.jpg")
        let (center, carrier) = makeCenter()
        center.add([order])
        await center.wait { $0.item(order.id)?.state == .running }
        center.cancel([order.id])
        center.clear([order.id])
        await center.finish()
        await carrier.end()
        let left = try FileManager.default.contentsOfDirectory(atPath: journal.folder.path)
        #expect(left.filter { $0.hasPrefix(order.id) }.isEmpty)
        store.release(.download)
    }

    /// Two carriers would upload a photo twice; one that only leaves would be started again for ever.
    @Test func saysThatFilesCannotBeLocked() async throws {
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        try journal.write(order)
        let store = store
        await CarrierProcess.carry(
            journal, means: TransferCarrier.Means(club: .remote) { store }
        ) { _ in .impossible }
        let item = try #require(journal.item(order.id))
        #expect(item.state == .failed && !item.isWanted)
        #expect(item.status.reason?.contains("cannot be locked") == true)
        #expect(store.contents(of: "/photos/sea.jpg") == nil)
        // Elsewhere, it can be asked for again.
        let (center, _) = makeCenter()
        await center.wait { $0.item(order.id) != nil }
        center.resume([order.id])
        #expect(await center.end(of: order.id).state == .done)
    }

    /// What was sent while no window was open is one's own all the same.
    @Test func tellsTheWindowsWhatWasUploadedHere() async throws {
        let library = folder.appending(path: "library")
        let copy = LocalCopy(folder: library)
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        try journal.write(order)
        let store = store
        let changes = OwnChanges(libraryFolder: library)
        let carrier = TransferCarrier(
            journal, means: TransferCarrier.Means(club: .remote, changes: changes) { store })
        await carrier.run(idleTime: .zero)
        let path = try RemotePath(validating: "/photos/sea.jpg")
        let file = try await store.metadata(of: path)
        #expect(try copy.ownWrites().contains { $0.made(file) })
    }

    /// Before the club has it: it announces a photo before it confirms it.
    @Test func tellsTheWindowsOfAnUploadBeforeItIsConfirmed() async throws {
        let copy = LocalCopy(folder: folder.appending(path: "library"))
        let order = try upload("sea.jpg", Photos.wide(width: 300, height: 100))
        try journal.write(order)
        let store = store
        let changes = OwnChanges(libraryFolder: folder.appending(path: "library"))
        let announced = Mutex<Bool?>(nil)
        store.setPace { call, _ async throws(StoreError) in
            guard call.operation == .upload else { return }
            let writes = (try? copy.ownWrites()) ?? []
            announced.withLock {
                $0 = writes.contains { $0.contentHash != nil && $0.isUnderWay(at: Date()) }
            }
        }
        let carrier = TransferCarrier(
            journal, means: TransferCarrier.Means(club: .remote, changes: changes) { store })
        await carrier.run(idleTime: .zero)
        #expect(announced.withLock { $0 } == true)
        _ = try await store.metadata(of: RemotePath(validating: "/photos/sea.jpg"))
        let writes = try copy.ownWrites()
        #expect(writes.count == 1)
    }

    // MARK: - Turns

    /// A carrier with one slot, and four photos; the last one is put first while none has begun.
    @Test func whatIsPutFirstBeginsFirst() async throws {
        let names = ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]
        for name in names { try store.plant("new", at: "/photos/\(name)") }
        let orders = try names.map { try download($0) }
        try journal.write(orders)
        let center = TransferCenter(
            journal, carrier: NoCarrier(reason: nil), activity: activity)
        center.start()
        await center.wait { $0.items.count == 4 }
        center.putFirst(orders[2].id)
        center.putFirst(orders[3].id)
        #expect(center.items.map(\.id) == orders.map(\.id))
        await center.finish()
        center.stop()
        let store = store
        let carrier = TransferCarrier(
            journal, means: TransferCarrier.Means(club: .remote, slotCount: { 1 }) { store })
        await carrier.run(idleTime: .zero)
        let begun = store.calls.filter { $0.operation == .download }.compactMap(\.path?.name)
        #expect(begun == ["d.jpg", "c.jpg", "a.jpg", "b.jpg"])
    }

    @Test(arguments: [1, 3, 8]) func asManyRunAtOnceAsTheSettingsSay(count: Int) async throws {
        let orders = try (1...8).map { try download("\($0).jpg") }
        for order in orders { try store.plant("new", at: order.path) }
        try journal.write(orders)
        store.hold(.download)
        let store = store
        let carrier = TransferCarrier(
            journal, means: TransferCarrier.Means(club: .remote, slotCount: { count }) { store })
        let (rests, rest) = AsyncStream.makeStream(of: Void.self)
        carrier.didComeToRest = { rest.yield() }
        let running = Task { await carrier.run(idleTime: .zero) }
        for await _ in rests where carrier.jobCountAtRest == count { break }
        store.release(.download)
        await running.value
        #expect(journal.items().allSatisfy { $0.state == .done })
    }

    // MARK: - Failures

    @Test func aFailureIsNewUntilItWasLookedAtAndAgainWhenItFailsAgain() async throws {
        let order = try upload("bad.jpg", Data("no picture at all".utf8))
        let (center, _) = makeCenter()
        center.add([order])
        _ = await center.end(of: order.id)
        #expect(center.unseenFailures.map(\.id) == [order.id])
        center.seeFailures()
        #expect(center.unseenFailures.isEmpty)
        center.resume([order.id])
        #expect(center.unseenFailures.isEmpty)
        await center.wait { $0.item(order.id)?.state == .failed }
        #expect(center.unseenFailures.map(\.id) == [order.id])
        center.stop()
        // The next run of the app tells it too.
        let (next, _) = makeCenter()
        await next.wait { !$0.items.isEmpty }
        #expect(next.unseenFailures.map(\.id) == [order.id])
    }

    @Test func theListSaysWhatToDoAboutAFailure() async throws {
        let order = try upload("bad.jpg", Data("no picture at all".utf8))
        let (center, _) = makeCenter()
        center.add([order])
        _ = await center.end(of: order.id)
        let root = ViewController()
        let screen = try AppScreen(TabBarController([root]))
        root.present(TransfersViewController(center))
        await screen.wait { $0.text.contains("was not uploaded") && $0.text.contains("another.") }
        // Someone who has looked at the list knows.
        #expect(center.unseenFailures.isEmpty)
    }

    // MARK: - Looking

    @Test func looksFromTimeToTimeWhereTheSystemTellsOfNoChanges() async throws {
        let center = TransferCenter(
            journal, carrier: CarrierHere(journal.folder, store), activity: activity,
            isWatched: false)
        center.start()
        await center.finish()
        var order = try download("a.jpg")
        order.intent = .pause
        // By another program, while nothing is to be done.
        try journal.write(order)
        await center.wait { $0.item(order.id)?.state == .paused }
        center.stop()
    }

    @Test func isNotBusyAnyMoreWhenItHasStopped() async throws {
        try store.plant("new", at: "/photos/a.jpg")
        store.hold(.download)
        let order = try download("a.jpg")
        let (center, carrier) = makeCenter()
        center.add([order])
        await center.wait { $0.item(order.id)?.state == .running }
        center.stop()
        await center.finish()
        #expect(activity.count == 0)
        store.release(.download)
        await carrier.end()
        #expect(center.item(order.id)?.state == .running)
    }

    @Test func sumsOfSizesHaveNoBounds() throws {
        var status = TransferStatus()
        (status.byteCount, status.totalByteCount) = (.max, .max)
        let item = TransferItem(order: try download("a.jpg"), status: status)
        #expect(TransferBatch([item, item, item]).percent == 99)
        #expect(TransferBatch([]).percent == nil)
    }

    // MARK: - Names

    private func photo(_ name: String) throws -> RemoteFile {
        try store.plant("x", at: "/photos/" + name)
    }

    @Test func photosOfOneSelectionNeverGoToTheSamePlace() async throws {
        for name in ["a.jpg", "b.jpg"] {
            try Data("mine".utf8).write(to: folder.appending(path: name))
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "b (2).jpg").path, withDestinationPath: "/nowhere")
        let photos = try [
            "a.jpg", "a (2).jpg", "b.jpg", "\u{1}.jpg", "\u{2}.jpg", "c.jpg",
        ].map(photo)
        let expected = [folder.appending(path: "c.jpg").path]
        let files = await PhotoDownloads.files(
            for: photos, in: folder, expected: Set(expected), replacing: false)
        #expect(
            files.map(\.lastPathComponent) == [
                "a (2).jpg", "a (2) (2).jpg", "b (3).jpg", "_.jpg", "_ (2).jpg", "c (2).jpg",
            ])
        let replaced = await PhotoDownloads.files(
            for: photos, in: folder, expected: [], replacing: true)
        #expect(
            replaced.map(\.lastPathComponent) == [
                "a.jpg", "a (2).jpg", "b.jpg", "_.jpg", "_ (2).jpg", "c.jpg",
            ])
    }

    @Test func aFileThatCannotBeWrittenIsTold() async throws {
        try store.plant("new", at: "/photos/a.jpg")
        var order = try download("a.jpg")
        order.file = "/proc/none/a.jpg"
        let (center, _) = makeCenter()
        center.add([order])
        let item = await center.end(of: order.id)
        #expect(item.state == .failed)
        #expect(item.status.reason?.isEmpty == false)
    }
}

extension TransferCenter {
    /// Returns when a transfer has come to its end.
    @MainActor func end(of id: String) async -> TransferItem {
        await wait { center in
            guard let item = center.item(id) else { return false }
            return item.isFinished && item.state == item.status.state
        }.first { $0.id == id } ?? items[0]
    }

    /// Returns when something is so, asked at each change.
    @MainActor @discardableResult func wait(
        _ isTrue: @escaping @MainActor (TransferCenter) -> Bool
    ) async -> [TransferItem] {
        let waiter = Waiter<TransferCenter>(isTrue)
        addObserver(waiter)
        waiter.look(at: self)
        await waiter.wait()
        return items
    }
}
