internal import ClubStore
internal import ClubAccess
internal import FoundationEssentials

/// Completion of a folder's name for Tab: the longest common prefix of the matching folders.
@MainActor final class FolderCompletion {
    private var path = ""
    private var wanted = ""
    private var names: [String] = []

    /// Reads the folder that contains the typed name.
    func read(_ typed: String) async {
        let folder = Self.split(typed).folder
        wanted = folder
        guard folder != path else { return }
        let names = await Self.folders(in: folder)
        // A slow disk may respond late.
        guard folder == wanted else { return }
        (path, self.names) = (folder, names)
    }

    /// - Returns: nil if there is nothing to add.
    func completed(_ typed: String) -> String? {
        let (folder, name) = Self.split(typed)
        guard folder == path else { return nil }
        let shown = names.filter { !$0.hasPrefix(".") || name.hasPrefix(".") }
        guard let completed = TypedPath.completion(of: name, among: shown), completed != name,
            typed.hasSuffix(name)
        else { return nil }
        return typed.dropLast(name.count) + completed
    }

    private static func split(_ typed: String) -> (folder: String, name: String) {
        let current = FileManager.default.currentDirectoryPath
        let path = TypedPath.resolve(typed, in: current, home: TypedPath.home)
        if typed.hasSuffix("/") || typed.isEmpty { return (path, "") }
        let name = path.pathNames().last ?? ""
        return (PhotoFolder.parent(of: path), name)
    }

    /// Each name ends with a slash.
    @concurrent private nonisolated static func folders(in path: String) async -> [String] {
        let entries = (try? PhotoFolder.read(path))?.entries ?? []
        return entries.filter { $0.kind == .folder }.map { $0.name + "/" }
    }
}
