import ClubStoreFuzzing
import TestSupport
import Testing

/// What the fuzzer has gathered, all of it once more, a time limit for each. `make fuzz` gathers on.
@Suite struct StoreCorpusTests {
    private let corpus = FuzzingCorpus(of: "StoreFuzzer")

    @Test(arguments: StoreFuzzing.all.keys.sorted())
    func eachStoreDoorInputIsTakenInTime(name: String) throws {
        let door = try #require(StoreFuzzing.all[name])
        #expect(try corpus.replay(name, through: door).isEmpty)
    }

    @Test func eachCorpusHasItsDoor() throws {
        #expect(try corpus.names() == StoreFuzzing.all.keys.sorted())
    }
}
