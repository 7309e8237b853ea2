import DropboxAPI
import FoundationEssentials
import Testing

@Suite struct ContentHashTests {
    /// Made with Python's hashlib by the rule of the reference page.
    @Test(arguments: [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "1406e05881e299367766d313e26c05564ec91bf721d31726bd6e46e60689539a"),
        ((4 << 20) - 1, "839e2d868a885f260431d186466f0f3c189ee0eee5cc444b54e717740ad7f1c3"),
        (4 << 20, "c7e946d101855255d919ef0c70718633adf77d3dfb3adeeecf5d0cb4e951be58"),
        ((4 << 20) + 1, "14a4d47f23a30177885d9820122f17d2d3a55fe63f7f5c27b95f689e0b2accd6"),
        (9 << 20, "c8f97c712320613991f39507b92b54d92085daf3d0b44dc6264b60a9c6da2fc1"),
    ])
    func hashesOfZeros(byteCount: Int, expected: String) {
        #expect(ContentHash(of: Data(count: byteCount)).hexadecimal == expected)
    }

    @Test func piecesOfAnySizeGiveTheSameHash() {
        let data = Data((0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
        let whole = ContentHash(of: data)
        for size in [1_000_003, 4 << 20, (4 << 20) + 1, 65_536] {
            let hasher = ContentHasher()
            var rest = data[...]
            while !rest.isEmpty {
                hasher.update(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(hasher.finish() == whole)
        }
    }

    @Test func aCopyGoesOnByItself() {
        let hasher = ContentHasher()
        hasher.update(Data("Hello".utf8))
        let copy = hasher.copy()
        hasher.update(Data(", Felix".utf8))
        #expect(hasher.finish() == ContentHash(of: Data("Hello, Felix".utf8)))
        #expect(copy.finish() == ContentHash(of: Data("Hello".utf8)))
        // A finished one starts over.
        copy.update(Data("Hello, Felix".utf8))
        #expect(
            copy.finish().hexadecimal
                == "0349de3d6694cacc544529b9a9fac703221afa8c40f9b3a51457385c82851f22")
    }

    @Test func onlyHexadecimalTextIsAHash() {
        #expect(ContentHash(String(repeating: "A", count: 64))?.hexadecimal.first == "a")
        #expect(ContentHash(String(repeating: "a", count: 63)) == nil)
        #expect(ContentHash(String(repeating: "g", count: 64)) == nil)
    }

    @Test func sha256OfThePaperIsRight() {
        let digits = sha256(of: Data("abc".utf8)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        #expect(
            digits.joined() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func secretsAreCompared() {
        #expect(isEqualInConstantTime("token", "token"))
        #expect(!isEqualInConstantTime("token", "tokem"))
        #expect(!isEqualInConstantTime("token", "tok"))
        #expect(isEqualInConstantTime("", ""))
    }
}
