/// A stream that provides the body of a request.
///
/// It changes its owner: the request, the delegate's answer, the reader. Only the reader opens, reads and
/// closes it, on its own queue.
struct BodyStream: Hashable, @unchecked Sendable {
    // Unchecked because Foundation's streams are not Sendable; only one owner uses it at a time.
    let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
    }

    init?(_ stream: InputStream?) {
        guard let stream else { return nil }
        self.stream = stream
    }
}
