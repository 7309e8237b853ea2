import ClubServerFuzzing
import TestSupport
import Testing

/// What the fuzzer has gathered, all of it once more, a time limit for each. `make fuzz` gathers on.
@Suite struct RequestCorpusTests {
    private let corpus = FuzzingCorpus(of: "ServerFuzzer")

    @Test(arguments: ServerFuzzing.all.keys.sorted())
    func eachRequestOrCursorInputIsTakenInTime(name: String) throws {
        let door = try #require(ServerFuzzing.all[name])
        #expect(try corpus.replay(name, through: door).isEmpty)
    }

    @Test func eachCorpusHasItsDoor() throws {
        #expect(try corpus.names() == ServerFuzzing.all.keys.sorted())
    }
}
