import CurlNetworkingFuzzing
import TestSupport
import Testing

/// What the fuzzer has gathered, all of it once more, a time limit for each. `make fuzz` gathers on.
@Suite struct FuzzingCorpusTests {
    private let corpus = FuzzingCorpus(of: "NetworkFuzzer")

    @Test(arguments: FuzzingDoors.all.keys.sorted())
    func eachDoorTakesWhatItsFuzzerHasGathered(name: String) throws {
        let door = try #require(FuzzingDoors.all[name])
        #expect(try corpus.replay(name, within: Self.limit, through: door).isEmpty)
    }

    @Test func eachCorpusHasItsDoor() throws {
        #expect(try corpus.names() == FuzzingDoors.all.keys.sorted())
    }

    /// `make fuzz` allows 2 seconds; a program that is not optimized takes several times as long.
    private static let limit = 8.0
}
