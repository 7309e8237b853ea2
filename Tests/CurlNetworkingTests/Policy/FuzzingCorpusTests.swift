import CurlNetworkingFuzzing
import Foundation
import Testing

@testable import CurlNetworking

/// What the fuzzers have gathered, all of it once more. `make fuzz` gathers on.
@Suite struct FuzzingCorpusTests {
    @Test(arguments: FuzzingDoors.all.keys.sorted())
    func eachDoorTakesWhatItsFuzzerHasGathered(name: String) throws {
        let door = try #require(FuzzingDoors.all[name])
        let lines = try String(contentsOf: Self.corpora.appending(path: name), encoding: .utf8)
            .split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines {
            let input = try #require(Data(base64Encoded: String(line)))
            input.withUnsafeBytes(door)
        }
    }

    @Test func eachCorpusHasItsDoor() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(names.sorted() == FuzzingDoors.all.keys.sorted())
    }

    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../NetworkFuzzer/Corpus").standardizedFileURL
}
