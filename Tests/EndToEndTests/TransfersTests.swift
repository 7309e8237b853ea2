import Foundation
import TestSupport
import Testing

/// Transfers that outlive the program that has ordered them.
@Suite struct TransfersTests {
    /// What has arrived of downloads that are not whole.
    private func partialByteCount(_ home: ClubHome) -> Int {
        partialNames(home).reduce(0) { total, name in
            let path = home.work.appending(path: name).path
            let facts = try? FileManager.default.attributesOfItem(atPath: path)
            return total + (facts?[.size] as? Int ?? 0)
        }
    }

    private func partialNames(_ home: ClubHome) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: home.work.path)) ?? []
        return names.filter { $0.hasSuffix(".part") }
    }

    private func waitForArrival(_ home: ClubHome) async throws {
        try await eventually("something has arrived", in: home.work) { partialByteCount(home) > 0 }
    }

    /// A photo that takes some seconds at the rate it is limited to.
    private let large = Photos.noise(width: 1600, height: 1000)

    @Test(arguments: Look.all) func downloadsToAFolderAndShowsHowFarItIs(look: Look) async throws {
        let photo = Photos.corners(width: 600, height: 200)
        try await withApp(look, photos: ["sea.jpg": photo]) { home, terminal in
            terminal.type("2")
            try await terminal.wait(forText: "sea.jpg")
            try await terminal.waitUntilIdle()
            terminal.type("D")
            try await terminal.wait(forText: "Folder")
            terminal.press(.control("a"))
            terminal.type(home.work.appending(path: "got").path + "\n")
            let file = home.work.appending(path: "got/sea.jpg")
            try await eventually("the photo on this computer", in: home.work) {
                (try? Data(contentsOf: file)) == photo
            }
            try await terminal.wait(forText: "“sea.jpg” is in")
            terminal.type("w")
            let screen = try await terminal.wait(for: "the list of transfers") {
                $0.contains("Transfers") && $0.contains("done")
            }
            #expect(look.colorProblem(in: screen) == nil)
            terminal.press(.escape)
            // A second one replaces nothing without a yes.
            try await terminal.waitUntilIdle()
            try Data("mine".utf8).write(to: file)
            terminal.type("D")
            try await terminal.wait(forText: "Folder")
            terminal.press(.control("a"))
            terminal.type(home.work.appending(path: "got").path + "\n")
            try await terminal.wait(forText: "Already there")
            terminal.type("k")
            let second = home.work.appending(path: "got/sea (2).jpg")
            try await eventually("both on this computer", in: home.work) {
                (try? Data(contentsOf: second)) == photo
            }
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }
    }

    /// From the list, on either tab.
    @Test func viewsWhatHasArrived() async throws {
        let photo = Photos.corners(width: 600, height: 200)
        try await withApp(photos: ["sea.jpg": photo]) { home, terminal in
            let get = try await home.run("photos", "get", "sea.jpg", "--background")
            #expect(get.status == 0, "\(get.errorText)")
            for tab in ["1", "2"] {
                terminal.type(tab + "w")
                try await terminal.wait(forText: "done")
                try await terminal.wait(forText: "view")
                terminal.press(.enter)
                try await terminal.wait(for: "the viewer") {
                    $0.contains("sea.jpg") && !$0.contains("PanoPhotos")
                }
                try await terminal.waitUntilIdle()
                terminal.press(.escape)
                try await terminal.wait(forText: "PanoPhotos")
                try await terminal.waitUntilIdle()
            }
            try FileManager.default.removeItem(at: home.photos.appending(path: "sea.jpg"))
            try await terminal.wait(forText: "No panoramas yet")
            terminal.type("w")
            let screen = try await terminal.wait(forText: "done")
            #expect(!screen.text(ofRow: 23).contains("view"))
        }
    }

    @Test func anUploadGoesOnWhenTheAppIsKilled() async throws {
        try await inFreshHome { home in
            try home.write(settings: "transfers: {limit-rate: 150K}\n")
            try large.write(to: home.work.appending(path: "big.jpg"))
            let terminal = try await home.open(.classic)
            defer { terminal.close() }
            terminal.type("2u")
            try await terminal.wait(forText: "big.jpg")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(for: "the bytes sent") {
                $0.text.contains(/\d (KB|MB) \/ [\d.]+ (KB|MB)/)
            }
            kill(terminal.process, SIGKILL)
            _ = try await home.run("transfers", "limit", "none", "--all")
            let row = try await home.waitForTransferEnd()
            #expect(row.state == "done")
            #expect(home.photoNames == ["big.jpg"])
        }
    }

    /// What has arrived when the carrier is killed does not travel again.
    @Test func aDownloadGoesOnWhenItsProcessIsKilled() async throws {
        try await inFreshHome { home in
            try large.write(to: home.photos.appending(path: "big.jpg"))
            _ = try await home.run(
                "photos", "get", "big.jpg", home.work.path + "/", "--background", "--limit-rate",
                "200K")
            try await eventually("something has arrived", in: home.work) {
                partialByteCount(home) > 100_000
            }
            try await home.killCarriers()
            let arrived = partialByteCount(home)
            let id = try #require(try await home.listTransfers().first?.id)
            _ = try await home.run("transfers", "limit", "none", id)
            let row = try await home.waitForTransferEnd()
            #expect(row.state == "done")
            #expect(row.bytes == Int64(large.count) && arrived > 0)
            #expect(try Data(contentsOf: home.work.appending(path: "big.jpg")) == large)
            #expect(partialByteCount(home) == 0)
        }
    }

    /// Listing the transfers starts a carrier again that was killed.
    @Test(arguments: [["transfers"], ["transfers", "retry", "--all"]])
    func goesOnWhenSomebodyLooks(command: [String]) async throws {
        try await inFreshHome { home in
            try large.write(to: home.photos.appending(path: "big.jpg"))
            _ = try await home.run(
                "photos", "get", "big.jpg", home.work.path + "/", "--background", "--limit-rate",
                "300K")
            try await waitForArrival(home)
            try await home.killCarriers()
            let result = try await home.run(command)
            #expect(result.status == 0, "\(result.errorText)")
            try await eventually("it is carried out again") { !home.carriers.isEmpty }
            _ = try await home.run("transfers", "limit", "none", "--all")
            #expect(try await home.waitForTransferEnd().state == "done")
            #expect(
                try await home.run("transfers", "retry", try await home.listTransfers()[0].id)
                    .status == 1)
        }
    }

    /// What was written before it was killed says that it moves.
    @Test func whatNobodyCarriesIsListedAsWaiting() async throws {
        try await inFreshHome { home in
            try large.write(to: home.photos.appending(path: "big.jpg"))
            _ = try await home.run(
                "photos", "get", "big.jpg", home.work.path + "/", "--background", "--limit-rate",
                "100K")
            try await eventually("it moves", in: home.work) { partialByteCount(home) > 50_000 }
            try await home.killCarriers()
            let list = try await home.run("transfers", "ls", "--json")
            let listed = try JSONDecoder().decode([ListedTransfer].self, from: list.standardOutput)
            #expect(listed.map(\.state) == ["waiting"])
            #expect(!list.text.contains("\"speed\""))
            _ = try await home.run("transfers", "cancel", "--all")
        }
    }

    private struct Event: Decodable {
        var event: String
        var bytes: Int64?
    }

    /// In the foreground, too, what the club has does not travel again: an original, and a photo that is encoded again.
    @Test(arguments: [["--original"], ["--quality", "1"]])
    func aCommandThatWasKilledGoesOnWhereItWas(options: [String]) async throws {
        try await inFreshHome { home in
            try large.write(to: home.work.appending(path: "big.jpg"))
            let command = ["photos", "put", "--json"] + options
            let kept = home.transfers.appending(path: "commands")
            let first = Task {
                try await home.run(command + ["--limit-rate", "300K", "big.jpg"])
            }
            try await eventually("a part is in the club", in: home.folder.appending(path: "state"))
            {
                home.names(in: kept).contains { $0.hasSuffix(".upload") }
            }
            for process in home.processes {
                if ProcessTable.arguments(of: process).contains("put") { kill(process, SIGKILL) }
            }
            _ = await first.result
            #expect(home.photoNames.isEmpty)
            let second = try await home.run(command + ["--limit-rate", "1M", "big.jpg"])
            #expect(second.status == 0, "\(second.errorText)")
            let events = try second.text.split(separator: "\n").map {
                try JSONDecoder().decode(Event.self, from: Data($0.utf8))
            }
            #expect(events.last?.event == "done")
            let moved = events.compactMap(\.bytes).filter { $0 > 0 }
            #expect(try #require(moved.min()) >= 256 << 10)
            #expect(home.photoNames == ["big.jpg"])
            #expect(home.names(in: kept).isEmpty)
            if options == ["--original"] {
                #expect(try Data(contentsOf: home.photos.appending(path: "big.jpg")) == large)
            }
        }
    }

    @Test func whatCannotBeAddedInTheBackgroundIsToldAtOnce() async throws {
        try await inFreshHome { home in
            let photo = Photos.wide(width: 300, height: 100)
            for folder in ["one", "two"] {
                let folder = home.work.appending(path: folder)
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                try photo.write(to: folder.appending(path: "sea.jpg"))
            }
            let cases = [
                (["one/sea.jpg", "two/sea.jpg"], "would both be “sea.jpg”"),
                (["one/sea.jpg", "one/sea.jpg"], "named twice"),
                (["one"], "is a folder"), (["none.jpg"], "cannot be read"),
            ]
            for (files, words) in cases {
                let result = try await home.run(["photos", "put", "--background", "--"] + files)
                #expect(result.status == 1)
                #expect(result.errorText.contains(words), "\(result.errorText)")
                #expect(result.errorText.contains("Nothing was ordered"))
            }
            #expect(try await home.listTransfers().isEmpty)
        }
    }

    @Test func isPausedResumedCancelledAndClearedFromTheShell() async throws {
        try await inFreshHome { home in
            try large.write(to: home.photos.appending(path: "big.jpg"))
            _ = try await home.run(
                "photos", "get", "big.jpg", home.work.path + "/", "--background", "--limit-rate",
                "100K")
            try await waitForArrival(home)
            let id = try #require(try await home.listTransfers().first?.id)
            #expect(try await home.run("transfers", "pause", id).status == 0)
            #expect(try await home.listTransfers().first?.state == "paused")
            let again = try await home.run("transfers", "pause", id)
            #expect(again.status == 1)
            #expect(again.errorText.contains("“big.jpg” is paused already."))
            #expect(try await home.run("transfers", "resume", id).status == 0)
            #expect(try await home.run("transfers", "cancel", "--all").status == 0)
            #expect(try await home.listTransfers().first?.state == "cancelled")
            // What was stopped on purpose is not tried again with all others.
            #expect(try await home.run("transfers", "retry", "--all").status == 0)
            #expect(try await home.listTransfers().first?.state == "cancelled")
            try await eventually("nobody carries anything any more") { home.carriers.isEmpty }
            #expect(try await home.run("transfers", "clear").status == 0)
            #expect(try await home.listTransfers().isEmpty)
            #expect(partialByteCount(home) == 0)
            let unknown = try await home.run("transfers", "resume", "nothing")
            #expect(unknown.status == 1 && unknown.errorText.contains("no transfer"))
            #expect(try await home.run("transfers", "resume").status == 2)
        }
    }

    @Test func asManyRunAsTheSettingsSayAndOneCanBePutFirst() async throws {
        try await inFreshHome { home in
            try home.write(settings: "transfers: {at-once: 1, limit-rate: 50K}\n")
            let names = ["a.jpg", "b.jpg", "c.jpg"]
            for name in names { try large.write(to: home.photos.appending(path: name)) }
            for name in names {
                _ = try await home.run(
                    "photos", "get", name, home.work.path + "/", "--background")
            }
            try await waitForArrival(home)
            let waiting = try await home.listTransfers()
            #expect(waiting.map(\.state) == ["running", "waiting", "waiting"])
            let next = try await home.run("transfers", "next", waiting[2].id)
            #expect(next.status == 0 && next.errorText.isEmpty)
            let moving = try await home.run("transfers", "next", waiting[0].id)
            #expect(moving.status == 1 && moving.errorText.contains("“a.jpg”"))
            #expect(try await home.run("transfers", "next").status == 2)
            #expect(try await home.run("transfers", "cancel", waiting[0].id).status == 0)
            try await eventually("the other one moves", in: home.work) {
                partialNames(home).contains { $0.contains("c.jpg") }
            }
            #expect(
                try await home.listTransfers().map(\.state) == ["cancelled", "waiting", "running"])
        }
    }
}
