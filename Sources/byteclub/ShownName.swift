import ByteClub
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
        let files: [(path: RemotePath, name: String, shown: String)]
        do throws(StoreError) {
            files = try await club.list(folder, recursive: false).entries.compactMap(\.file).map {
                ($0.path, $0.name, VisibleText($0.name).string)
            }
        } catch {
            guard error.code == .notFound || error.code == .wrongKind else { throw error }
            return nil
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
