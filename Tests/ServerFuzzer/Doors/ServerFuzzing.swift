import DropboxAPI
import FoundationEssentials

@testable import ClubServer

/// Everything that the club's server reads before it knows who speaks, by name: what `make fuzz` runs, and
/// what the tests run over the corpora that it has gathered.
package enum ServerFuzzing {
    /// Takes any bytes, and must neither trap nor hang.
    package typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    /// The names are those of the corpora.
    package static let all: [String: Door] = [
        "requests": { requests($0) },
        "cursor": { cursor($0) },
    ]

    /// However the bytes of a connection are split, they are the same requests.
    private static func requests(_ bytes: UnsafeRawBufferPointer) {
        let whole = RequestTranscript(of: bytes, inPiecesOf: bytes.count)
        for count in [1, 2, 3, 7, 64] where count < bytes.count {
            let pieces = RequestTranscript(of: bytes, inPiecesOf: count)
            precondition(pieces == whole, "pieces of \(count) bytes are other requests")
        }
    }

    private static func cursor(_ bytes: UnsafeRawBufferPointer) {
        guard let cursor = ListingCursor(String(decoding: bytes, as: UTF8.self)) else { return }
        precondition(ListingCursor(cursor.text) == cursor, "a cursor is what it says")
    }
}
