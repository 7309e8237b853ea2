import Foundation
import Testing

@testable import ByteClubPictures

/// Decoded pictures on disk.
@Suite struct PictureCacheTests {
    private func withCache(
        byteLimit: Int = 512 << 20, _ body: (PictureCache) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(PictureCache(folder: folder.appending(path: "pictures"), byteLimit: byteLimit))
    }

    private func key(_ path: String, revision: String = "1") -> PictureCache.Key {
        PictureCache.Key(club: "club", path: path, revision: revision, file: "state")
    }

    private func levels(_ value: UInt8, width: Int = 300) -> PictureLevels {
        PictureLevels(
            PixelImage(
                size: PixelSize(width: width, height: 150),
                filledWith: PixelImage.Pixel(red: value, green: 1, blue: 2)))
    }

    private func files(_ cache: PictureCache) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: cache.folder, includingPropertiesForKeys: nil)
    }

    @Test func aSecondLookGetsWhatTheFirstHadMade() throws {
        try withCache { cache in
            var details = PictureDetails(size: PixelSize(width: 16_384, height: 8192))
            details.camera = "THETA"
            #expect(cache.picture(for: key("/a.jpg")) == nil)
            cache.keep(levels(7), details, for: key("/a.jpg"))
            let kept = try #require(cache.picture(for: key("/a.jpg")))
            #expect(kept.levels.images == levels(7).images)
            #expect(kept.details == details)
            #expect(cache.picture(for: key("/a.jpg", revision: "2")) == nil)
            #expect(cache.picture(for: key("/b.jpg")) == nil)
        }
    }

    @Test func aFileThatWasWrittenSinceIsAnotherPicture() throws {
        try withCache { cache in
            let details = PictureDetails(size: PixelSize(width: 300, height: 150))
            cache.keep(levels(7), details, for: key("/a.jpg"))
            var other = key("/a.jpg")
            for file in [nil, "another state"] {
                other.file = file
                #expect(cache.picture(for: other) == nil)
            }
        }
    }

    @Test func aClubsPicturesGoAndThoseOfOthersStay() throws {
        try withCache { cache in
            let details = PictureDetails(size: PixelSize(width: 300, height: 150))
            var other = key("/a.jpg")
            other.club = "club of others"
            for key in [key("/a.jpg"), key("/b.jpg"), other] {
                cache.keep(levels(7), details, for: key)
            }
            // Another program is about to write one.
            let unfinished = cache.folder.appending(path: "x.levels.1.2.unfinished")
            try FileManager.default.copyItem(
                at: cache.folder.appending(path: key("/a.jpg").fileName), to: unfinished)
            cache.removeAll(ofClub: "club")
            #expect(try files(cache).map(\.lastPathComponent) == [other.fileName])
            #expect(cache.picture(for: other) != nil)
        }
    }

    @Test func isForThisUserAlone() throws {
        try withCache { cache in
            cache.keep(
                levels(7), PictureDetails(size: PixelSize(width: 1, height: 1)), for: key("a"))
            for file in try files(cache) + [cache.folder] {
                let mode =
                    try FileManager.default.attributesOfItem(atPath: file.path)[
                        .posixPermissions] as? Int
                #expect(mode == (file == cache.folder ? 0o700 : 0o600))
            }
        }
    }

    @Test func whatWasLookedAtLongestAgoGoesFirst() throws {
        // Each is a little less than 240 kB: three fit.
        try withCache(byteLimit: 800_000) { cache in
            let details = PictureDetails(size: PixelSize(width: 300, height: 150))
            for (index, name) in ["a", "b", "c"].enumerated() {
                cache.keep(levels(7), details, for: key(name))
                let file = cache.folder.appending(path: key(name).fileName)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: Double(1000 + index))],
                    ofItemAtPath: file.path)
            }
            // Looked at now.
            #expect(cache.picture(for: key("a")) != nil)
            cache.keep(levels(7), details, for: key("d"))
            #expect(cache.picture(for: key("b")) == nil)
            for name in ["a", "c", "d"] { #expect(cache.picture(for: key(name)) != nil) }
        }
    }

    @Test func aDamagedFileIsNoPictureAndGoes() throws {
        try withCache { cache in
            let details = PictureDetails(size: PixelSize(width: 300, height: 150))
            cache.keep(levels(7), details, for: key("a"))
            let file = try #require(try files(cache).first)
            let whole = try Data(contentsOf: file)
            for count in [0, 5, 18, 30, 60, 100, whole.count - 1] {
                try whole.prefix(count).write(to: file)
                #expect(cache.picture(for: key("a")) == nil)
                #expect(try files(cache).isEmpty)
            }
            for index in 0..<120 {
                var bytes = whole
                bytes[index] ^= 0xFF
                try bytes.write(to: file)
                if let kept = cache.picture(for: key("a")) {
                    #expect(kept.levels.images.count == levels(7).images.count)
                }
            }
            try (whole + [0]).write(to: file)
            #expect(cache.picture(for: key("a")) == nil)
        }
    }

    @Test func anotherKeysFileUnderItsNameIsNotTaken() throws {
        try withCache { cache in
            let details = PictureDetails(size: PixelSize(width: 300, height: 150))
            cache.keep(levels(7), details, for: key("a"))
            let one = cache.folder.appending(path: key("a").fileName)
            let other = cache.folder.appending(path: key("b").fileName)
            try FileManager.default.moveItem(at: one, to: other)
            #expect(cache.picture(for: key("b")) == nil)
        }
        #expect(
            PictureCache.Key(club: "a", path: "b1:c", revision: "d", file: "state").text
                != PictureCache.Key(club: "a", path: "b", revision: "c1:d", file: "state").text)
    }

    @Test func aFolderThatCannotBeWrittenCostsNothing() {
        let cache = PictureCache(folder: URL(filePath: "/proc/byteclub"))
        cache.keep(levels(7), PictureDetails(size: PixelSize(width: 1, height: 1)), for: key("a"))
        #expect(cache.picture(for: key("a")) == nil)
    }
}
