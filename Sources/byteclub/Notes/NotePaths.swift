import ClubAccess
import ClubLibrary
import ClubStore
import ByteClubMessages

/// Finds notes by their names on the command line.
enum NotePaths {
    /// The path for a note's name: `plan` is `/plan.txt`, `drafts/plan` is in a folder.
    ///
    /// - Parameter old: The note's current name, whose extension is kept if none is given.
    static func new(_ name: String, renaming old: String? = nil) throws -> RemotePath {
        var names = name.pathNames()
        guard let last = names.popLast() else {
            throw CommandFailure(localized("The note needs a name."))
        }
        guard !name.hasSuffix("/") else {
            throw CommandFailure(
                localized(
                    "“\(name)” ends as a folder's name does. Name a note in it, as in \(name)plan.")
            )
        }
        var path = try folder(names.joined(separator: "/"))
        try requireName(last)
        do {
            let name = try old.map { try NoteName(last, renaming: $0) } ?? NoteName(last)
            path = try path.appending(newName: name.fileName)
        } catch let refusal as NoteName.Refusal {
            throw CommandFailure(refusal.description)
        }
        return path
    }

    /// The folder of a path such as `drafts/2026`; the root for an empty one, and for `/`.
    static func folder(_ name: String) throws -> RemotePath {
        var path = RemotePath.root
        for name in name.pathNames() {
            try requireName(name)
            do {
                path = try path.appending(
                    newName: try NoteName(name, addsExtension: false).fileName)
            } catch let refusal as NoteName.Refusal {
                throw CommandFailure(refusal.description)
            }
        }
        return path
    }

    private static func requireName(_ name: String) throws {
        guard name != ".", name != ".." else {
            throw CommandFailure(
                localized(
                    "“\(name)” is not a valid name here. Paths start at the club's folder, as in "
                        + "drafts/plan."))
        }
    }

    /// - Throws: `CommandFailure` for a note that neither tab would show.
    static func requireNotePath(_ path: RemotePath) throws {
        guard !ClubContents.isInPhotosFolder(path) else {
            throw CommandFailure(
                ClubContents.photosFolderRefusal + localized(" Nothing was changed."))
        }
    }

    /// Calls `body` with the note of this exact name; else with the name and the extension: `plan` may be a
    /// folder beside `plan.txt`; else with the note that listings show under this name.
    ///
    /// - Parameters:
    ///   - guessesExtension: Whether `plan` may be `plan.md`, too, where that is the only such note. For
    ///     reading alone: what changes a note changes none that was not named.
    ///   - copy: Where removed notes are looked for, too; nil for commands about those that are there.
    static func with<Value>(
        _ name: String, in club: any RemoteReading, guessesExtension: Bool = false,
        removedIn copy: LocalCopy? = nil,
        _ body: (RemotePath) async throws(StoreError) -> Value
    ) async throws -> Value {
        let first: StoreError
        do throws(StoreError) {
            return try await body(try RemotePath(validating: name))
        } catch {
            guard [.notFound, .nameNotAllowed, .wrongKind].contains(error.code) else { throw error }
            first = error
        }
        do {
            return try await body(try new(name))
        } catch let error as StoreError where error.code == .notFound {
            if let shown = try await shown(name, in: club, guessesExtension) {
                return try await body(shown)
            }
            if let removed = removed(name, in: copy) { return try await body(removed) }
            if first.code == .wrongKind {
                throw CommandFailure(folder: name.pathNames())
            }
            throw CommandFailure(
                localized("There is no note “\(name)” in the club.")
                    + (try await suggestion(for: name, in: club)))
        } catch let refusal as CommandFailure {
            let other = try await shown(name, in: club, guessesExtension) ?? removed(name, in: copy)
            guard let other else { throw refusal }
            return try await body(other)
        }
    }

    /// The note that was removed last under a name that looks the same: a server may keep names decomposed.
    private static func removed(_ name: String, in copy: LocalCopy?) -> RemotePath? {
        // Strings are equal in whichever normalization form; paths are not.
        let names = [name, name + ".txt"].compactMap { try? RemotePath(validating: $0).string }
        return (try? copy?.trash())?.map(\.file.path).first { names.contains($0.string) }
    }

    /// The note that listings show under this name.
    private static func shown(
        _ name: String, in club: any RemoteReading, _ guessesExtension: Bool
    ) async throws -> RemotePath? {
        guard let (folder, last) = parts(of: name) else { return nil }
        let isForPhotos = ClubContents.isInPhotosFolder(try folder.appending("a"))
        let guesses = guessesExtension && !isForPhotos
        return try await ShownName.find(last, in: folder, of: club) { name, typed in
            name == typed + ".txt" || guesses && NoteName.isName(name, withoutExtension: typed)
        }
    }

    /// ` Did you mean “plan.txt”?`, for the one note in the same folder whose name is nearly this; or nothing.
    private static func suggestion(
        for name: String, in club: any RemoteReading
    ) async throws -> String {
        guard let (folder, last) = parts(of: name),
            let near = try await ShownName.near(last, in: folder, of: club)
        else { return "" }
        let path = (folder.components + [near]).joined(separator: "/")
        return " " + localized("Did you mean “\(path)”?")
    }

    private static func parts(of name: String) -> (folder: RemotePath, last: String)? {
        let names = name.pathNames(keepsEmpty: true)
        guard let last = names.last, !last.isEmpty,
            let folder = try? RemotePath(validating: names.dropLast().joined(separator: "/"))
        else { return nil }
        return (folder, last)
    }

    /// The metadata of a named note.
    static func find(_ name: String, in store: any RemoteReading) async throws -> RemoteFile {
        try await with(name, in: store) { path throws(StoreError) in
            try await store.metadata(of: path)
        }
    }
}

extension CommandFailure {
    /// A folder was named instead of a note.
    init(folder names: [String]) {
        let name = names.joined(separator: "/")
        self.init(localized("“\(name)” is a folder. Name a note in it, as in \(name)/plan."))
    }
}
