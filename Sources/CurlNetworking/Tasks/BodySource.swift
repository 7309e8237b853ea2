import FoundationEssentials

/// Where the bytes of a request's body come from.
enum BodySource: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// The request's own stream, for the first start; another start asks the delegate.
    case given(BodyStream)
    /// Asked of the delegate at each start.
    case stream

    /// Written while it is sent, once for each attempt.
    case produced(BodyProducer)
    /// What a WebSocket sends.
    case pipe(OutgoingPipe)

    /// The body a request carries itself.
    init(of request: URLRequest) {
        if let data = request.httpBody {
            self = .data(data)
        } else if let stream = request.httpBodyStream {
            self = .given(BodyStream(stream))
        } else {
            self = .none
        }
    }

    /// The body of the request that follows one with this body at a redirect.
    func following(_ next: URLRequest, after last: URLRequest) -> BodySource {
        let isSpent = next.httpBodyStream != nil && next.httpBodyStream == last.httpBodyStream
        return isSpent ? .stream : BodySource(of: next)
    }

    var isEmpty: Bool {
        if case .none = self { true } else { false }
    }
}
