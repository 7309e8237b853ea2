import TextEditing

@testable import WebText

/// What is read of pages from anywhere, by name: what `make fuzz` runs, and what the tests run over the corpora
/// that it has gathered.
package enum WebFuzzing {
    /// Takes any bytes, and must neither trap nor hang.
    package typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    /// The names are those of the corpora.
    package static let all: [String: Door] = ["page": { page($0) }, "charset": { charset($0) }]

    /// However narrow the screen is, lines fit, and every link and place is on one.
    private static func page(_ bytes: UnsafeRawBufferPointer) {
        let document = HTMLParser.parse(Array(bytes))
        for width in [1, 9, 80] {
            let layout = WebLayout(document, width: width)
            for line in layout.lines where width > 16 {
                precondition(CellWidth.of(line.text) <= width, "wider than the screen")
            }
            precondition(layout.linkLines.count == document.links.count)
            precondition(layout.anchors.values.allSatisfy(layout.lines.indices.contains))
            _ = WebTextSearch(layout).matches(of: "a")
        }
    }

    /// The first byte chooses the label.
    private static func charset(_ bytes: UnsafeRawBufferPointer) {
        let labels = ["utf-8", "utf-16", "shift_jis", "gbk", "big5", "iso-2022-jp", "euc-kr", ""]
        guard let first = bytes.first else { return }
        let text = Charset.utf8(Array(bytes.dropFirst()), label: labels[Int(first) % labels.count])
        precondition(String(validating: text, as: UTF8.self) != nil, "not UTF-8")
    }
}
