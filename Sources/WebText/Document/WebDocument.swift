/// A page as styled text: the readable contents of HTML, without markup, scripts or layout.
///
/// The text is untrusted. It may contain control and bidirectional characters, which must be made visible
/// when it is drawn.
public struct WebDocument: Hashable, Sendable {
    /// The text of `<title>` in one line; empty without one.
    public var title = ""
    /// The base of relative addresses, if specified (`<base href>`).
    public var base: String?
    public var blocks: [WebBlock] = []
    /// In the order of their numbers: the first is shown as `[1]`.
    public var links: [WebLink] = []
    /// The pictures of the page, in text order; runs refer to them by index.
    public var pictures: [WebPicture] = []
    /// Why the end of the page is missing; nil if it is complete.
    public var cut: Cut?

    public init() {}

    /// A limit that was reached.
    public enum Cut: Hashable, Sendable {
        case size, elementCount, time
    }
}

/// The target of a link.
public struct WebLink: Hashable, Sendable {
    /// As in the page, without surrounding white space: relative or absolute.
    public var address: String

    public init(_ address: String) { self.address = address }
}

/// A picture in a page.
public struct WebPicture: Hashable, Sendable {
    /// As in the page: relative or absolute.
    public var address: String
    /// The replacement text; empty for decoration.
    public var words: String
    /// The specified size in pixels; nil if there is none.
    public var width: Int?
    public var height: Int?

    public init(_ address: String, words: String, width: Int? = nil, height: Int? = nil) {
        self.address = address
        self.words = words
        self.width = width
        self.height = height
    }
}

/// Text in one style.
public struct WebRun: Hashable, Sendable {
    /// White space is collapsed except in preformatted text; a line feed is a line break.
    public var text: String
    public var look: WebTextLook
    /// Negative for none; small, so that it does not enlarge a run.
    private var pictureNumber: Int32 = -1
    /// The index of the link it belongs to.
    public var link: Int?

    public init(
        _ text: String, _ look: WebTextLook = [], link: Int? = nil, picture: Int? = nil
    ) {
        self.text = text
        self.look = look
        self.link = link
        self.picture = picture
    }

    /// The index of the picture that it represents.
    public var picture: Int? {
        get { pictureNumber < 0 ? nil : Int(pictureNumber) }
        set { pictureNumber = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
    }

    /// Whether both have the same style, link and picture.
    func isLike(_ other: WebRun) -> Bool {
        look == other.look && link == other.link && pictureNumber == other.pictureNumber
    }
}

/// The kinds of a piece of text.
public struct WebTextLook: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let emphasis = WebTextLook(rawValue: 1)
    public static let strong = WebTextLook(rawValue: 2)
    public static let code = WebTextLook(rawValue: 4)
    public static let heading = WebTextLook(rawValue: 8)
    /// The replacement text of a picture.
    public static let alternative = WebTextLook(rawValue: 16)
    /// A link's number.
    public static let number = WebTextLook(rawValue: 32)
    /// A list's bullet or number.
    public static let marker = WebTextLook(rawValue: 64)
    /// A line between cells or beside a quotation.
    public static let border = WebTextLook(rawValue: 128)
    /// Deleted text.
    public static let deleted = WebTextLook(rawValue: 256)
    /// A row reserved for a picture.
    public static let picture = WebTextLook(rawValue: 512)
}

/// A part of a page that begins on a new line.
public indirect enum WebBlock: Hashable, Sendable {
    case heading(level: Int, [WebRun])
    case paragraph([WebRun])
    case preformatted([WebRun])
    case list([WebListItem])
    case quotation([WebBlock])
    case table(WebTable)
    case rule
    /// Takes no room: a target for a link's `#fragment`.
    case anchor(String)
}

public struct WebListItem: Hashable, Sendable {
    /// `•`, `1.` or, for plain indentation, empty.
    public var marker: String
    public var blocks: [WebBlock]

    public init(_ marker: String, _ blocks: [WebBlock]) {
        self.marker = marker
        self.blocks = blocks
    }
}

/// Rows of cells; rows may have different numbers of cells.
public struct WebTable: Hashable, Sendable {
    public var rows: [[WebTableCell]] = []

    public init(_ rows: [[WebTableCell]] = []) { self.rows = rows }
}

public struct WebTableCell: Hashable, Sendable {
    public var blocks: [WebBlock] = []
    public var isHeading = false
    /// The number of columns it spans.
    public var columnSpan = 1

    public init(_ blocks: [WebBlock] = [], isHeading: Bool = false, columnSpan: Int = 1) {
        self.blocks = blocks
        self.isHeading = isHeading
        self.columnSpan = columnSpan
    }
}
