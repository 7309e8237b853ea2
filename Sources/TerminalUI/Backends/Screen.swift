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

    /// Takes an answer of the terminal, and says whether anything is shown otherwise from now on.
    func receive(_ reply: TerminalReply) -> ReplyEffect

    /// The strings that the terminal's special keys send.
    var keySequences: [[UInt8]: KeyPress] { get }

    /// Takes the terminal over. Also after ``close()``, to come back.
    func open() throws(TerminalError)

    /// Gives the terminal back as it was found.
    func close()

    /// Asks the terminal for its size again.
    func updateSize() -> SizeChange

    /// Whether a frame is still being written, which takes long where a large picture is in it.
    var isWriting: Bool { get }

    /// Prepares for a frame: a screen that is writing leaves out what is left of pictures that are not in it.
    ///
    /// - Returns: `.busy` where the frame has to wait for ``didBecomeReady``.
    func makeReady(for surface: Surface) -> Readiness

    /// Called when a screen that was busy has written everything.
    var didBecomeReady: (() -> Void)? { get set }

    /// Shows a frame with the cursor at a place, or without one.
    func present(_ surface: Surface, cursor: Point?)

    /// Forgets what is on the terminal: the next frame is painted whole.
    func invalidate()

    /// Writes bytes that draw nothing, e.g. text for the clipboard.
    func send(_ sequence: [UInt8])
}

/// Whether a screen can show a frame now.
public enum Readiness: Hashable, Sendable {
    case ready
    case busy
}

/// What the terminal says about its size.
public enum SizeChange {
    case changed
    case same
}

/// What an answer of the terminal has changed.
public enum ReplyEffect: Hashable, Sendable {
    case none
    /// ``Screen/pictures`` or ``Screen/colorDepth``.
    case changed
    /// ``Screen/background`` alone: no cell changes but in its colors.
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

/// Why a terminal cannot be used, as a sentence for the person at it.
public struct TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way, for programs to tell apart.
    public enum Code: Hashable, Sendable {
        /// Standard input or output is a file or a pipe.
        case notATerminal
        /// `TERM` is not set, or names a type nobody has described.
        case unknownType
        /// A terminal that cannot place its cursor.
        case tooSimple
        /// The system refused.
        case systemError(Int32)
    }

    /// The reason for programs; ``description`` has it for people.
    public let code: Code
    /// What is wrong and, where something helps, what to do.
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
