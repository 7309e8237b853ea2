import Foundation
import Testing

@testable import ByteClub

/// The field of an address begins with `https://`; what is pasted behind it brings its own.
@Suite struct TypedAddressTests {
    @Test(arguments: [
        ("https://club.example/dav", "https://club.example/dav"),
        ("https://https://club.example/dav", "https://club.example/dav"),
        ("https://http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
        ("https://HTTPS://club.example/", "HTTPS://club.example/"),
        (" club.example/dav \n", "https://club.example/dav"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        (
            "https://club.example/张三/My%20Club",
            "https://club.example/%E5%BC%A0%E4%B8%89/My%20Club"
        ), ("https://münchen.de/dav", "https://xn--mnchen-3ya.de/dav"),
    ])
    func isWhatWasMeant(typed: String, meant: String) {
        #expect(TypedAddress.url(typed)?.absoluteString == meant)
    }

    @Test(arguments: [" ", "https://http://x y", "https://a b/c"])
    func noAddressIsNone(typed: String) {
        #expect(TypedAddress.url(typed) == nil)
    }
}
