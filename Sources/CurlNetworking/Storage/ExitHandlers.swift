import Glibc
import Synchronization

/// Something that may have to be written before the process exits.
protocol HasLastWish: AnyObject, Sendable {
    func fulfilLastWish()
}

/// Asks everybody concerned when the process exits.
///
/// A program that ends right after its answer has come (`exit`, or the end of `main`) would otherwise
/// lose the cookies it came with.
enum ExitHandlers {
    private struct Owner: Sendable {
        weak var wisher: (any HasLastWish)?
    }

    private static let owners = Mutex<[Owner]>([])
    private static let handler: Int32 = atexit { ExitHandlers.fulfil() }

    static func add(_ wisher: any HasLastWish) {
        _ = handler
        owners.withLock { owners in
            owners.removeAll { $0.wisher == nil }
            owners.append(Owner(wisher: wisher))
        }
    }

    static func fulfil() {
        for owner in owners.withLock({ $0 }) { owner.wisher?.fulfilLastWish() }
    }
}
