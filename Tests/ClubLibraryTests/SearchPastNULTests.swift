import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

/// The index goes on after a NUL in a text.
@Suite struct SearchPastNULTests {
    let test = TestLibrary()

    private func paths(_ query: String, in copy: LocalCopy) throws -> Set<String> {
        let words = query.split(separator: " ").map(String.init)
        return Set(try copy.candidates(for: words).map(\.path.string))
    }

    private func check(_ copy: LocalCopy) throws {
        try copy.write { try $0.execute("INSERT INTO words (words) VALUES ('integrity-check')") }
    }

    @Test func whatFollowsANULIsFound() throws {
        try test.copy.keep("before\0behind it", of: makeFile("/a.txt", "before\0behind it"))
        #expect(try paths("behind", in: test.copy) == ["/a.txt"])
        #expect(try paths("before behind", in: test.copy) == ["/a.txt"])
        // Taken out is what was put in.
        try test.copy.keep("else", of: makeFile("/a.txt", "else", revision: "r2"))
        #expect(try paths("behind", in: test.copy) == [])
        try check(test.copy)
    }

    /// As an earlier version has left it: the index ends at the first NUL.
    @Test func anEarlierIndexIsMadeComplete() throws {
        do {
            let copy = LocalCopy(folder: test.folder)
            try copy.keep("before\0behind it", of: makeFile("/a.txt", "before\0behind it"))
            try copy.keep("no such sign", of: makeFile("/b.txt", "no such sign"))
            try copy.write { database in
                try database.execute(
                    """
                    INSERT INTO words (words, rowid, body)
                        SELECT 'delete', id, body FROM searchable WHERE instr(body, 'behind') > 0;
                    INSERT INTO words (rowid, body)
                        SELECT id, 'before' FROM versions WHERE path = '/a.txt';
                    PRAGMA user_version = 3
                    """)
            }
            #expect(try paths("behind", in: copy) == [])
        }
        #expect(try paths("behind", in: test.copy) == ["/a.txt"])
        #expect(try paths("before", in: test.copy) == ["/a.txt"])
        #expect(try paths("such sign", in: test.copy) == ["/b.txt"])
        try check(test.copy)
    }
}
