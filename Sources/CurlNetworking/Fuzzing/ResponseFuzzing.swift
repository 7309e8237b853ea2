import FoundationEssentials

/// An entry point for a fuzzer: it takes any bytes, and must neither trap nor hang.
package enum ResponseFuzzing {
    /// The head of an answer, through a response, its facts and the redirect it may ask for.
    package static func head(_ bytes: UnsafeRawBufferPointer) {
        var parser = ResponseHeadParser()
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let end = min(line.endIndex + 1, bytes.endIndex)
            do throws(ResponseHeadParser.Refusal) {
                try parser.append(UnsafeRawBufferPointer(rebasing: bytes[line.startIndex..<end]))
            } catch {
                return
            }
        }
        guard let head = parser.head, let url = URL(string: "https://example.com/a/b?c#d") else {
            return
        }
        precondition((100...999).contains(head.status))
        let response = HTTPURLResponse(url: url, head: head)
        precondition(response.expectedContentLength >= -1)
        precondition(response.suggestedFilename?.isEmpty == false)
        for field in head.headers.fields {
            precondition(response.value(forHTTPHeaderField: field.name) == field.value)
        }
        let decision = RedirectPolicy.decide(
            status: head.status, location: head.headers["Location"], request: URLRequest(url: url),
            followed: 0)
        if case .follow(let next, _) = decision {
            precondition(next.url.flatMap(Origin.init) != nil)
        }
    }
}
