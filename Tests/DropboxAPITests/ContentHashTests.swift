import DropboxAPI
import FoundationEssentials
import Testing

@Suite struct ContentHashTests {
    @Test func theHashOfNothingIsThatOfTheEmptyString() {
        #expect(
            ContentHash(of: Data()).hexadecimal
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }
}
