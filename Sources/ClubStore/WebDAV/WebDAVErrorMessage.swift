import FoundationEssentials

/// Finds the message in the beginning of a `DAV:error` body, as sabre/dav and Nextcloud send it.
final class WebDAVErrorMessage: XMLHandler {
    private var text: [UInt8] = []
    private var isInside = false

    /// - Parameter body: What follows its message may be missing.
    /// - Returns: The message in one line; nil without one.
    static func find(in body: String) -> String? {
        let handler = WebDAVErrorMessage()
        guard let reader = try? XMLReader(handler) else { return nil }
        try? reader.feed(Data(body.utf8))
        guard !handler.text.isEmpty else { return nil }
        return String(decoding: handler.text, as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    func begin(_ name: String) {
        isInside = text.isEmpty && name.split(separator: " ").last == "message"
    }

    func take(_ text: UnsafeBufferPointer<UInt8>) {
        if isInside { self.text += text }
    }

    func end() { isInside = false }
}
