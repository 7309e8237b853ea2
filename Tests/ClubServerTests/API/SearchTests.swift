import DropboxAPI
import Foundation
import Testing

@Suite struct SearchTests {
    private func names(
        _ club: TestClub, _ query: String, _ options: SearchOptions? = nil
    ) async throws -> [String] {
        var page = try await club.call(Routes.search, SearchV2Arg(query: query, options: options))
        var matches = page.matches
        while page.hasMore, let cursor = page.cursor {
            page = try await club.call(Routes.searchContinue, SearchV2ContinueArg(cursor: cursor))
            matches += page.matches
        }
        return matches.compactMap { $0.metadata?.sketch }
    }

    private let files = [
        "Quicksort.txt": "divide and conquer", "challenges/heap.md": "sort a HEAP quickly",
        "photos/quick.jpg": "no text", "plain": "Ein schöner Text",
    ]

    @Test func namesAndTextsAreSearched() async throws {
        try await TestClub.with(files) { (club: TestClub) async throws in
            #expect(
                try await names(club, "quick")
                    == ["+/photos/quick.jpg", "+/Quicksort.txt", "+/challenges/heap.md"])
            #expect(
                try await names(club, "QUICK sort") == ["+/Quicksort.txt", "+/challenges/heap.md"])
            #expect(try await names(club, "scho\u{308}ner") == ["+/plain"])
            #expect(try await names(club, "nothing at all").isEmpty)
            let match = try await club.call(Routes.search, SearchV2Arg(query: "conquer")).matches
            #expect(match.first?.matchType == .fileContent)
        }
    }

    @Test func optionsNarrowASearch() async throws {
        try await TestClub.with(files) { (club: TestClub) async throws in
            #expect(
                try await names(club, "sort", SearchOptions(filenameOnly: true))
                    == ["+/Quicksort.txt"])
            #expect(
                try await names(club, "quick", SearchOptions(path: "/photos"))
                    == ["+/photos/quick.jpg"])
            #expect(
                try await names(club, "quick", SearchOptions(fileExtensions: ["md"]))
                    == ["+/challenges/heap.md"])
            #expect(
                try await names(club, "quick", SearchOptions(fileCategories: [.image]))
                    == ["+/photos/quick.jpg"])
            #expect(
                try await names(club, "photos", SearchOptions(fileCategories: [.folder]))
                    == ["//photos"])
            try await club.call(Routes.delete, DeleteArg(path: "/Quicksort.txt"))
            #expect(
                try await names(club, "quick", SearchOptions(status: .deleted))
                    == ["-/Quicksort.txt"])
        }
    }

    @Test func resultsComeInPages() async throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<7).map { ("note \($0).txt", "x") })
        try await TestClub.with(many) { (club: TestClub) async throws in
            let found = try await names(club, "note", SearchOptions(maxResults: 2))
            #expect(found.count == 7)
            #expect(Set(found).count == 7)
        }
    }

    @Test func errorsOfSearching() async throws {
        try await TestClub.with(files) { (club: TestClub) async throws in
            #expect(
                try await club.failure(
                    Routes.search, SearchV2Arg(query: "x", options: SearchOptions(path: "/none")))
                    == .path(.notFound))
            let empty = try await club.failure(Routes.search, SearchV2Arg(query: "  "))
            #expect(empty.tags == ["invalid_argument"])
            let cursor = try await club.failure(
                Routes.searchContinue, SearchV2ContinueArg(cursor: "bm9uc2Vuc2U"))
            #expect(cursor.tags == ["invalid_argument"])
        }
    }
}
