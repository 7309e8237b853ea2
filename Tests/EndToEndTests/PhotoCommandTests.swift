import ByteClubPictures
import Foundation
import TestSupport
import Testing

/// `byteclub photos …` on the club of this computer.
@Suite struct PhotoCommandTests {
    private static let photo = Photos.corners(width: 640, height: 160, orientation: 1)

    private func withPhoto(_ body: (ClubHome) async throws -> Void) async throws {
        try await inFreshHome { home in
            try Self.photo.write(to: home.photos.appending(path: "sea.jpg"))
            try await body(home)
        }
    }

    @Test func bringsBackAPhotoThatIsNamedWithoutItsEnding() async throws {
        try await withPhoto { home in
            try Self.photo.write(to: home.photos.appending(path: "sea.png"))
            for name in ["sea.jpg", "sea.png"] {
                #expect(try await home.run("photos", "rm", name).status == 0)
            }
            let trash = try await home.run("photos", "trash")
            #expect(trash.text.contains("sea.jpg") && trash.text.contains("sea.png"))
            let unclear = try await home.run("photos", "restore", "sea")
            #expect(unclear.status == 1)
            #expect(unclear.errorText.contains("“sea.jpg”, “sea.png”"))
            #expect(try await home.run("photos", "restore", "sea.png").status == 0)
            // One of them is in the club: the other one is meant.
            #expect(try await home.run("photos", "restore", "sea").status == 0)
            #expect(home.names(in: home.photos) == ["sea.jpg", "sea.png"])
            #expect(try await home.run("photos", "trash").text.isEmpty)
            let missing = try await home.run("photos", "restore", "sea")
            #expect(missing.status == 1)
            #expect(missing.errorText.contains("No photo “sea” was removed"))
        }
    }

    /// A full disk, here by hand, leaves nothing of what was removed.
    @Test func theTrashListsOnlyWhatIsKept() async throws {
        try await withPhoto { home in
            #expect(try await home.run("photos", "rm", "sea.jpg").status == 0)
            #expect(try await home.run("photos", "trash").text.contains("sea.jpg"))
            let state = home.folder.appending(path: "state/byteclub")
            let kept = try #require(
                home.names(in: state).first { $0.hasSuffix(".revisions") })
            let folder = state.appending(path: kept)
            for name in home.names(in: folder) {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
            #expect(try await home.run("photos", "trash").text.isEmpty)
            #expect(try await home.run("photos", "restore", "sea.jpg").status == 1)
        }
    }

    /// Dropbox and WebDAV servers take such a name, and no list shows it.
    @Test func aPhotoGetsNoNameThatIsHidden() async throws {
        try await withPhoto { home in
            try Self.photo.write(to: home.work.appending(path: ".dot.jpg"))
            let commands = [
                ["put", ".dot.jpg"], ["put", "--background", ".dot.jpg"],
                ["put", "--name", "..", ".dot.jpg"], ["mv", "sea.jpg", ".sea"],
            ]
            for command in commands {
                let output = try await home.run(["photos"] + command)
                #expect(output.status == 1, "\(command)")
                #expect(output.errorText.contains("with a dot"), "\(output.errorText)")
            }
            #expect(home.names(in: home.photos) == ["sea.jpg"])
            let named = try await home.run("photos", "put", "--name", "dot", ".dot.jpg")
            #expect(named.status == 0, "\(named.errorText)")
            #expect(home.names(in: home.photos) == ["dot.jpg", "sea.jpg"])
        }
    }

    @Test func theFolderForTemporaryFilesIsNamedWhenItIsMissing() async throws {
        try await withPhoto { home in
            var environment = home.environment()
            environment["TMPDIR"] = "/nonexistent"
            let output = try await Command(
                ClubHome.program, ["photos", "get", "sea.jpg", "-"], environment: environment,
                directory: home.work.path
            ).run()
            #expect(output.status == 1)
            #expect(output.errorText.contains("“/nonexistent”"), "\(output.errorText)")
            #expect(output.errorText.contains("TMPDIR"))
        }
    }

    /// The settings' limit would take hours.
    @Test func liftsTheLimitOfTheSettingsForOneCommand() async throws {
        try await withPhoto { home in
            try home.write(settings: "transfers: {limit-rate: 1}\n")
            let get = try await home.run("photos", "get", "sea.jpg", "--limit-rate", "none")
            #expect(get.status == 0, "\(get.errorText)")
            let put = try await home.run(
                "photos", "put", "--limit-rate", "none", "--original", "--name", "copy.jpg",
                "sea.jpg")
            #expect(put.status == 0, "\(put.errorText)")
            #expect(home.names(in: home.photos) == ["copy.jpg", "sea.jpg"])
        }
    }

    @Test func aNameWithASlashIsRefused() async throws {
        try await withPhoto { home in
            for arguments in [["mv", "sea", "a/b"], ["put", "--name", "a/b", "sea.jpg"]] {
                let output = try await home.run(["photos"] + arguments)
                #expect(output.status == 1)
                #expect(
                    output.errorText == "byteclub: A photo's name may not contain a slash.\n")
            }
        }
    }

    @Test func writesAPhotoToStandardOutput() async throws {
        try await withPhoto { home in
            let get = try await home.run("photos", "get", "sea.jpg", "-")
            #expect(get.status == 0, "\(get.errorText)")
            #expect(get.standardOutput == Self.photo)
            let missing = try await home.run("photos", "get", "no.jpg", "-")
            #expect(missing.status == 1)
            #expect(missing.standardOutput.isEmpty)
        }
    }

    /// The program ends in the middle of it.
    @Test func leavesNothingBehindWhenNobodyReadsOn() async throws {
        try await inFreshHome { home in
            let photo = Photos.noise(width: 2000, height: 1000)
            try #require(photo.count > 1 << 20)
            try photo.write(to: home.photos.appending(path: "noise.jpg"))
            let head = try await Command(
                "/bin/sh", ["-c", #""$0" photos get noise.jpg - | head -c 10"#, ClubHome.program],
                environment: home.environment(), directory: home.work.path
            ).run()
            #expect(head.standardOutput == photo.prefix(10))
            try await eventually("the program has ended") {
                !home.processes.contains {
                    ProcessTable.arguments(of: $0).contains("photos")
                }
            }
            let cache = home.folder.appending(path: "cache")
            #expect(!home.names(in: cache).contains { $0.hasPrefix("byteclub-get") })
        }
    }

    @Test func keepsAnOriginalOfAnyKindWithItsEnding() async throws {
        try await inFreshHome { home in
            let photo = home.work.appending(path: "lake.webp")
            try LibraryFixtures.lossy.write(to: photo)
            let put = try await home.run("photos", "put", "--original", "lake.webp")
            #expect(put.status == 0, "\(put.errorText)")
            let list = try await home.run("photos", "ls")
            #expect(list.text.contains("lake.webp"), "\(list.text)")
            let there = home.photos.appending(path: "lake.webp")
            #expect(try Data(contentsOf: there) == LibraryFixtures.lossy)
            let moved = try await home.run("photos", "mv", "lake.webp", "sea")
            #expect(moved.status == 0, "\(moved.errorText)")
            #expect(try await home.run("photos", "ls").text.contains("sea.webp"))
        }
    }

    @Test(
        .enabled("libtiff6 and libstb0 are not both installed") {
            PictureLibrary.allCases.allSatisfy { $0.facts != nil }
        },
        arguments: [
            ("scan.TIF", SimpleFixtures.tiff()), ("a.gif", SimpleFixtures.gif()),
            ("screen.bmp", SimpleFixtures.bitmap), ("plot.ppm", SimpleFixtures.pixmap),
        ])
    func sendsPicturesOfOtherFormatsAsJPEGs(name: String, _ picture: Data) async throws {
        try await inFreshHome { home in
            try picture.write(to: home.work.appending(path: name))
            let asItIs = try await home.run("photos", "put", "--original", name)
            #expect(asItIs.status == 1)
            #expect(asItIs.errorText.contains("which others cannot see as it is"))
            let put = try await home.run("photos", "put", name)
            #expect(put.status == 0, "\(put.errorText)")
            let stem = try #require(name.split(separator: ".").first)
            let there = home.photos.appending(path: "\(stem).jpg")
            #expect(try Data(contentsOf: there).starts(with: [0xFF, 0xD8]))
        }
    }

    @Test func neverWritesOverAFile() async throws {
        try await withPhoto { home in
            let mine = home.work.appending(path: "sea.jpg")
            try Data("mine".utf8).write(to: mine)
            let refused = try await home.run("photos", "get", "sea.jpg", input: "y\n")
            #expect(refused.status == 1)
            #expect(try Data(contentsOf: mine) == Data("mine".utf8))
            #expect(try await home.run("photos", "get", "sea.jpg", "--force").status == 0)
            #expect(try Data(contentsOf: mine) == Self.photo)
        }
    }

    @Test func tellsEventsAsJSON() async throws {
        try await withPhoto { home in
            try Self.photo.write(to: home.work.appending(path: "new.jpg"))
            let commands = [
                ["get", "sea.jpg", "copy.jpg"], ["put", "--limit-rate", "4M", "new.jpg"],
            ]
            for command in commands {
                let output = try await home.run(["photos"] + command + ["--json"])
                #expect(output.status == 0, "\(output.errorText)")
                let events = try output.text.split(separator: "\n").map {
                    try #require(
                        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
                }
                #expect(events.last?["event"] as? String == "done", "\(command)")
                #expect(output.errorText.isEmpty, "\(command)")
            }
            let failed = try await home.run("photos", "get", "no.jpg", "--json")
            #expect(failed.status == 1)
            #expect(failed.text.contains("\"failed\""))
            // The name is the photo's, as soon as that is known.
            let taken = try await home.run("photos", "get", "sea", "copy.jpg", "--json")
            #expect(taken.status == 1)
            #expect(taken.text.contains("\"name\":\"sea.jpg\""), "\(taken.text)")
        }
    }

    @Test func sendsWhatIsAskedFor() async throws {
        try await inFreshHome { home in
            let metadata = PhotoMetadata(orientation: 6, hasLocation: true, maker: "Byte & Sons")
            let photo = Photos.corners(width: 640, height: 160, metadata: metadata)
            try photo.write(to: home.work.appending(path: "sea.jpg"))
            func put(_ options: String...) async throws -> Data {
                let output = try await home.run(["photos", "put"] + options + ["sea.jpg"])
                #expect(output.status == 0, "\(output.errorText)")
                let file = home.photos.appending(path: "sea.jpg")
                defer { try? FileManager.default.removeItem(at: file) }
                return try Data(contentsOf: file)
            }
            // Of 47° 3′ 2″ nothing is told unless it is asked for.
            let maker = Data("Byte & Sons".utf8)
            let latitude = Data([
                47, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
            ])
            let sent = try await put()
            #expect(sent.firstRange(of: latitude) == nil)
            #expect(sent.firstRange(of: maker) != nil)
            let original = try await put("--original")
            #expect(original.count == photo.count)
            #expect(original != photo)
            #expect(original.firstRange(of: maker) != nil)
            #expect(try await put("--original", "--keep-location") == photo)
            let place = try await put("--keep-location")
            #expect(place.firstRange(of: latitude) != nil)
            #expect(place.firstRange(of: maker) != nil)
            #expect(try await put("--quality", "0.1").count < put("--quality", "0.95").count)

            for options in [["--quality", "2"], ["--quality", "0.5", "--original"]] {
                let refused = try await home.run(["photos", "put"] + options + ["sea.jpg"])
                #expect(refused.status == 2, "\(options)")
                #expect(home.photoNames.isEmpty)
            }
        }
    }

    @Test func renamesAndRemoves() async throws {
        try await withPhoto { home in
            let renamed = try await home.run("photos", "mv", "sea.jpg", "ocean", "--json")
            #expect(renamed.status == 0, "\(renamed.errorText)")
            #expect(home.photoNames == ["ocean.jpg"])
            let removed = try await home.run("photos", "rm", "ocean.jpg", "--json")
            #expect(removed.status == 0, "\(removed.errorText)")
            #expect(removed.text.contains("ocean.jpg"))
            #expect(home.photoNames.isEmpty)
            #expect(try await home.run("photos", "rm", "ocean.jpg").status == 1)
            #expect(try await home.run("photos", "mv", "a.jpg", "b.jpg").status == 1)
        }
    }

    @Test func aWrongOrderIsRefusedAtOnce() async throws {
        try await inFreshHome { home in
            try home.makeClub()
            try Photos.corners().write(to: home.photos.appending(path: "sea.jpg"))
            try Photos.corners().write(to: home.photos.appending(path: "UPPER.JPG"))
            let none = try await home.run("photos", "get", "--background", "none.jpg")
            #expect(none.status == 1)
            #expect(none.errorText.contains("There is no photo “none.jpg” in the club."))
            let nowhere = try await home.run(
                "photos", "get", "--background", "sea.jpg", "nowhere/sea.jpg")
            #expect(nowhere.status == 1)
            #expect(nowhere.errorText.contains("There is no folder"))
            #expect(
                try await home.run("transfers", "ls", "--json").text.filter { !$0.isWhitespace }
                    == "[]")
            let taken = try await home.run("photos", "mv", "sea.jpg", "upper")
            #expect(taken.status == 1)
            #expect(taken.errorText.contains("There is a photo “upper.jpg” in the club."))
        }
    }
}
