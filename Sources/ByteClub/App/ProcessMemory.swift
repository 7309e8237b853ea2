internal import CByteClubMemory
internal import ClubStore

/// Gives memory back to the system at the moments when much of it has just become unused. Off the main actor: a large
/// text takes a millisecond.
enum ProcessMemory {
    /// Texts from this size on leave something worth returning.
    static let largeByteCount = 4 << 20

    /// The app has started: what only the start needs of the program and its libraries need not stay in memory.
    /// Further calls do nothing.
    static func didStart() { _ = start }

    private static let start: Void = { Task { await returnCode() } }()

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
