internal import CByteClubMemory
internal import ClubStore

/// Gives memory back to the system at the moments when much of it has just become unused. Off the main actor: a large
/// text takes a millisecond.
enum ProcessMemory {
    /// Texts from this size on leave something worth returning.
    static let largeByteCount = 4 << 20

    /// The app has started: what only the start needs of the program and its libraries need not stay in memory.
    /// Further calls do nothing.
    @MainActor static func didStart() { _ = start }

    @MainActor private static let start: Void = {
        Task { await returnCode() }
        didShowScreen()
    }()

    /// A screen has opened: the code that only its opening needs is returned when it has been there for a moment.
    @MainActor static func didShowScreen() {
        settling?.cancel()
        settling = Task {
            guard (try? await Pause.sleep(for: .seconds(2))) != nil else { return }
            await returnCode()
        }
    }

    @MainActor private static var settling: Task<Void, Never>?

    /// Call when a large text is about to be released: the allocator would keep its pages.
    static func willRelease(byteCount: Int) {
        guard byteCount >= largeByteCount else { return }
        Task {
            // The screens that show it are released soon, not at once.
            try? await Pause.sleep(for: .milliseconds(500))
            await returnUnused()
        }
    }

    @concurrent private static func returnCode() async {
        byteclub_return_unused_memory()
        _ = byteclub_return_code_pages()
    }

    @concurrent private static func returnUnused() async { byteclub_return_unused_memory() }
}
