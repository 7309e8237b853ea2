import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Glibc

/// What a shell's completion proposes: names that this computer knows. The Tab key asks no server and starts none.
///
/// Other members choose these names, and bash expands the words that it is given as it does a command line: names with
/// characters that mean something to a shell are never proposed.
enum Proposals {
    /// `plan.txt`, `drafts/plan.txt`.
    static let notes = CompletionKind.custom { arguments, _, prefix in
        safe(notes(arguments), beginningWith: prefix)
    }

    /// The notes, and what a note can be moved into.
    static let notesAndFolders = CompletionKind.custom { arguments, _, prefix in
        let notes = notes(arguments)
        let folders = Set(
            notes.compactMap { note in note.lastIndex(of: "/").map { note[...$0] } })
        return safe(notes + folders.map(String.init), beginningWith: prefix).sorted()
    }

    static let photos = CompletionKind.custom { arguments, _, prefix in
        safe(files(arguments, of: .photos).map(\.name), beginningWith: prefix).sorted()
    }

    static let clubs = CompletionKind.custom { _, _, prefix in
        let clubs = [ClubSettings.embedded] + ClubRegistry().settings().clubs
        return safe(clubs.map(\.name), beginningWith: prefix)
    }

    static let transfers = CompletionKind.custom { arguments, _, prefix in
        let registry = ClubRegistry()
        guard let club = club(arguments, in: registry) else { return [] }
        let items = TransferJournal(folder: registry.transfersFolder(of: club)).items()
        return safe(items.map(\.id), beginningWith: prefix)
    }

    /// The names that are the same to every shell, whatever it does with a word.
    static func safe(_ names: [String], beginningWith prefix: String) -> [String] {
        names.filter {
            // One that begins with a hyphen would be an option.
            $0.hasPrefix(prefix) && !$0.hasPrefix("-") && $0.unicodeScalars.allSatisfy(isPlain)
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_./+,@% ".unicodeScalars.contains(scalar)
        }
        // Letters, signs and accents of all scripts; no spaces, and nothing invisible.
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber, .otherNumber, .otherSymbol:
            true
        default: false
        }
    }

    private static func notes(_ arguments: [String]) -> [String] {
        files(arguments, of: .notes)
            .map { $0.path.components.joined(separator: "/") }.sorted()
    }

    /// The club that `--club` names in a command line, or the one opened last.
    private static func club(_ arguments: [String], in registry: ClubRegistry) -> ClubSettings? {
        let option = arguments.lastIndex(of: "--club").map { $0 + 1 }
        let joined = arguments.last { $0.hasPrefix("--club=") }?.dropFirst("--club=".count)
        let name =
            joined.map(String.init)
            ?? option.flatMap { arguments.indices.contains($0) ? arguments[$0] : nil }
        return try? registry.club(named: name)
    }

    private static func files(_ arguments: [String], of kind: FileKind) -> [RemoteFile] {
        let registry = ClubRegistry()
        guard let club = club(arguments, in: registry) else { return [] }
        // The folder of the embedded club is here, also if no screen has ever shown it.
        let entries =
            club.place == .embedded
            ? entries(inFolder: Paths().clubFolder)
            : LocalCopy(existingIn: registry.libraryFolder(of: club))
                .flatMap { try? KeptFiles(of: $0) }?.all ?? []
        return entries.compactMap { entry in
            guard case .file(let file) = entry, ClubContents.kind(of: file) == kind else {
                return nil
            }
            return file
        }
    }

    private static func entries(inFolder folder: URL) -> [RemoteEntry] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { name in
            var status = stat()
            guard lstat(folder.path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                let path = try? RemotePath(validating: "/" + name)
            else { return nil }
            return .file(
                RemoteFile(
                    path: path, revision: Revision(rawValue: ""), byteCount: Int64(status.st_size),
                    modified: Date()))
        }
    }
}
