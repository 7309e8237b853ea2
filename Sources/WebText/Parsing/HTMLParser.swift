import CByteClubXML

/// Parses HTML into a document. Runs no scripts, loads nothing, opens no files.
///
/// libxml2 splits the bytes into elements and text; a ``DocumentBuilder`` makes blocks of them. No tree is
/// built. Slow for large pages: do not call it on the main actor.
public enum HTMLParser {
    /// - Parameters:
    ///   - bytes: The body.
    ///   - charset: The encoding named by the response.
    ///   - isCut: Whether the end is already missing.
    public static func parse(
        _ bytes: [UInt8], charset: String? = nil, isCut: Bool = false,
        limits: HTMLLimits = HTMLLimits()
    ) -> WebDocument {
        _ = library
        let end = ContinuousClock.now + limits.time
        let isLong = bytes.count > limits.byteCount
        let text = Charset.utf8(
            isLong ? Array(bytes.prefix(limits.byteCount)) : bytes, label: charset)
        let page = TagTrimmer(attributeLimit: limits.attributeCount).trimmed(text)
        let builder = DocumentBuilder(limits: limits)
        let feeding = feed(page, to: builder, until: end)
        var document = builder.finish()
        if document.cut == nil, isLong || isCut { document.cut = .size }
        if feeding == .outOfTime { document.cut = .time }
        return document
    }

    /// Initializes once: libxml2's tables must exist before several threads use them.
    private static let library: Void = xmlInitParser()

    /// The trimmer leaves fewer, unless a page makes it see another tag than libxml2 does.
    private static let pendingAttributeLimit: Int32 = 4096

    private enum Feeding {
        case whole
        case outOfTime
    }

    private static func feed(
        _ page: [UInt8], to builder: DocumentBuilder, until end: ContinuousClock.Instant
    ) -> Feeding {
        let context = Unmanaged.passUnretained(builder).toOpaque()
        guard let parser = byteclub_html_create(context, didStart, didEnd, didRead) else {
            return .whole
        }
        defer {
            byteclub_html_free(parser)
            withExtendedLifetime(builder) {}
        }
        return page.withUnsafeBytes { page in
            var offset = 0
            while offset < page.count, !builder.isFull {
                // An end tag may be compared with all open elements: the deeper, the smaller the chunks.
                let step = max(32, min(1 << 15, 4_000_000 / max(1, builder.openCount)))
                let count = min(step, page.count - offset)
                byteclub_html_feed(parser, page.baseAddress?.advanced(by: offset), Int32(count), 0)
                offset += count
                if ContinuousClock.now > end { return .outOfTime }
                // Each is compared with all before it, which nothing interrupts.
                let limit = pendingAttributeLimit
                if byteclub_html_pending_attributes(parser, limit) > limit { return .outOfTime }
            }
            byteclub_html_feed(parser, nil, 0, 1)
            return .whole
        }
    }
}

private func builder(_ context: UnsafeMutableRawPointer?) -> DocumentBuilder? {
    context.map { Unmanaged<DocumentBuilder>.fromOpaque($0).takeUnretainedValue() }
}

private func text(_ bytes: UnsafePointer<UInt8>?) -> String {
    bytes.map { String(cString: $0) } ?? ""
}

private func didStart(
    _ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<UInt8>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
) {
    var pairs: [String: String] = [:]
    if var place = attributes {
        while let key = place.pointee {
            pairs[text(key)] = text(place[1])
            place += 2
        }
    }
    builder(context)?.start(text(name), pairs)
}

private func didEnd(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<UInt8>?) {
    builder(context)?.end(text(name))
}

private func didRead(
    _ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ count: Int32
) {
    guard let bytes, count > 0 else { return }
    builder(context)?.text(UnsafeBufferPointer(start: bytes, count: Int(count)))
}
