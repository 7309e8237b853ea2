import Testing

@testable import ByteClub

@Suite struct PastedPathsTests {
    private static let files: Set<String> = [
        "/p/sea.jpg", "/p/my sea.jpg", "/p/it's.jpg", "/home/ana/é.jpg", "/p/50%.jpg",
        "/p/a\\b.jpg",
    ]

    private func read(_ text: String) -> PastedPaths {
        PastedPaths(text, in: "/p", home: "/home/ana") { path in
            Self.files.contains(path) ? .file : path == "/p" ? .folder : nil
        }
    }

    @Test(arguments: [
        // As a file manager copies it, and as terminals write what is dropped onto them.
        ("/p/my sea.jpg", ["/p/my sea.jpg"]),
        ("'/p/my sea.jpg'", ["/p/my sea.jpg"]),
        ("'/p/my sea.jpg' ", ["/p/my sea.jpg"]),
        ("/p/my\\ sea.jpg", ["/p/my sea.jpg"]),
        ("'/p/it'\\''s.jpg'", ["/p/it's.jpg"]),
        ("\"/p/it's.jpg\"", ["/p/it's.jpg"]),
        ("file:///home/ana/%C3%A9.jpg", ["/home/ana/é.jpg"]),
        ("file:///p/50%25.jpg", ["/p/50%.jpg"]),
        ("file:///p/my%20sea.jpg file:///p/sea.jpg", ["/p/my sea.jpg", "/p/sea.jpg"]),
        ("file:///p/my%20sea.jpg\nfile:///p/sea.jpg\n", ["/p/my sea.jpg", "/p/sea.jpg"]),
        ("'/p/my sea.jpg' '/p/sea.jpg'", ["/p/my sea.jpg", "/p/sea.jpg"]),
        ("/p/my\\ sea.jpg /p/sea.jpg", ["/p/my sea.jpg", "/p/sea.jpg"]),
        ("/p/sea.jpg\n/p/my sea.jpg\n/p/sea.jpg", ["/p/sea.jpg", "/p/my sea.jpg"]),
        ("~/é.jpg sea.jpg", ["/home/ana/é.jpg", "/p/sea.jpg"]),
    ])
    func findsTheFiles(text: String, files: [String]) {
        let found = read(text)
        #expect(found.files == files)
        #expect(found.missing.isEmpty)
    }

    @Test func tellsFoldersAndWhatIsNotThere() {
        #expect(
            read("/p/")
                == {
                    var paths = PastedPaths.none; paths.folder = "/p"; return paths
                }())
        let found = read("/p/sea.jpg /p/gone.jpg")
        #expect(found.files == ["/p/sea.jpg"])
        #expect(found.missing == ["/p/gone.jpg"])
        #expect(read(" \n\n ") == .none)
    }

    @Test func ofATextThatIsNoListOfPathsAFewWordsAreLookedAt() {
        let found = read(String(repeating: "word ", count: 100_000))
        #expect(found.missing.count <= 1_000)
    }

    @Test(arguments: [
        ("/sea", PickerText.filter("sea")), ("/", .filter("")), ("sea", .filter("sea")),
        ("/home/ana", .path("/home/ana")), ("~", .path("~")), ("~/p", .path("~/p")),
        ("p/sea.jpg", .path("p/sea.jpg")), ("'/p/my sea.jpg'", .path("'/p/my sea.jpg'")),
    ])
    func tellsAFilterFromAPath(text: String, meaning: PickerText) {
        #expect(PickerText(text) == meaning)
    }
}

extension PastedPaths {
    fileprivate static var none: PastedPaths { PastedPaths("", in: "/", home: "/") { _ in nil } }
}
