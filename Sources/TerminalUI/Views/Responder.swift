/// The base of everything that handles keys: views, view controllers, the application.
///
/// A key goes to the first responder, then along ``next``: its superviews, its view controller, the parent's
/// views and so on up to the application. For each, ``keyTable`` is checked first and then ``keyDown(_:)`` is
/// called, until one handles the key.
@MainActor
open class Responder {
    /// A responder without key commands and next responder, until a subclass overrides those.
    public init() {}

    /// The next responder; nil ends the chain.
    open var next: Responder? { nil }

    /// The key commands, computed at each call.
    open var keyTable: KeyTable { KeyTable() }

    /// A number that changes whenever the entries, labels or reasons of ``keyTable`` change, so that the
    /// footer need not compute the table for each frame; nil if unknown.
    open var keyTableSignature: Int? { nil }

    /// Handles a key that is in no table, e.g. text input. Returns whether it was handled.
    open func keyDown(_ press: KeyPress) -> Bool { false }

    /// Whether ``keyDown(_:)`` inserts characters: outer contexts cannot use them as keys then, and neither
    /// the footer nor the menu shows them.
    open var acceptsText: Bool { false }

    /// Handles pasted text. Returns whether it was handled.
    open func paste(_ text: String) -> Bool { false }

    /// The application whose screen this is on.
    open var application: Application? { next?.application }
}

extension Responder {
    /// This responder and all following ones.
    public var chain: [Responder] {
        var result: [Responder] = []
        var responder: Responder? = self
        while let current = responder {
            result.append(current)
            responder = current.next
        }
        return result
    }
}
