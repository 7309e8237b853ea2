import FoundationEssentials

/// The source of a request's body.
enum BodySource: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// The request's own stream, for the first attempt; the delegate provides it for later ones.
    case given(BodyStream)
    /// The delegate provides a stream for each attempt.
    case stream

    /// Written while it is sent, once per attempt.
    case produced(BodyProducer)
    /// The output of a WebSocket.
    case pipe(OutgoingPipe)

    /// The body that the request itself contains.
    init(of request: URLRequest) {
        if let data = request.httpBody {
            self = .data(data)
        } else if let stream = request.httpBodyStream {
            self = .given(BodyStream(stream))
        } else {
            self = .none
        }
    }

    /// The body of a request that follows a redirect.
    func following(_ next: URLRequest, after last: URLRequest) -> BodySource {
        let isSpent = next.httpBodyStream != nil && next.httpBodyStream == last.httpBodyStream
        return isSpent ? .stream : BodySource(of: next)
    }

    var isEmpty: Bool {
        if case .none = self { true } else { false }
    }
}
