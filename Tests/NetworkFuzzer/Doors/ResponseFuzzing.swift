import FoundationEssentials

@testable import CurlNetworking

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang.
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
        for field in head.headers.fields {
            precondition(response.value(forHTTPHeaderField: field.name) == field.value)
        }
        checkFileName(of: response)
        follow(head, from: URLRequest(url: url))
    }

    /// A `Content-Disposition`.
    package static func disposition(_ bytes: UnsafeRawBufferPointer) {
        guard let url = URL(string: "https://example.com/a") else { return }
        var head = ResponseHead(status: 200)
        head.headers["Content-Disposition"] = String(decoding: bytes, as: UTF8.self)
        checkFileName(of: HTTPURLResponse(url: url, head: head))
    }

    /// A `Location`, from one place to the next as long as it leads anywhere.
    package static func location(_ bytes: UnsafeRawBufferPointer) {
        guard let url = URL(string: "https://user@example.com/a/b?c#d") else { return }
        var request = URLRequest(url: url)
        request.headers["Authorization"] = "secret"
        var head = ResponseHead(status: 302)
        head.headers["Location"] = String(decoding: bytes, as: UTF8.self)
        follow(head, from: request)
    }

    private static func checkFileName(of response: HTTPURLResponse) {
        guard let name = response.suggestedFilename else { preconditionFailure() }
        precondition(!name.isEmpty && name != "." && name != "..")
        precondition(!name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") })
    }

    private static func follow(_ head: ResponseHead, from request: URLRequest) {
        var request = request
        for followed in 0...RedirectPolicy.limit {
            let decision = RedirectPolicy.decide(
                status: head.status, location: head.headers["Location"], request: request,
                followed: followed)
            guard case .follow(let next, _) = decision else { return }
            guard let origin = next.url.flatMap(Origin.init) else { preconditionFailure() }
            precondition(
                next.headers["Authorization"] == nil
                    || origin == request.url.flatMap(Origin.init))
            request = next
        }
        preconditionFailure("a redirect without end")
    }
}
