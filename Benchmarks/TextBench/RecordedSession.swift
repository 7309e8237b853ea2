import CByteClubZlib
import FoundationEssentials
import TextEditing

/// A recorded editing session in the format of github.com/josephg/editing-traces: JSON, packed by gzip or not.
///
/// Positions and counts are in Unicode scalars.
struct RecordedSession: Decodable {
    struct Transaction: Decodable {
        var patches: [Patch]
    }

    /// `[position, deleted, inserted]`.
    struct Patch: Decodable {
        var position: Int
        var deleted: Int
        var inserted: String

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            position = try fields.decode(Int.self)
            deleted = try fields.decode(Int.self)
            inserted = try fields.decode(String.self)
        }
    }

    var startContent: String
    var endContent: String
    var txns: [Transaction]

    init(contentsOf path: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: path))
        let json = bytes.starts(with: [0x1F, 0x8B]) ? try Self.unpacked(bytes) : bytes
        self = try JSONDecoder().decode(Self.self, from: json)
    }

    struct Damaged: Error {}

    private static func unpacked(_ bytes: Data) throws -> Data {
        guard let stream = byteclub_inflate_start(byteclub_inflate_gzip) else { throw Damaged() }
        defer { byteclub_inflate_end(stream) }
        var output = Data()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { room.deallocate() }
        return try bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let space = room.baseAddress else {
                throw Damaged()
            }
            var position = 0
            while true {
                let step = byteclub_inflate(
                    stream, start + position, bytes.count - position, space, room.count)
                position += step.taken
                output.append(contentsOf: room[..<step.made])
                if step.state == byteclub_inflate_is_at_end { return output }
                guard step.state == byteclub_inflate_goes_on, step.taken + step.made > 0 else {
                    throw Damaged()
                }
            }
        }
    }
}

/// Replays recorded sessions in the editor, its history included, and prints a line for each:
/// `name · patches · ms · byte-exact yes/no · undo to start yes/no`.
///
/// - Returns: Whether each was exact, and could be read.
func replaySessions(_ paths: [String]) -> Bool {
    var isGood = true
    for path in paths {
        let name = URL(filePath: path).lastPathComponent
        do {
            let session = try RecordedSession(contentsOf: path)
            isGood = replay(session, named: name) && isGood
        } catch {
            print(
                "\(name) · cannot be read: it is no editing session in JSON, packed by gzip or not")
            isGood = false
        }
    }
    return isGood
}

private func replay(_ session: RecordedSession, named name: String) -> Bool {
    let patches = session.txns.flatMap(\.patches)
    var editor = TextEditor()
    // A median of three: the first one warms the memory.
    let time = median(of: 3) {
        editor = TextEditor(TextBuffer(session.startContent))
        for patch in patches {
            let count = editor.text.scalarCount
            let position = min(max(0, patch.position), count)
            let end = min(max(0, patch.deleted), count - position) + position
            let start = editor.text.offset(ofScalar: position)
            editor.replace(
                start..<(end == position ? start : editor.text.offset(ofScalar: end)),
                with: patch.inserted,
                grouping: patch.deleted == 0 ? .typing : .deletingBackward)
        }
    }
    let isExact = editor.text.bytes(in: 0..<editor.text.count).elementsEqual(
        session.endContent.utf8)
    while editor.history.canUndo { editor.undo() }
    let isUndone = editor.text.bytes(in: 0..<editor.text.count).elementsEqual(
        session.startContent.utf8)
    let thousandths = Int((time * 1000).rounded())
    let digits = String(thousandths % 1000)
    let shown =
        "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    print(
        "\(name) · \(patches.count) · \(shown) ms · byte-exact \(isExact ? "yes" : "no") · "
            + "undo to start \(isUndone ? "yes" : "no")")
    return isExact && isUndone
}
