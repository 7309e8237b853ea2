import ClubAccessFuzzing
import Foundation
import Glibc
import Testing

/// What the fuzzer has gathered, all of it once more, a time limit for each. `make fuzz` gathers on.
@Suite struct AccessCorpusTests {
    @Test(arguments: AccessFuzzing.all.keys.sorted())
    func eachFileDoorInputIsTakenInTime(name: String) throws {
        let door = try #require(AccessFuzzing.all[name])
        let lines = try String(contentsOf: Self.corpora.appending(path: name), encoding: .utf8)
            .split(separator: "\n")
        #expect(!lines.isEmpty)
        for (number, line) in lines.enumerated() {
            let input = try #require(Data(base64Encoded: String(line)))
            let before = Self.processorTime
            input.withUnsafeBytes(door)
            // Of this thread's processor, not of the clock on the wall.
            #expect(Self.processorTime - before < 2, "line \(number + 1) of \(name)")
        }
    }

    @Test func eachCorpusHasItsDoor() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(names.sorted() == AccessFuzzing.all.keys.sorted())
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../AccessFuzzer/Corpus").standardizedFileURL
}
