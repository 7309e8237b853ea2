import Foundation
import Testing

@testable import CurlNetworking

@Suite struct ChecksummedRecordTests {
    private let payload = Data("what is inside".utf8)

    @Test func opensWhatItHasSealed() throws {
        for payload in [payload, Data(), Data(repeating: 0xFF, count: 100_000)] {
            let sealed = try ChecksummedRecord.seal(payload, as: .download)
            #expect(try ChecksummedRecord.open(sealed, as: .download) == payload)
        }
    }

    /// The format is a promise to files that exist.
    @Test func theFormatStays() throws {
        let sealed = try ChecksummedRecord.seal(Data("ab".utf8), as: .download)
        #expect(sealed.prefix(16) == Data("CNetdown\u{0}\u{1}\u{0}\u{0}\u{0}\u{2}ab".utf8))
        #expect(
            sealed.suffix(32).hex
                == DigestAlgorithm.sha256.hash(Data(sealed.prefix(16)))?.hex)
    }

    @Test func opensASliceToo() throws {
        let sealed = Data("..".utf8) + (try ChecksummedRecord.seal(payload, as: .upload))
        #expect(try ChecksummedRecord.open(sealed.dropFirst(2), as: .upload) == payload)
    }

    @Test func everyChangedBitIsNoticed() throws {
        let sealed = try ChecksummedRecord.seal(payload, as: .download)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: ChecksummedRecord.CorruptionError.self) {
                    try ChecksummedRecord.open(changed, as: .download)
                }
            }
        }
    }

    @Test func everyCutIsNoticed() throws {
        let sealed = try ChecksummedRecord.seal(payload, as: .download)
        for count in 0..<sealed.count {
            #expect(throws: ChecksummedRecord.CorruptionError.self) {
                try ChecksummedRecord.open(sealed.prefix(count), as: .download)
            }
        }
        #expect(throws: ChecksummedRecord.CorruptionError.cut) {
            try ChecksummedRecord.open(sealed + [0], as: .download)
        }
    }

    @Test func tellsWhatIsWrong() throws {
        var sealed = try ChecksummedRecord.seal(payload, as: .download)
        #expect(throws: ChecksummedRecord.CorruptionError.wrongKind) {
            try ChecksummedRecord.open(sealed, as: .upload)
        }
        sealed[9] = 2
        #expect(throws: ChecksummedRecord.CorruptionError.unknownVersion(2)) {
            try ChecksummedRecord.open(sealed, as: .download)
        }
        #expect(throws: ChecksummedRecord.CorruptionError.foreign) {
            try ChecksummedRecord.open(Data("bplist00and so on".utf8), as: .download)
        }
    }
}

@Suite struct AtomicFileTests {
    @Test func writesReadsAndReplaces() throws {
        let folder = try ScratchFolder()
        #expect(try AtomicFile.read(folder.path(of: "f"), atMost: 100) == nil)
        for text in ["one", "two, which is longer", ""] {
            try AtomicFile.write(Data(text.utf8), to: folder.path(of: "f"))
            #expect(try AtomicFile.read(folder.path(of: "f"), atMost: 100) == Data(text.utf8))
        }
        #expect(folder.names == ["f"])
    }

    @Test func replacesALinkInsteadOfWritingThroughIt() throws {
        let folder = try ScratchFolder()
        try folder.put(Data("theirs".utf8), "elsewhere")
        try folder.link("f", to: folder.path(of: "elsewhere"))
        try AtomicFile.write(Data("ours".utf8), to: folder.path(of: "f"))
        #expect(folder.get("elsewhere") == Data("theirs".utf8))
        #expect(try AtomicFile.read(folder.path(of: "f"), atMost: 100) == Data("ours".utf8))
    }

    @Test func leavesNothingBehindWhenItFails() throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "f"), withIntermediateDirectories: false)
        #expect(throws: URLError(.cannotMoveFile)) {
            try AtomicFile.write(Data("x".utf8), to: folder.path(of: "f"))
        }
        #expect(folder.names == ["f"])
        #expect(throws: URLError(.cannotCreateFile)) {
            try AtomicFile.write(Data("x".utf8), to: folder.path(of: "missing/f"))
        }
    }

    @Test func readsNoMoreThanItIsTold() throws {
        let folder = try ScratchFolder()
        try folder.put(Data(count: 11), "f")
        #expect(throws: URLError(.dataLengthExceedsMaximum)) {
            try AtomicFile.read(folder.path(of: "f"), atMost: 10)
        }
    }

    @Test func readsFilesOnly() throws {
        let folder = try ScratchFolder()
        #expect(throws: URLError(.cannotOpenFile)) { try AtomicFile.read(folder.path, atMost: 10) }
        mkfifo(folder.path(of: "pipe"), 0o600)
        #expect(throws: URLError(.cannotOpenFile)) {
            try AtomicFile.read(folder.path(of: "pipe"), atMost: 10)
        }
    }

    @Test(
        arguments: [
            ("a", true), ("A-b_c.9", true), ("", false), (".", false), ("..", false),
            (".hidden", false), ("a/b", false), ("../a", false), ("a b", false), ("ä", false),
            ("a\u{0}", false), ("a\n", false),
        ])
    func onlyPlainNamesAreNames(name: String, isPlain: Bool) {
        #expect(PrivateFolder.isPlain(name) == isPlain)
        #expect(!PrivateFolder.isPlain(String(repeating: "a", count: 201)))
    }

    @Test func aFolderOfOursIsOursAlone() throws {
        let folder = try ScratchFolder()
        _ = try PrivateFolder(path: folder.path(of: "a/b/c/"))
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.path(of: "a/b/c"))[
                .posixPermissions] as? Int
        #expect(mode == 0o700)
        chmod(folder.path(of: "a/b/c"), 0o755)
        #expect(throws: URLError(.noPermissionsToReadFile)) {
            try PrivateFolder(path: folder.path(of: "a/b/c"))
        }
        try folder.link("link", to: folder.path(of: "a/b"))
        #expect(throws: URLError(.noPermissionsToReadFile)) {
            try PrivateFolder(path: folder.path(of: "link"))
        }
        try folder.put(Data(), "file")
        #expect(throws: URLError.self) { try PrivateFolder(path: folder.path(of: "file")) }
    }
}
