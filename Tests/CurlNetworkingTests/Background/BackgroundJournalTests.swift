import Foundation
import Glibc
import Testing

@testable import CurlNetworking

@Suite struct BackgroundJournalTests {
    private let answer = BackgroundTaskRecord.Answer(
        url: "https://a.test/x", status: 200, fields: [.init(name: "ETag", value: "\"v\"")])

    // MARK: - States

    @Test(
        arguments: [
            ("", "queued"), ("s", "running"), ("sp", "running"), ("sz", "queued"),
            ("szs", "running"), ("sf", "finished"), ("sx", "failed"), ("x", "failed"),
            ("f", "finished"), ("sfd", "delivered"), ("sxd", "delivered"),
        ])
    func goesThroughItsStates(events: String, state: String) {
        var record = makeRecord(1)
        for event in events { #expect(record.apply(self.event(event)) == .applied, "\(event)") }
        #expect(name(of: record.state) == state)
    }

    @Test(arguments: [
        "d", "p", "z", "ss", "sd", "sfs", "sff", "sfx", "sxf", "sxs", "sfdd", "sfds", "sb",
    ])
    func takesNoOtherWay(events: String) throws {
        var record = makeRecord(1)
        for event in events.dropLast() { #expect(record.apply(self.event(event)) == .applied) }
        let before = record
        let last = try #require(events.last)
        #expect(record.apply(event(last)) == .notAllowed)
        #expect(record == before)
    }

    // MARK: - On the disk

    @Test func comesBackAsItWas() throws {
        let folder = try ScratchFolder()
        var journal = try BackgroundJournal(path: folder.path(of: "journal"))
        try journal.add(makeRecord(1))
        try journal.add(makeRecord(2, kind: .upload(file: "/photos/a b.jpg")))
        try journal.add(makeRecord(1, session: "other/../session"))
        #expect(try journal.note(event("s"), of: 1, in: "club") == .applied)
        #expect(try journal.note(event("f"), of: 1, in: "club") == .applied)
        #expect(try journal.note(event("x"), of: 2, in: "club") == .applied)
        let again = try BackgroundJournal(path: folder.path(of: "journal"))
        #expect(again.tasks(of: "club") == journal.tasks(of: "club"))
        #expect(again.tasks(of: "other/../session").count == 1)
        #expect(again.sessions == ["club", "other/../session"])
        #expect(again.nextNumber(in: "club") == 3)
        #expect(again.nextNumber(in: "new") == 1)
        #expect(again.damagedNames == [])
    }

    @Test func whatWasRunningIsQueuedAgain() throws {
        let folder = try ScratchFolder()
        var journal = try BackgroundJournal(path: folder.path(of: "journal"))
        try journal.add(makeRecord(1))
        #expect(try journal.note(event("s"), of: 1, in: "club") == .applied)
        #expect(try journal.note(event("p"), of: 1, in: "club") == .applied)
        let again = try BackgroundJournal(path: folder.path(of: "journal"))
        #expect(again.tasks(of: "club").first?.state == .queued)
        #expect(again.tasks(of: "club").first?.attempts == 1)
    }

    @Test func whatIsDeliveredIsForgotten() throws {
        let folder = try ScratchFolder()
        var journal = try BackgroundJournal(path: folder.path(of: "journal"))
        try journal.add(makeRecord(1))
        for event in "sfd" {
            #expect(try journal.note(self.event(event), of: 1, in: "club") == .applied)
        }
        #expect(journal.tasks(of: "club").isEmpty)
        #expect(try journal.note(event("s"), of: 1, in: "club") == .notAllowed)
        #expect(try BackgroundJournal(path: folder.path(of: "journal")).sessions.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "journal")) == [])
    }

    /// Whatever of a write a kill leaves behind: the part of a new file that was written, beside the
    /// old one.
    @Test func aKillAtAnyByteLeavesTheLastState() throws {
        let folder = try ScratchFolder()
        var journal = try BackgroundJournal(path: folder.path(of: "journal"))
        try journal.add(makeRecord(1))
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path(of: "journal")).first)
        let queued = try #require(folder.get("journal/" + name))
        _ = try journal.note(event("f"), of: 1, in: "club")
        let finished = try #require(folder.get("journal/" + name))
        for count in stride(from: 0, through: finished.count, by: 13) {
            try folder.put(queued, "journal/" + name)
            try folder.put(
                finished.prefix(count), "journal/" + AtomicFile.unfinishedPrefix + "x-" + name)
            let found = try BackgroundJournal(path: folder.path(of: "journal"))
            #expect(found.tasks(of: "club").map(\.state) == [.queued])
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "journal"))
                    == [name])
        }
    }

    @Test func aKillBeforeARemovalIsMadeGoodFor() throws {
        let folder = try ScratchFolder()
        var journal = try BackgroundJournal(path: folder.path(of: "journal"))
        var record = makeRecord(1)
        try journal.add(record)
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path(of: "journal")).first)
        for event in "sfd" { #expect(record.apply(self.event(event)) == .applied) }
        try folder.put(record.render(), "journal/" + name)
        #expect(try BackgroundJournal(path: folder.path(of: "journal")).sessions.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "journal")) == [])
    }

    @Test func damageIsMovedAsideAndCostsOneTask() throws {
        let folder = try ScratchFolder()
        var journal = try BackgroundJournal(path: folder.path(of: "journal"))
        for number in 1...4 { try journal.add(makeRecord(number)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "journal"))
            .sorted()
        var data = try #require(folder.get("journal/" + names[0]))
        data[data.count / 2] ^= 1
        try folder.put(data, "journal/" + names[0])
        try folder.put(Data(), "journal/" + names[1])
        // A good record under another's name is invalid.
        try folder.put(try #require(folder.get("journal/" + names[3])), "journal/" + names[2])
        let again = try BackgroundJournal(path: folder.path(of: "journal"))
        #expect(again.tasks(of: "club").count == 1)
        #expect(again.damagedNames == Array(names[..<3]))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "journal")).sorted()
                == (names[..<3].map { $0 + ".damaged" } + [names[3]]).sorted())
        #expect(try BackgroundJournal(path: folder.path(of: "journal")).damagedNames == [])
    }

    @Test func aWriteThatFailsChangesNothing() throws {
        let folder = try ScratchFolder()
        var journal = try BackgroundJournal(path: folder.path(of: "journal"))
        try journal.add(makeRecord(1))
        try FileManager.default.moveItem(
            atPath: folder.path(of: "journal"), toPath: folder.path(of: "gone"))
        #expect(throws: URLError.self) { try journal.note(event("s"), of: 1, in: "club") }
        #expect(throws: URLError.self) { try journal.add(makeRecord(2)) }
        #expect(journal.tasks(of: "club").map(\.state) == [.queued])
    }

    /// As the version before wrote it, which knew of no new parts, first answers, uploads and marks.
    @Test func readsTheRecordsOfEarlierVersions() throws {
        var record = makeRecord(1)
        for event in "si" { #expect(record.apply(self.event(event)) == .applied) }
        record.part.resumeData = Data([1, 2])
        let payload = try ChecksummedRecord.open(record.render(), as: .backgroundTask)
        let object = try JSONSerialization.jsonObject(with: payload) as? [String: Any]
        let keys: Set = [
            "attempts", "created", "description", "history", "interruptions", "key", "kind",
            "number", "part", "priority", "request", "session", "settings", "state",
        ]
        #expect(Set(try #require(object).keys) == keys, "nothing new has to be there")
        let earlier = """
            {"number":7,"session":"club","kind":{"upload":{"file":"\\/a.jpg"}},"request":{"url":
            "https:\\/\\/a.test\\/x","method":"PUT","fields":[]},"created":1800000000,"key":5,
            "settings":{"requestTimeout":60,"resourceTimeout":604800,"connectionsPerHost":6,
            "cookiePolicy":2,"sendsCookies":true,"allowsCellular":true,"allowsExpensive":true,
            "allowsConstrained":true,"credentials":[]},"priority":0.5,"state":{"running":{"moved":0,
            "expected":-1}},"history":{"transactions":[],"redirectCount":0},"attempts":3,
            "interruptions":2}
            """
        let found = try #require(
            BackgroundTaskRecord(
                parsing: try ChecksummedRecord.seal(Data(earlier.utf8), as: .backgroundTask)))
        #expect(found.interruptions == 2)
        #expect(found.kind == .upload(file: "/a.jpg"))
    }

    @Test func moreThanEverBeforeClearsTheTask() {
        var record = makeRecord(1)
        for (reached, count) in [(0, 1), (100, 1), (100, 2), (50, 3), (101, 1)] as [(Int64, Int)] {
            record.note(reached: reached)
            for event in "si" { #expect(record.apply(self.event(event)) == .applied) }
            #expect(record.interruptions == count)
        }
    }

    @Test func anAnswerInPartsIsShownAsTheOneItBeganWith() throws {
        var record = makeRecord(1)
        let rest = BackgroundTaskRecord.Answer(
            url: "https://a.test/x", status: 206,
            fields: [
                .init(name: "ETag", value: "\"v\""), .init(name: "Date", value: "later"),
                .init(name: "Content-Range", value: "bytes 5-9/10"),
                .init(name: "content-length", value: "5"),
            ])
        let bare = rest.asWhole(record)
        #expect(bare.status == 200)
        #expect(
            HTTPHeaderFields(bare.fields).dictionary
                == ["ETag": "\"v\"", "Date": "later", "Content-Length": "10"])
        record.part.firstAnswer = .init(
            url: "https://a.test/x", status: 200,
            fields: [
                .init(name: "Content-Type", value: "image/jpeg"),
                .init(name: "Date", value: "earlier"), .init(name: "Content-Length", value: "10"),
            ])
        let whole = rest.asWhole(record)
        #expect(whole.status == 200)
        #expect(
            HTTPHeaderFields(whole.fields).dictionary == [
                "ETag": "\"v\"", "Date": "later", "Content-Length": "10",
                "Content-Type": "image/jpeg",
            ])
        let resumed = makeRecord(2, kind: .download(resumeData: Data([1])))
        #expect(rest.asWhole(resumed) == rest)
    }

    /// With a right checksum: what a stranger could write.
    @Test(
        arguments: [
            ("\"number\":1", "\"number\":0"), ("https:\\/\\/a.test\\/x", "file:\\/\\/\\/etc"),
            ("\"file\":\"body\"", "\"file\":\"..\\/body\""), ("\"status\":200", "\"status\":2000"),
            ("\"attempts\":1", "\"attempts\":-1"), ("{", "["),
        ])
    func refusesAForgedRecord(old: String, new: String) throws {
        var record = makeRecord(1)
        for event in "sf" { #expect(record.apply(self.event(event)) == .applied) }
        let payload = try ChecksummedRecord.open(record.render(), as: .backgroundTask)
        let text = String(decoding: payload, as: UTF8.self)
        #expect(
            BackgroundTaskRecord(parsing: try ChecksummedRecord.seal(payload, as: .backgroundTask))
                == record)
        #expect(text.contains(old), "\(text)")
        let forged = try ChecksummedRecord.seal(
            Data(text.replacing(old, with: new).utf8), as: .backgroundTask)
        #expect(BackgroundTaskRecord(parsing: forged) == nil)
    }

    /// With a right checksum, and numbers that overflow in the first sum made with them.
    @Test(
        arguments: [
            ("\"attempts\":1", "\"attempts\":9223372036854775807"),
            ("\"interruptions\":0", "\"interruptions\":9223372036854775807"),
            ("\"created\":1800000000", "\"created\":9223372036854775807"),
            ("\"created\":1800000000", "\"created\":-9223372036854775808"),
            (
                "\"created\":1800000000",
                "\"created\":1800000000,\"suspendedSince\":-9223372036854775808"
            ),
            ("\"redirectCount\":0", "\"redirectCount\":9223372036854775807"),
            ("\"status\":200", "\"status\":2000"), ("\"priority\":0.5", "\"priority\":\"high\""),
        ])
    func anInvalidRecordIsAFailedTask(old: String, new: String) throws {
        let folder = try ScratchFolder()
        let path = folder.path(of: "journal")
        var record = makeRecord(1)
        for event in "sf" { #expect(record.apply(self.event(event)) == .applied) }
        let payload = try ChecksummedRecord.open(record.render(), as: .backgroundTask)
        let text = String(decoding: payload, as: UTF8.self)
        #expect(text.contains(old), "\(text)")
        let forged = try ChecksummedRecord.seal(
            Data(text.replacing(old, with: new).utf8), as: .backgroundTask)
        var first = try BackgroundJournal(path: path)
        try first.add(makeRecord(1))
        try first.add(makeRecord(2))
        let name = BackgroundPaths.prefix(of: "club") + "1.task"
        try folder.put(forged, "journal/" + name)
        var journal = try BackgroundJournal(path: path)
        let found = try #require(journal["club", 1])
        guard case .failed(let code, let text?, nil) = found.state else {
            Issue.record("\(found.state)")
            return
        }
        #expect(code == URLError.Code.backgroundSessionWasDisconnected.rawValue)
        #expect(text.contains("damaged"))
        #expect(found.request == makeRecord(1).request)
        #expect(journal["club", 2]?.state == .queued)
        #expect(journal.damagedNames == [])
        // The program has heard of it.
        #expect(try journal.note(.deliver, of: 1, in: "club") == .applied)
        #expect(try BackgroundJournal(path: path).tasks(of: "club").map(\.number) == [2])
    }

    /// What a hostile hand, a backup program or a broken disk may put in a record's place.
    @Test(
        arguments: ["link", "dangling link", "pipe", "folder", "large file", "open file"],
        [false, true])
    func whatIsNoRecordCostsNoOtherTask(kind: String, isAsideTaken: Bool) throws {
        let folder = try ScratchFolder()
        let path = folder.path(of: "journal")
        var first = try BackgroundJournal(path: path)
        try first.add(makeRecord(1))
        let name = BackgroundPaths.prefix(of: "club") + "2.task"
        let place = path + "/" + name
        switch kind {
        case "link":
            #expect(symlink(path + "/" + BackgroundPaths.prefix(of: "club") + "1.task", place) == 0)
        case "dangling link": #expect(symlink("/nowhere/at/all", place) == 0)
        case "pipe": #expect(mkfifo(place, 0o600) == 0)
        case "folder": #expect(mkdir(place, 0o700) == 0)
        case "large file":
            try folder.put(
                Data(count: BackgroundTaskRecord.largestByteCount + 1), "journal/" + name)
        default:
            try folder.put(makeRecord(2).render(), "journal/" + name)
            #expect(chmod(place, 0o644) == 0)
        }
        if isAsideTaken {
            #expect(mkdir(place + ".damaged", 0o700) == 0)
            try folder.put(Data("x".utf8), "journal/" + name + ".damaged/x")
        }
        let journal = try BackgroundJournal(path: path)
        #expect(journal.tasks(of: "club").map(\.number) == [1])
        #expect(journal.damagedNames == [name])
        var facts = stat()
        #expect(lstat(place, &facts) != 0)
        #expect(lstat(place + ".damaged" + (isAsideTaken ? "-2" : ""), &facts) == 0)
    }

    @Test func aNumberInAFileNameIsOneThatCanBeCountedOnFrom() throws {
        let folder = try ScratchFolder()
        let paths = BackgroundPaths(environment: ["HOME": folder.path(of: "home")])
        _ = try PrivateFolder(path: paths.journal)
        let prefix = BackgroundPaths.prefix(of: "club")
        for number in ["7", "9223372036854775807", "-9223372036854775808", "0", "x"] {
            try AtomicFile.write(Data(), to: paths.journal + "/\(prefix)\(number).task")
        }
        #expect(paths.numbers(of: "club") == [7])
    }

    @Test(arguments: ["relative.jpg", "", "/a\u{0}b"])
    func refusesAFileThatIsNowhere(path: String) throws {
        let record = makeRecord(1, kind: .upload(file: path))
        #expect(BackgroundTaskRecord(parsing: try record.render()) == nil)
    }

    // MARK: -

    private func makeRecord(
        _ number: Int, session: String = "club",
        kind: BackgroundTaskRecord.Kind = .download(resumeData: nil)
    ) -> BackgroundTaskRecord {
        BackgroundTaskRecord(
            number: number, session: session, kind: kind,
            request: .init(
                url: "https://a.test/x", method: "GET",
                fields: [.init(name: "Authorization", value: "Bearer t")], timeout: 60),
            created: 1_800_000_000, description: "a photo")
    }

    private func event(_ letter: Character) -> BackgroundTaskRecord.Event {
        switch letter {
        case "s": .start
        case "p": .progress(moved: 10, expected: 100)
        case "b": .progress(moved: -1, expected: 100)
        case "z": .pause
        case "i": .interrupt
        case "f": .finish(answer, file: "body")
        case "x": .fail(URLError(.timedOut, underlyingText: "slow"), resumeData: Data([1]))
        default: .deliver
        }
    }

    private func name(of state: BackgroundTaskRecord.State) -> String {
        switch state {
        case .queued: "queued"
        case .running: "running"
        case .finished: "finished"
        case .failed: "failed"
        case .delivered: "delivered"
        }
    }
}
