internal import Glibc

/// The messages of one language, from a file in gettext's PO format.
///
/// Read in about a millisecond: nothing is read at all for English. A part
/// that is not as it should be is passed over, and its message stays English; `scripts/check-messages`
/// finds such parts before they get here.
///
/// Source: the GNU gettext manual, "The Format of PO Files".
package struct MessageCatalog: Sendable {
    /// The forms of each message, by its key.
    private let forms: [String: [String]]

    /// How many messages it has.
    package var count: Int { forms.count }

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        forms = Reader(bytes).forms
    }

    /// The keys of messages by their translations.
    var keys: [String: String] {
        Dictionary(forms.map { ($0.value[0], $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// The message in this language; nil when it is not here.
    package func text(of message: Message, context: String? = nil) -> String? {
        let key = context.map { Reader.key(message.key, in: $0) } ?? message.key
        return forms[key]?.first.map { Placeholders.fill($0, with: message.arguments) }
    }

    /// The form for a count of a message that has several. A language with one form has it for all.
    package func text(of message: Message, form: Int) -> String? {
        guard let forms = forms[message.key] else { return nil }
        return Placeholders.fill(forms[min(form, forms.count - 1)], with: message.arguments)
    }
}

/// Puts entries together, line by line.
private struct Reader {
    private enum Field { case none, context, id, other, form }

    private(set) var forms: [String: [String]] = [:]
    private var field = Field.none
    private var context: String?
    private var id = ""
    private var values: [String] = []
    private var isFuzzy = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // About 90 bytes for each message.
        forms.reserveCapacity(bytes.count / 90)
        guard var next = bytes.baseAddress else { return }
        let end = next + bytes.count
        while next < end {
            let newline = Self.find("\n", from: next, to: end) ?? end
            if newline > next { read(next, newline) }
            next = newline + 1
        }
        endEntry()
    }

    private static func find(
        _ byte: Unicode.Scalar, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        memchr(start, Int32(byte.value), end - start).map {
            UnsafePointer($0.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Reads a line that is not empty.
    private mutating func read(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        if start.pointee == UInt8(ascii: "#") {
            if field == .form { endEntry() }
            if end - start > 1, start[1] == UInt8(ascii: ",") {
                let flags = UnsafeBufferPointer(start: start, count: end - start)
                isFuzzy = String(decoding: flags, as: UTF8.self).contains("fuzzy")
            }
            return
        }
        guard let quote = Self.find("\"", from: start, to: end) else { return }
        var last = end - 1
        while last > quote, last.pointee != UInt8(ascii: "\"") { last -= 1 }
        guard last > quote else { return }
        if quote > start {
            begin(
                String(
                    decoding: UnsafeBufferPointer(start: start, count: quote - start), as: UTF8.self
                ))
        }
        let text = Self.text(from: quote + 1, to: last)
        switch field {
        case .context: context = (context ?? "") + text
        case .id: id += text
        case .form: values[values.count - 1] += text
        case .none, .other: break
        }
    }

    /// Goes to the field that a line's first word names; a line without one goes on.
    private mutating func begin(_ word: String) {
        switch word {
        case "msgctxt ", "msgid ":
            if field == .form { endEntry() }
            field = word == "msgid " ? .id : .context
        case "msgid_plural ": field = .other
        default:
            guard word.hasPrefix("msgstr") else { return }
            field = .form
            values.append("")
        }
    }

    private mutating func endEntry() {
        // The entry without a key is about the file.
        if !id.isEmpty, !isFuzzy, let first = values.first, !first.isEmpty {
            forms[context.map { Self.key(id, in: $0) } ?? id] = values
        }
        (field, context, id, values, isFuzzy) = (.none, nil, "", [], false)
    }

    /// As gettext joins them.
    static func key(_ id: String, in context: String) -> String { "\(context)\u{4}\(id)" }

    private static func text(
        from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
    ) -> String {
        let bytes = UnsafeBufferPointer(start: start, count: end - start)
        guard find("\\", from: start, to: end) != nil else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch next {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "t"): result.append(0x09)
            default: result.append(next)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
