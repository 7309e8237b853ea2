import FoundationEssentials

/// Loads `data:` URLs (RFC 2397), which contain their response.
final class DataURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.scheme?.isEqualIgnoringASCIICase(to: "data") ?? false
    }

    override func startLoading() {
        guard let url = request.url, let content = Content(url) else {
            client?.urlProtocol(
                self, didFailWithError: URLError(.badURL, failingURL: request.url))
            return
        }
        let response = URLResponse(
            url: url, mimeType: content.mediaType.essence,
            expectedContentLength: content.body.count,
            textEncodingName: content.mediaType.charset)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: content.body)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}

    /// The content of a `data:` URL.
    struct Content {
        let mediaType: MediaType
        let body: Data

        /// Returns nil if there is no comma, or invalid base64.
        init?(_ url: URL) {
            let text = url.absoluteString.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
            guard let comma = text.firstIndex(of: UInt8(ascii: ",")) else { return nil }
            let bytes = Self.decodingPercents(
                text[text.index(after: comma)...].prefix { $0 != UInt8(ascii: "#") })
            var head = String(decoding: Self.decodingPercents(text[..<comma]), as: UTF8.self)
            let marker = ";base64"
            let isBase64 = head.suffix(marker.count).isEqualIgnoringASCIICase(to: marker)
            if isBase64 { head.removeLast(marker.count) }
            if head.isEmpty || head.hasPrefix(";") {
                head = "text/plain" + (head.isEmpty ? ";charset=US-ASCII" : head)
            }
            guard let mediaType = MediaType(head) else { return nil }
            self.mediaType = mediaType
            guard isBase64 else {
                body = Data(bytes)
                return
            }
            // Padding is optional and white space is ignored, as in browsers.
            var digits = bytes.filter { !" \t\n\r\u{C}".utf8.contains($0) }
            while digits.last == UInt8(ascii: "=") { digits.removeLast() }
            digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
            guard let body = Data(base64Encoded: Data(digits)) else { return nil }
            self.body = body
        }

        private static func decodingPercents(_ text: some Sequence<UInt8>) -> [UInt8] {
            var decoded: [UInt8] = []
            var rest = Array(text)[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%"), rest.count >= 2,
                    let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else {
                    decoded.append(byte)
                    continue
                }
                decoded.append(value)
                rest = rest.dropFirst(2)
            }
            return decoded
        }
    }
}
