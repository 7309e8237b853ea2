/// Something that can be asked what a key does: views, view controllers, the application.
///
/// A key goes to the first responder, then along ``next``: its superviews, its view controller,
/// the parent's views and so on up to the application. Each is asked for its ``keyTable`` first and
/// then through ``keyDown(_:)``; the first to know the key ends the journey.
@MainActor
open class Responder {
    /// A responder without keys and without a next one, until a subclass overrides those.
    public init() {}

    /// Who is asked next; nil ends the chain.
    open var next: Responder? { nil }

    /// What the keys do here, computed at each call.
    open var keyTable: KeyTable { KeyTable() }

    /// A number that is another one whenever ``keyTable`` has other entries, labels or reasons than before, so
    /// that the footer need not ask for the table at each frame; nil where that is not known.
    open var keyTableSignature: Int? { nil }

    /// Takes a key that stands in no table, e.g. to write it. Returns whether it was used.
    open func keyDown(_ press: KeyPress) -> Bool { false }

    /// Whether ``keyDown(_:)`` writes characters: contexts farther away cannot have them as keys
    /// then, and neither footer nor menu says so.
    open var acceptsText: Bool { false }

    /// Takes pasted text. Returns whether it was used.
    open func paste(_ text: String) -> Bool { false }

    /// The application this is on the screen of.
    open var application: Application? { next?.application }
}

extension Responder {
    /// This responder and those after it.
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
