import ByteClub
import ClubStore
import Messages
import TextEditing

/// Files by the names that listings show, which can be typed where the names themselves cannot: one with a control
/// character is listed with `^A` in its place.
enum ShownName {
    /// The one file of a folder that is shown under a name.
    ///
    /// - Parameter isWithoutEnding: Whether a name is the typed one but for an ending that need not be said; both as they
    ///   are shown.
    /// - Returns: nil when there is none.
    /// - Throws: `CommandFailure` when there are several: none of them is guessed.
    static func find(
        _ typed: String, in folder: RemotePath, of club: any RemoteReading,
        orWithoutEnding isWithoutEnding: (_ name: String, _ typed: String) -> Bool
    ) async throws -> RemotePath? {
        let typed = VisibleText(typed).string
        let files: [(path: RemotePath, name: String)]
        do throws(StoreError) {
            files = try await club.list(folder, recursive: false).entries.compactMap(\.file).map {
                ($0.path, VisibleText($0.name).string)
            }
        } catch {
            guard error.code == .notFound || error.code == .wrongKind else { throw error }
            return nil
        }
        var matches = files.filter { $0.name == typed }
        if matches.isEmpty { matches = files.filter { isWithoutEnding($0.name, typed) } }
        guard matches.count < 2 else {
            let names = matches.map { "“\($0.name)”" }.joined(separator: ", ")
            throw CommandFailure(
                localized(
                    "“\(typed)” can mean several files: \(names). Nothing was done; say which one, or rename it in the app."
                ))
        }
        return matches.first?.path
    }
}
