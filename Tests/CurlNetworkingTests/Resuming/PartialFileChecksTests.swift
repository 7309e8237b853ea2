import Foundation
import Glibc
import Testing

@testable import CurlNetworking

@Suite struct PartialFileChecksTests {
    private let folder: ScratchFolder
    private let body = makeBytes(300_000)

    init() throws {
        folder = try ScratchFolder()
    }

    @Test func whatIsAsItWasWrittenIsFoundUpToTheLastMark() throws {
        let marks = [100_000, 200_000, 250_000].map(mark)
        #expect(try find(body, marks) == 250_000)
        #expect(try find(body, marks, upTo: 249_999) == 200_000)
        #expect(try find(body, []) == 300_000)
        #expect(try find(body, [], upTo: 120_000) == 120_000)
    }

    @Test(arguments: [(0, 0), (99_999, 0), (100_000, 100_000), (249_999, 200_000)])
    func nothingFromADamagedStretchOnIsFound(place: Int, found: Int64) throws {
        var damaged = body
        damaged[place] ^= 0x80
        #expect(try find(damaged, [100_000, 200_000, 250_000].map(mark)) == found)
    }

    @Test func aPartThatIsShorterThanItsOnlyMarkIsNotBelieved() throws {
        #expect(try find(body.prefix(99_999), [mark(100_000)]) == 0)
    }

    @Test func theLastByteIsNeverTakenForThere() throws {
        #expect(try find(body, [mark(300_000)], total: 300_000) == 299_999)
        #expect(try find(body, [], total: 300_000) == 299_999)
        #expect(try find(body, [mark(200_000)], total: 300_000) == 200_000)
    }

    @Test func theChecksumIsCarriedOn() throws {
        for total in [nil, 300_000] as [Int64?] {
            let file = try folder.put(body)
            let descriptor = open(file.path, O_RDONLY)
            defer { close(descriptor) }
            var found = PartialFileChecks.find(
                in: descriptor, upTo: 300_000, total: total, [mark(300_000)])
            body.dropFirst(Int(found.byteCount)).withUnsafeBytes { found.checksum.add($0) }
            #expect(found.checksum.value == Checksum.of(body))
        }
    }

    // MARK: - Marks on the disk

    @Test func marksComeBackUpToTheFirstThatMakesNoSense() throws {
        let part = folder.path(of: "part")
        do {
            let marks = try #require(PartialFileMarks(ofPartAt: part))
            #expect(!marks.isDue(at: 65_535))
            #expect(marks.isDue(at: 65_536))
            for count in [70_000, 140_000, 210_000] { marks.add(mark(count)) }
            marks.add(mark(210_000))
            #expect(!marks.isDue(at: 260_000))
            #expect(marks.isDue(at: 1 << 40))
        }
        #expect(
            PartialFileMarks.read(ofPartAt: part).map(\.byteCount) == [70_000, 140_000, 210_000])
        var bytes = try #require(folder.get("part.sums"))
        bytes.append(contentsOf: [1, 2, 3])
        try folder.put(bytes, "part.sums")
        #expect(PartialFileMarks.read(ofPartAt: part).count == 3)
        bytes[16 + 7] = 0xFF  // a number below zero
        try folder.put(bytes, "part.sums")
        #expect(PartialFileMarks.read(ofPartAt: part).map(\.byteCount) == [70_000])
        let marks = try #require(PartialFileMarks(ofPartAt: part))
        marks.cut(to: 60_000)
        #expect(marks.marks == [])
        marks.add(mark(65_000))
        #expect(PartialFileMarks.read(ofPartAt: part) == [mark(65_000)])
    }

    @Test func marksGoWithTheirPart() throws {
        let parts = try PartialFiles(path: folder.path(of: "parts"))
        let (name, descriptor) = try parts.make()
        let path = parts.folder.path(of: name)
        PartialFileMarks(ofPartAt: path)?.add(mark(1))
        try parts.removeOld(now: Int64(Date.now.timeIntervalSince1970))
        #expect(try parts.folder.names() == [name, name + ".sums"])
        unlink(path)
        try parts.removeOld(now: Int64(Date.now.timeIntervalSince1970))
        #expect(try parts.folder.names() == [])
        LockedFile.close(descriptor)
    }

    // MARK: -

    private func mark(_ count: Int) -> PartialFileMark {
        PartialFileMark(byteCount: Int64(count), checksum: Checksum.of(body.prefix(count)))
    }

    private func find(
        _ bytes: Data, _ marks: [PartialFileMark], upTo limit: Int64? = nil, total: Int64? = nil
    ) throws -> Int64 {
        let file = try folder.put(bytes)
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        return PartialFileChecks.find(
            in: descriptor, upTo: limit ?? Int64(bytes.count), total: total, marks
        ).byteCount
    }
}
