internal import FoundationEssentials

/// What the lists of each club remember, as long as the program runs: who comes back to a club finds what
/// was deleted there, and nothing that is still being written is read.
@MainActor final class ListMemories {
    private var memories: [URL: ListMemory] = [:]

    /// The memory of the club whose folder this is.
    func memory(in folder: URL) -> ListMemory {
        if let known = memories[folder] { return known }
        let memory = ListMemory(folder: folder)
        memories[folder] = memory
        return memory
    }

    /// Returns when all is on disk.
    func finish() async {
        for memory in memories.values { await memory.finish() }
    }
}
