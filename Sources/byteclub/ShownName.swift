import ClubStore
import ByteClubMessages
import TextEditing

/// Finds files by the names that listings show, which can be typed even if the actual names cannot: a control
/// character is shown as `^A`.
enum ShownName {
    /// The one file of a folder that is shown under a name.
    ///
    /// - Parameter isWithoutEnding: Whether a name, as it is or as it is shown, is the typed one but for an ending that can be
    ///   left off.
    /// - Returns: nil when there is none.
    /// - Throws: `CommandFailure` when there are several: none of them is guessed.
    static func find(
        _ typed: String, in folder: RemotePath, of club: any RemoteReading,
        orWithoutEnding isWithoutEnding: (_ name: String, _ typed: String) -> Bool
    ) async throws -> RemotePath? {
        let files = try await files(in: folder, of: club).map {
            (path: $0.path, name: $0.name, shown: VisibleText($0.name).string)
        }
        var matches = files.filter { $0.name == typed || $0.shown == typed }
        if matches.isEmpty {
            matches = files.filter {
                isWithoutEnding($0.name, typed) || isWithoutEnding($0.shown, typed)
            }
        }
        guard matches.count < 2 else {
            throw CommandFailure(several: matches.map(\.shown), for: typed)
        }
        return matches.first?.path
    }

    /// The one name in a folder that is nearly the typed one, as it is shown.
    static func near(
        _ typed: String, in folder: RemotePath, of club: any RemoteReading
    ) async throws -> String? {
        let word = Array(typed.lowercased())
        let near = try await files(in: folder, of: club).map { VisibleText($0.name).string }.filter
        {
            let name = $0.lowercased()
            let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
            return Suggestion.isNear(word, Array(name)) || Suggestion.isNear(word, Array(stem))
        }
        return near.count == 1 ? near.first : nil
    }

    private static func files(
        in folder: RemotePath, of club: any RemoteReading
    ) async throws(StoreError) -> [RemoteFile] {
        do throws(StoreError) {
            return try await club.list(folder, recursive: false).entries.compactMap(\.file)
        } catch {
            guard error.code == .notFound || error.code == .wrongKind else { throw error }
            return []
        }
    }
}

extension CommandFailure {
    /// The name is ambiguous.
    init(several names: [String], for typed: String) {
        let list = names.map { "“\($0)”" }.joined(separator: ", ")
        self.init(
            localized(
                "“\(typed)” can mean several files: \(list). Nothing was done; say which one, or rename it in the app."
            ))
    }
}
