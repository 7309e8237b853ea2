import Foundation
import Testing

/// What `SECURITY.md` promises has the tests that it names.
@Suite struct SecurityPromisesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL

    /// The names of all test functions.
    private func testNames() throws -> Set<String> {
        let folder = Self.root.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        var names: Set<String> = []
        for case let path as String in files where path.hasSuffix("Tests.swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for line in text.matches(of: /func ([A-Za-z0-9_]+)\(/) { names.insert(String(line.1)) }
        }
        return names
    }

    @Test func everyPromiseNamesATestThatExists() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "SECURITY.md"), encoding: .utf8)
        let names = try testNames()
        let promises = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
            .compactMap { row -> (promise: Substring, tests: Substring)? in
                let cells = row.split(separator: "|")
                return cells.count == 2 && cells[1].contains("`") ? (cells[0], cells[1]) : nil
            }
        #expect(promises.count > 20)
        for (promise, tests) in promises {
            let named = tests.matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(!named.isEmpty, "\(promise) has no test")
            for name in named {
                let exists =
                    names.contains(name)
                    || name.hasPrefix("scripts/")
                        && FileManager.default.isExecutableFile(
                            atPath: Self.root.appending(path: name).path)
                #expect(exists, "\(promise): there is no test \(name)")
            }
        }
    }
}
