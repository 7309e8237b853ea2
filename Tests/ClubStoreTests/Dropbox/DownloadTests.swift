import ClubStore
import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@MainActor @Suite struct DownloadTests {
    private let folder: TemporaryFolder
    private let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 3) })

    init() throws {
        folder = try TemporaryFolder()
    }

    private var target: URL { folder.url.appending(path: "cliff.jpg") }

    private var facts: FileMetadata { .named("/cliff.jpg", data: content) }

    /// Serves one file with range support; the first connections break after this many bytes each.
    ///
    /// - Parameter tellsLengths: Else an answer that breaks off looks like a complete one.
    private func server(
        breakingAfter lengths: [Int] = [], tellsLengths: Bool = true
    ) throws -> ScriptedDropbox {
        let (facts, content) = (facts, content)
        let count = Mutex(0)
        return try ScriptedDropbox { request in
            guard request.target == "/2/files/download" else { return .json(Metadata.file(facts)) }
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let start =
                request["Range"].flatMap { range in
                    Int(range.dropFirst("bytes=".count).dropLast())
                } ?? 0
            let fields =
                start == 0
                ? [] : ["Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)"]
            let whole = [LoopbackStep].bytes(
                content.dropFirst(start), of: facts,
                status: start == 0 ? "200 OK" : "206 Partial Content",
                fields: fields)
            guard number < lengths.count, case .send(let bytes) = whole[0],
                let headEnd = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            else { return whole }
            let head =
                tellsLengths ? Array(bytes[..<headEnd]) : Self.withoutLength(bytes[..<headEnd])
            return [.send(head + bytes[headEnd...].prefix(lengths[number])), .close]
        }
    }

    nonisolated private static func withoutLength(_ head: ArraySlice<UInt8>) -> [UInt8] {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        return Array(
            lines.filter { !$0.hasPrefix("Content-Length") }.joined(separator: "\r\n").utf8)
    }

    @Test func arrivesWholeWithProgress() async throws {
        let dropbox = try server()
        let recorder = Recorder()
        let transfer = dropbox.store.download(
            try path("/cliff.jpg"), to: target, delegate: recorder)
        transfer.resume()
        await recorder.waitForEnd()
        #expect(try recorder.results[0].get().name == "cliff.jpg")
        #expect(try Data(contentsOf: target) == content)
        #expect(recorder.progress.last?.moved == 200_000)
        #expect(recorder.progress.filter { $0.moved == 200_000 }.count == 1)
        #expect(try folder.names == ["cliff.jpg"])
    }

    @Test func aBrokenConnectionGoesOnWhereItStopped() async throws {
        let dropbox = try server(breakingAfter: [50_000, 70_000, 10_000])
        _ = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        #expect(try Data(contentsOf: target) == content)
        #expect(
            dropbox.requests.dropFirst().map { $0["Range"] }
                == [nil, "bytes=50000-", "bytes=120000-", "bytes=130000-"])
    }

    @Test func anAnswerThatEndsEarlyGoesOnWhereItStopped() async throws {
        let dropbox = try server(breakingAfter: [50_000, 70_000], tellsLengths: false)
        _ = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        #expect(try Data(contentsOf: target) == content)
        #expect(
            dropbox.requests.dropFirst().map { $0["Range"] }
                == [nil, "bytes=50000-", "bytes=120000-"])
    }

    @Test func whatAnAnswerThatEndsEarlyHasBroughtIsKept() async throws {
        let first = try server(breakingAfter: [50_000, 0], tellsLengths: false)
        await expectFailure(.badAnswer) {
            _ = try await Recorder.download(
                path("/cliff.jpg"), to: target, keepsPartialFile: true, in: first.store)
        }
        #expect(try folder.names.map { $0.hasSuffix(".part") } == [true])
        let second = try server()
        _ = try await Recorder.download(
            path("/cliff.jpg"), to: target, keepsPartialFile: true, in: second.store)
        #expect(second.requests[1]["Range"] == "bytes=50000-")
        #expect(try Data(contentsOf: target) == content)
    }

    /// The server has no more than it sent: asking again and again would bring nothing.
    @Test func aFileThatIsShorterThanAnnouncedIsDamaged() async throws {
        let (facts, content) = (facts, content)
        let dropbox = try ScriptedDropbox { request in
            guard request.target == "/2/files/download" else { return .json(Metadata.file(facts)) }
            return request["Range"] == nil
                ? .bytes(content.prefix(1000), of: facts)
                : [.answer("416 Range Not Satisfiable")]
        }
        await expectFailure(.damaged) {
            _ = try await Recorder.download(
                path("/cliff.jpg"), to: target, keepsPartialFile: true, in: dropbox.store)
        }
        #expect(try folder.names.isEmpty)
        #expect(dropbox.routes.count { $0 == "files/download" } == 2)
    }

    @Test func whatArrivedIsKeptForTheNextDownloadWhenAskedFor() async throws {
        let first = try server(breakingAfter: [50_000, 0, 0, 0])
        await expectFailure(.offline) {
            _ = try await Recorder.download(
                path("/cliff.jpg"), to: target, keepsPartialFile: true, in: first.store)
        }
        #expect(try folder.names.map { $0.hasSuffix(".part") } == [true])
        let second = try server()
        _ = try await Recorder.download(
            path("/cliff.jpg"), to: target, keepsPartialFile: true, in: second.store)
        #expect(second.requests[1]["Range"] == "bytes=50000-")
        #expect(try Data(contentsOf: target) == content)
        #expect(try folder.names == ["cliff.jpg"])
    }

    @Test func whatIsLeftOfOtherRevisionsGoesWithASuccess() async throws {
        for name in [".cliff.jpg.0aa.part", ".cliff.jpg.0bb.part", ".other.jpg.0aa.part"] {
            _ = try folder.write(data("x"), to: name)
        }
        let dropbox = try server()
        _ = try await Recorder.download(
            path("/cliff.jpg"), to: target, keepsPartialFile: true, in: dropbox.store)
        #expect(Set(try folder.names) == ["cliff.jpg", ".other.jpg.0aa.part"])
    }

    @Test func nothingIsKeptOtherwise() async throws {
        let dropbox = try server(breakingAfter: [50_000, 0, 0, 0])
        await expectFailure(.offline) {
            _ = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func anAnswerToARangeThatIsTheWholeFileStartsAnew() async throws {
        let (facts, content) = (facts, content)
        let answers = Mutex(0)
        let dropbox = try ScriptedDropbox { request in
            guard request.target == "/2/files/download" else { return .json(Metadata.file(facts)) }
            let isFirst = answers.withLock { answers in
                defer { answers += 1 }
                return answers == 0
            }
            let whole = [LoopbackStep].bytes(content, of: facts)
            guard isFirst, case .send(let bytes) = whole[0] else { return whole }
            return [.send(Array(bytes.prefix(1000))), .close]
        }
        _ = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        #expect(try Data(contentsOf: target) == content)
    }

    @Test func aNewRevisionUnderwayIsFollowed() async throws {
        let old = FileMetadata.named("/cliff.jpg", revision: "000000000", data: Data("old".utf8))
        let (facts, content) = (facts, content)
        let asked = Mutex(0)
        let dropbox = try ScriptedDropbox { request in
            guard request.target == "/2/files/get_metadata" else {
                return .bytes(content, of: facts)
            }
            let isFirst = asked.withLock { asked in
                defer { asked += 1 }
                return asked == 0
            }
            return .json(Metadata.file(isFirst ? old : facts))
        }
        let file = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        #expect(file.revision.rawValue == facts.revision)
        #expect(try Data(contentsOf: target) == content)
    }

    /// What has arrived of the old file is longer than the new one: a range from there has no bytes.
    @Test func aShorterFileUnderwayIsFollowed() async throws {
        let (old, oldBytes) = (facts, content)
        let shorter = Data("short".utf8)
        let new = FileMetadata.named("/cliff.jpg", revision: "00000000b", data: shorter)
        let isReplaced = Mutex(false)
        let dropbox = try ScriptedDropbox { request in
            guard request.target == "/2/files/download" else {
                return .json(Metadata.file(isReplaced.withLock { $0 } ? new : old))
            }
            guard request["Range"] == nil else { return [.answer("416 Range Not Satisfiable")] }
            let isFirst = isReplaced.withLock { isReplaced in
                defer { isReplaced = true }
                return !isReplaced
            }
            guard isFirst, case .send(let bytes) = [LoopbackStep].bytes(oldBytes, of: old)[0]
            else { return .bytes(shorter, of: new) }
            return [.send(Array(bytes.prefix(100_000))), .close]
        }
        let file = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        #expect(file.revision.rawValue == new.revision)
        #expect(try Data(contentsOf: target) == shorter)
        #expect(try folder.names == ["cliff.jpg"])
    }

    @Test func aServerThatBreaksOffAndTakesNoRangeIsGivenUp() async throws {
        let (facts, content) = (facts, content)
        let dropbox = try ScriptedDropbox { request in
            guard request.target == "/2/files/download" else { return .json(Metadata.file(facts)) }
            guard request["Range"] == nil,
                case .send(let bytes) = [LoopbackStep].bytes(content, of: facts)[0]
            else { return [.answer("416 Range Not Satisfiable")] }
            return [.send(Array(bytes.prefix(100_000))), .close]
        }
        await #expect(throws: StoreError.self) {
            _ = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func aFileThatChangesAllTheTimeIsGivenUp() async throws {
        let number = Mutex(0)
        let content = content
        let dropbox = try ScriptedDropbox { request in
            let revision = number.withLock { number in
                number += 1
                return "00000000\(number)"
            }
            let facts = FileMetadata.named("/cliff.jpg", revision: revision, data: content)
            return request.target == "/2/files/download"
                ? .bytes(content, of: facts) : .json(Metadata.file(facts))
        }
        await expectFailure(.changedMeanwhile) {
            _ = try await Recorder.download(path("/cliff.jpg"), to: target, in: dropbox.store)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func damagedBytesNeverAppear() async throws {
        let (facts, content) = (facts, content)
        let dropbox = try ScriptedDropbox { request in
            request.target == "/2/files/download"
                ? .bytes(Data(content.reversed()), of: facts) : .json(Metadata.file(facts))
        }
        await expectFailure(.damaged) {
            _ = try await Recorder.download(
                path("/cliff.jpg"), to: target, keepsPartialFile: true, in: dropbox.store)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func aCancelledDownloadLeavesNothing() async throws {
        let (facts, content) = (facts, content)
        let dropbox = try ScriptedDropbox { request in
            guard request.target == "/2/files/download" else { return .json(Metadata.file(facts)) }
            guard case .send(let bytes) = [LoopbackStep].bytes(content, of: facts)[0] else {
                return []
            }
            return [.send(Array(bytes.prefix(100_000))), .stall]
        }
        let recorder = Recorder()
        let transfer = dropbox.store.download(
            try path("/cliff.jpg"), to: target, delegate: recorder)
        recorder.onProgress = { if $0.byteCount > 0 { $0.cancel() } }
        transfer.resume()
        await recorder.waitForEnd()
        #expect(recorder.results.count == 1)
        let connection = try #require(dropbox.requests.last?.connection)
        await dropbox.server.end(ofConnection: connection)
        // The completion is reported half a second later at most, cleaned up or not.
        try await folder.isEmpty()
    }

    @Test func aLimitedDownloadArrivesWhole() async throws {
        let dropbox = try server()
        let recorder = Recorder()
        let transfer = dropbox.store.download(
            try path("/cliff.jpg"), to: target, delegate: recorder)
        transfer.bytesPerSecondLimit = 2_000_000
        transfer.resume()
        await recorder.waitForEnd()
        #expect(try Data(contentsOf: target) == content)
    }
}
