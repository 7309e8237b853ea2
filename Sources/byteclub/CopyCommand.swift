import ArgumentParser
import ClubAccess
import ClubStore
import FoundationEssentials
import ByteClubMessages
import Synchronization

struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy an entire club into another one.",
        discussion: """
            Every file is verified: by the server's hash if it has one, else by reading it back. Nothing in the destination is replaced or removed: a file that \
            differs there is left alone, and listed at the end. After an interruption, run the same command \
            again: it resumes where it stopped.

            To move a club, copy it, then sign in to the new one: byteclub login.
            """)

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Option(
        help: ArgumentHelp("The club to copy.", valueName: "name"), completion: Proposals.clubs)
    var from: String

    @Option(
        help: ArgumentHelp("The club to copy into.", valueName: "name"), completion: Proposals.clubs
    )
    var to: String

    func validate() throws {
        try club.checkUnsaid()
        if from == to { throw ValidationError("“\(from)” cannot be copied into itself.") }
    }

    func run() async throws {
        Output.endsUnread.store(false, ordering: .relaxed)
        let registry = ClubRegistry()
        let settings = ClubOptions.settings(registry)
        let (source, destination) = try (
            ClubOptions.club(from, in: registry), ClubOptions.club(to, in: registry)
        )
        guard source.name != destination.name else {
            Output.complain(localized("“\(from)” and “\(to)” are the same club."))
            throw ExitCode(2)
        }
        do {
            if try registry.beginCopy(from: source, to: destination) == .busy {
                throw CommandFailure(
                    localized(
                        "Another byteclub is copying “\(source.name)” to “\(destination.name)” now. Let it "
                            + "end first."))
            }
        } catch let error as SettingsError {
            throw CommandFailure(error.description)
        }
        let result = try await Interruption.cancelling {
            try await copy(from: source, to: destination, registry, settings.transfers)
        }
        if result == .incomplete { throw ExitCode(1) }
    }

    private enum CopyResult {
        /// Everything was copied to the destination.
        case whole
        case incomplete
    }

    @MainActor private func copy(
        from source: ClubSettings, to destination: ClubSettings, _ registry: ClubRegistry,
        _ settings: TransferSettings
    ) async throws -> CopyResult {
        let log = CopyLog(from: source, to: destination)
        let stores = (try await open(source, registry), try await open(destination, registry))
        let changes = OwnChanges(in: destination, registry)
        let copy = ClubCopy(
            from: stores.0, to: stores.1,
            workingFolder: registry.copyFolder(from: source, to: destination),
            didWrite: { await changes.record($0) }
        ) { log.note($0) }
        copy.bytesPerSecondLimit = settings.bytesPerSecondLimit
        do throws(ClubCopy.Failure) {
            try await copy.run()
        } catch {
            if error.error.code == .cancelled {
                Output.endStatus()
                Output.complain(
                    localized(
                        "Stopped. What was copied stays; run the same command again to continue.")
                )
                throw error.error
            }
            log.summarize()
            throw CommandFailure(
                log.sentence(for: error)
                    + localized(" What was copied stays; run the same command again to continue."))
        }
        log.summarize()
        return log.isWhole ? .whole : .incomplete
    }

    private func open(_ club: ClubSettings, _ registry: ClubRegistry) async throws
        -> any RemoteStore
    {
        do throws(StoreError) {
            return try await ClubConnection.open(club, registry: registry)
        } catch {
            let sentence = ErrorMessage(error, club: club.kind)
            throw CommandFailure("“\(club.name)”: \(sentence.text)")
        }
    }
}

/// Shows the progress of a copy: one line per file, and the current one in the terminal's last line.
@MainActor private final class CopyLog {
    private let source: ClubSettings
    private let destination: ClubSettings
    private var copied = 0
    private var alreadyThere = 0
    private var leftAlone: [String] = []
    private var pace = ProgressInterval()

    init(from source: ClubSettings, to destination: ClubSettings) {
        self.source = source
        self.destination = destination
    }

    func note(_ event: ClubCopy.Event) {
        switch event {
        case .began(let count, let byteCount):
            Output.status(localized("\(count) entries, \(FileLines.size(byteCount))"))
        case .moving(let file, let byteCount, let isSending):
            guard pace.take() == .due else { return }
            Output.status(
                "\(file.path.string)  \(isSending ? "sending" : "fetching") "
                    + "\(FileLines.size(byteCount)) / \(FileLines.size(file.byteCount))")
        case .finished(let path, let outcome):
            finish(path.string, outcome)
        }
    }

    private func finish(_ path: String, _ outcome: ClubCopy.Outcome) {
        switch outcome {
        case .copied:
            copied += 1
            report(localized("copied         \(path)"))
        case .alreadyThere:
            alreadyThere += 1
        case .different:
            leftAlone.append(path)
            report(localized("left alone     \(path)  (another one is there)"))
        case .failed(let failure):
            leftAlone.append(path)
            report(localized("not copied     \(path)  (\(sentence(for: failure)))"))
        }
    }

    private func report(_ line: String) {
        Output.clearStatus()
        Output.line(line)
    }

    func sentence(for failure: ClubCopy.Failure) -> String {
        let club = failure.side == .source ? source : destination
        return "“\(club.name)”: \(ErrorMessage(failure.error, club: club.kind).text)"
    }

    /// Whether nothing was skipped.
    var isWhole: Bool { leftAlone.isEmpty }

    func summarize() {
        Output.clearStatus()
        var parts = [localized("\(copied) copied")]
        if alreadyThere > 0 { parts.append(localized("\(alreadyThere) already there")) }
        if !leftAlone.isEmpty { parts.append(localized("\(leftAlone.count) not copied")) }
        Output.line(parts.joined(separator: ", ") + ".")
    }
}
