/// A stream that is the body of a request.
///
/// Its owner changes as the body goes its way: the request, the delegate's answer, the reader that reads it. Only
/// the reader, on its own queue, opens, reads and closes it.
struct BodyStream: Hashable, @unchecked Sendable {
    // Unchecked for Foundation's streams, which are used from one place at a time: see above.
    let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
    }

    init?(_ stream: InputStream?) {
        guard let stream else { return nil }
        self.stream = stream
    }
}
