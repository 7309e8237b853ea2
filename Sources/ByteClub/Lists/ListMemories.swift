internal import FoundationEssentials

/// The list memories of all clubs, for the life of the program: returning to a club finds its deletions, and
/// a file is never read while it is being written.
@MainActor final class ListMemories {
    private var memories: [URL: ListMemory] = [:]

    /// The memory of the club with this folder.
    func memory(in folder: URL) -> ListMemory {
        if let known = memories[folder] { return known }
        let memory = ListMemory(folder: folder)
        memories[folder] = memory
        return memory
    }

    /// Returns when everything is on disk.
    func finish() async {
        for memory in memories.values { await memory.finish() }
    }
}
