import ByteClubPicturesFuzzing
import TestSupport
import Testing

/// What the fuzzer has gathered, all of it once more, a time limit for each. `make fuzz` gathers on.
@Suite struct PictureCorpusTests {
    private let corpus = FuzzingCorpus(of: "PictureFuzzer")

    @Test(arguments: PictureFuzzing.all.keys.sorted())
    func eachInputOfTheCorpusIsOpenedOrRefusedInTime(name: String) throws {
        let door = try #require(PictureFuzzing.all[name])
        #expect(try corpus.replay(name, within: Self.limit, through: door).isEmpty)
    }

    @Test func eachCorpusHasItsDoor() throws {
        #expect(try corpus.names() == PictureFuzzing.all.keys.sorted())
    }

    /// `make fuzz` allows 2 seconds; a program that is not optimized takes several times as long.
    private static let limit = 8.0
}
