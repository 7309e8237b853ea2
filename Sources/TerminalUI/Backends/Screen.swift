/// A terminal that shows frames.
///
/// ``CursesScreen`` is the real one; ``TestScreen`` keeps the frames in memory.
@MainActor
public protocol Screen: AnyObject {
    /// The size in cells, as of the last ``open()`` or ``updateSize()``.
    var size: Size { get }

    /// How many colors the terminal shows, as of the last ``open()``.
    var colorDepth: ColorDepth { get }

    /// Whether block characters and similar ones can be shown; if not, ASCII replaces them.
    var showsUnicode: Bool { get }

    /// The descriptor whose bytes are keys; nil when nothing can be read.
    var inputDescriptor: Int32? { get }

    /// How pictures are shown; changes when the terminal has answered, see ``receive(_:)``.
    var pictures: PictureTerminal { get }

    /// What the terminal's background is like; nil until it has said so, see ``receive(_:)``.
    var background: TerminalBackground? { get }

    /// How fast the terminal takes pictures, in bytes per second, as measured; nil before that.
    var pictureRate: Double? { get }

    /// Whether the terminal was asked something, and may be answering.
    var awaitsReplies: Bool { get }

    /// Handles a reply of the terminal, and says what has changed.
    func receive(_ reply: TerminalReply) -> ReplyEffect

    /// The strings that the terminal's special keys send.
    var keySequences: [[UInt8]: KeyPress] { get }

    /// Takes over the terminal. Also after ``close()``.
    func open() throws(TerminalError)

    /// Restores the terminal.
    func close()

    /// Asks the terminal for its size again.
    func updateSize() -> SizeChange

    /// Whether a frame is still being written, which takes long where a large picture is in it.
    var isWriting: Bool { get }

    /// Prepares for a frame: a busy screen drops the rest of pictures that are not in it.
    ///
    /// - Returns: `.busy` if the frame must wait for ``didBecomeReady``.
    func makeReady(for surface: Surface) -> Readiness

    /// Called when a screen that was busy has written everything.
    var didBecomeReady: (() -> Void)? { get set }

    /// Shows a frame with the cursor at a place, or without one.
    func present(_ surface: Surface, cursor: Point?)

    /// Discards the known contents of the terminal: the next frame is drawn completely.
    func invalidate()

    /// Sends bytes that draw nothing, e.g. text for the clipboard.
    func send(_ sequence: [UInt8])
}

/// Whether a screen can show a frame now.
public enum Readiness: Hashable, Sendable {
    case ready
    case busy
}

/// The result of updating the size.
public enum SizeChange {
    case changed
    case same
}

/// The effect of a terminal's reply.
public enum ReplyEffect: Hashable, Sendable {
    case none
    /// ``Screen/pictures`` or ``Screen/colorDepth``.
    case changed
    /// Only ``Screen/background``: only the colors of cells change.
    case changedBackground
}

extension Screen {
    public var showsUnicode: Bool { true }
    public var pictures: PictureTerminal { PictureTerminal() }
    public var background: TerminalBackground? { nil }
    public var pictureRate: Double? { nil }
    public var awaitsReplies: Bool { false }
    public var isWriting: Bool { false }
    public func makeReady(for surface: Surface) -> Readiness { .ready }
    public var didBecomeReady: (() -> Void)? {
        get { nil }
        set {}
    }
    public func receive(_ reply: TerminalReply) -> ReplyEffect { .none }
}

/// Why a terminal cannot be used, as a sentence for the user.
public struct TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, for programs.
    public enum Code: Hashable, Sendable {
        /// Standard input or output is a file or a pipe.
        case notATerminal
        /// `TERM` is not set, or names an unknown type.
        case unknownType
        /// The terminal cannot position its cursor.
        case tooSimple
        /// The system refused.
        case systemError(Int32)
    }

    /// The reason for programs; ``description`` is for people.
    public let code: Code
    /// The problem and, if possible, what to do.
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
