/// A page as styled text: what a reader sees of HTML, without markup, scripts or places on a screen.
///
/// The text is the page's own. It may hold control and bidirectional characters, which the code that draws it
/// has to make visible.
public struct WebDocument: Hashable, Sendable {
    /// The text of `<title>` in one line; empty when the page has none.
    public var title = ""
    /// What relative addresses are relative to, when the page says so itself (`<base href>`).
    public var base: String?
    public var blocks: [WebBlock] = []
    /// In the order of their numbers: the first is shown as `[1]`.
    public var links: [WebLink] = []
    /// The pictures that the page shows, in the order of the text; runs name them by their index.
    public var pictures: [WebPicture] = []
    /// Why the end of the page is missing here; nil when all of it is here.
    public var cut: Cut?

    public init() {}

    /// A limit that a page has reached.
    public enum Cut: Hashable, Sendable {
        case size, elementCount, time
    }
}

/// Where a link leads.
public struct WebLink: Hashable, Sendable {
    /// As it stands in the page, without white space around it: relative or absolute.
    public var address: String

    public init(_ address: String) { self.address = address }
}

/// A picture in a page.
public struct WebPicture: Hashable, Sendable {
    /// As it stands in the page: relative or absolute.
    public var address: String
    /// What is shown while there is no picture; empty for decoration.
    public var words: String
    /// What the page says of its size, in pixels of the page; nil where it does not.
    public var width: Int?
    public var height: Int?

    public init(_ address: String, words: String, width: Int? = nil, height: Int? = nil) {
        self.address = address
        self.words = words
        self.width = width
        self.height = height
    }
}

/// Text in one look.
public struct WebRun: Hashable, Sendable {
    /// White space is collapsed but in preformatted text; a line feed is a line break.
    public var text: String
    public var look: WebTextLook
    /// Negative for none: so small that a run is not larger for it.
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

    /// The index of the picture that it stands for.
    public var picture: Int? {
        get { pictureNumber < 0 ? nil : Int(pictureNumber) }
        set { pictureNumber = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
    }

    /// Whether both are of one look, and of one link and picture.
    func isLike(_ other: WebRun) -> Bool {
        look == other.look && link == other.link && pictureNumber == other.pictureNumber
    }
}

/// What a piece of text is; several may be true at once.
public struct WebTextLook: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let emphasis = WebTextLook(rawValue: 1)
    public static let strong = WebTextLook(rawValue: 2)
    public static let code = WebTextLook(rawValue: 4)
    public static let heading = WebTextLook(rawValue: 8)
    /// The words in place of a picture.
    public static let alternative = WebTextLook(rawValue: 16)
    /// A link's number.
    public static let number = WebTextLook(rawValue: 32)
    /// A list's bullet or number.
    public static let marker = WebTextLook(rawValue: 64)
    /// A line between cells or beside a quotation.
    public static let border = WebTextLook(rawValue: 128)
    /// Text that was taken back.
    public static let deleted = WebTextLook(rawValue: 256)
    /// Room for a row of a picture.
    public static let picture = WebTextLook(rawValue: 512)
}

/// A part of a page that begins on a line of its own.
public indirect enum WebBlock: Hashable, Sendable {
    case heading(level: Int, [WebRun])
    case paragraph([WebRun])
    case preformatted([WebRun])
    case list([WebListItem])
    case quotation([WebBlock])
    case table(WebTable)
    case rule
    /// Takes no room: a place that a link's `#fragment` can name.
    case anchor(String)
}

public struct WebListItem: Hashable, Sendable {
    /// `•`, `1.` or, for what only stands a little to the right, nothing.
    public var marker: String
    public var blocks: [WebBlock]

    public init(_ marker: String, _ blocks: [WebBlock]) {
        self.marker = marker
        self.blocks = blocks
    }
}

/// Rows of cells; rows may differ in how many they have.
public struct WebTable: Hashable, Sendable {
    public var rows: [[WebTableCell]] = []

    public init(_ rows: [[WebTableCell]] = []) { self.rows = rows }
}

public struct WebTableCell: Hashable, Sendable {
    public var blocks: [WebBlock] = []
    public var isHeading = false
    /// Columns it takes, from 1.
    public var columnSpan = 1

    public init(_ blocks: [WebBlock] = [], isHeading: Bool = false, columnSpan: Int = 1) {
        self.blocks = blocks
        self.isHeading = isHeading
        self.columnSpan = columnSpan
    }
}
