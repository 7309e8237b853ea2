import ClubStore
import Testing

@Suite struct RemotePathTests {
    @Test(arguments: [
        ("", "/"), ("/", "/"), ("a", "/a"), ("/a", "/a"), ("/a/", "/a"), ("/a/b.txt", "/a/b.txt"),
        ("/ a /\u{1B}[31m", "/ a /\u{1B}[31m"),
    ])
    func readsPaths(_ text: String, _ expected: String) throws {
        #expect(try RemotePath(validating: text).string == expected)
    }

    @Test(arguments: [
        "//", "/a//b", "/.", "/a/..", "/a/./b", "/nul\0", "/" + String(repeating: "é", count: 128),
    ])
    func refusesWhatNamesNothing(_ text: String) {
        #expect(throws: StoreError.self) { try RemotePath(validating: text) }
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a\\b", "tab\there", "end.", "end ", " begin", "esc\u{1B}[0m",
        "del\u{7F}",
        "c1\u{9B}",
    ])
    func refusesNewNamesThatSomeStoreCouldNotKeep(_ name: String) {
        #expect(throws: StoreError.self) { try RemotePath.root.appending(newName: name) }
    }

    @Test func newNamesAreComposed() throws {
        let file = try RemotePath.root.appending(newName: "e\u{301}.txt")
        #expect(Array(file.name.unicodeScalars) == Array("\u{E9}.txt".unicodeScalars))
    }

    @Test func knowsItsFamily() throws {
        let file = try RemotePath(validating: "/photos/old/c.jpg")
        #expect(file.name == "c.jpg")
        #expect(file.parent?.string == "/photos/old")
        #expect(RemotePath.root.parent == nil)
        #expect(file.isInside(try RemotePath(validating: "/photos")))
        #expect(file.isInside(.root))
        #expect(!file.isInside(try RemotePath(validating: "/pho")))
    }

    @Test func sortsAFolderRightBeforeItsChildren() throws {
        let paths = try ["/b", "/a b", "/a/x", "/a"].map { try RemotePath(validating: $0) }
        #expect(paths.sorted().map(\.string) == ["/a", "/a/x", "/a b", "/b"])
    }

    /// `String` calls the forms of one name equal; a server may have a file under each.
    @Test func twoFormsOfOneNameAreTwoPaths() throws {
        let composed = try RemotePath(validating: "/d/caf\u{E9}")
        let decomposed = try RemotePath(validating: "/d/cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
        #expect((composed < decomposed) != (decomposed < composed))
        #expect(!(composed < composed))
        let below = try decomposed.appending("a")
        #expect(below.isInside(decomposed) && !below.isInside(composed))
        // Like those of names in ASCII.
        let others = try ["/d/cafd", "/d/caff"].map { try RemotePath(validating: $0) }
        #expect(
            [composed, others[1], decomposed, others[0]].sorted()
                == [others[0], decomposed, others[1], composed])
    }

    /// A slash and a combining mark after it are one `Character`.
    @Test func aNameMayBeginWithACombiningMark() throws {
        let path = try RemotePath(validating: "/d/\u{301}x.txt")
        #expect(
            path.components.map { Array($0.utf8) } == ["d", "\u{301}x.txt"].map { Array($0.utf8) })
        #expect(path.string.pathNames() == path.components)
        #expect(path.relativeString.utf8.elementsEqual("d/\u{301}x.txt".utf8))
        #expect(path.string.splitAtLastSlash?.folder == "/d")
        #expect(path.string.splitAtLastSlash?.name == "\u{301}x.txt")
        #expect(path.string.pathAfter(folder: "/d") == "\u{301}x.txt")
        #expect(try RemotePath(validating: "/\u{301}x").string.isAbsolutePath)
    }

    @Test func takesPathsApart() {
        #expect("/a//b/".pathNames() == ["a", "b"])
        #expect("/a//b/".pathNames(keepsEmpty: true) == ["", "a", "", "b", ""])
        #expect("a".splitAtLastSlash == nil)
        #expect("/ab/c".pathAfter(folder: "/a") == nil)
        #expect("/a".pathAfter(folder: "/a") == nil)
    }
}
