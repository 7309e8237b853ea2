import ClubAccessFuzzing
import TestSupport
import Testing

/// What the fuzzer has gathered, all of it once more, a time limit for each. `make fuzz` gathers on.
@Suite struct AccessCorpusTests {
    private let corpus = FuzzingCorpus(of: "AccessFuzzer")

    @Test(arguments: AccessFuzzing.all.keys.sorted())
    func eachFileDoorInputIsTakenInTime(name: String) throws {
        let door = try #require(AccessFuzzing.all[name])
        #expect(try corpus.replay(name, through: door).isEmpty)
    }

    @Test func eachCorpusHasItsDoor() throws {
        #expect(try corpus.names() == AccessFuzzing.all.keys.sorted())
    }
}
