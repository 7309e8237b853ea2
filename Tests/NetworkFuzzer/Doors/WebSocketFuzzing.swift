import FoundationEssentials

@testable import CurlNetworking

/// An entry point for a fuzzer: it takes any bytes, and must neither trap nor hang.
package enum WebSocketFuzzing {
    /// What a server sends over a WebSocket: as it comes, and cut into pieces as the first byte says.
    package static func frames(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let data = Data(bytes.dropFirst())
        var reader = WebSocketReader(largestMessage: 512)
        let whole = reader.append(data)
        var cutReader = WebSocketReader(largestMessage: 512)
        var arrivals: [WebSocketReader.Arrival] = []
        var refusal: WebSocketReader.Refusal?
        var rest = data
        while !rest.isEmpty, refusal == nil {
            let piece = rest.prefix(Int(first % 16) + 1)
            rest = rest.dropFirst(piece.count)
            let some = cutReader.append(piece)
            arrivals += some.arrivals
            refusal = some.refusal
        }
        precondition(arrivals == whole.arrivals && refusal == whole.refusal)
        for case .close(let code?, let reason) in arrivals {
            let frame = WebSocketFrame.close(code, reason: reason)
            precondition(frame.encoded(mask: [1, 2, 3, 4]).count <= 131)
        }
    }
}
