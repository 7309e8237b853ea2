import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

/// Changes made while the club was unreachable.
struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List, send or take back pending changes.",
        subcommands: [List.self, Send.self, TakeBack.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List pending changes, in the order they are sent.",
            discussion: """
                With --json: an array of objects with id, action (write, move or delete), path, destination, \
                size (bytes), date (of the change; ISO 8601, UTC), attempts and problem.
                """)

        @OptionGroup var club: ClubOptions

        @Flag(help: "Write JSON.")
        var json = false

        func run() throws {
            let copy = try OutboxCommand.copy(club)
            let changes = try copy.waitingChanges()
            if json { return try Output.json(changes.map(Row.init)) }
            Output.table(
                changes.map { change in
                    ["\(change.id)", change.words, change.problem ?? localized("waiting")]
                })
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send", abstract: "Send pending changes without opening the app.",
            discussion: """
                Refused changes are retried. The exit status is 1 while any change is still pending.
                """)

        @OptionGroup var club: ClubOptions

        func run() async throws {
            let registry = ClubRegistry()
            let club = try club.choose(registry)
            let copy = try OutboxCommand.copy(of: club, registry)
            guard try !copy.waitingChanges().isEmpty else {
                return Output.notice(localized("Nothing waits for the club."))
            }
            try copy.clearProblems()
            let store = try await ClubOptions.open(club, registry)
            let sender = OutboxSender(copy, to: store) { CommandFailure.words(for: $0).text }
            let outcome = try await sender.run({ event in Output.line(event.line) })
            if case .sentElsewhere = outcome {
                throw CommandFailure(
                    localized("Another Byte Club is sending them at this moment."))
            }
            guard try copy.waitingChanges().isEmpty else {
                throw CommandFailure(
                    localized("Not everything was sent: byteclub outbox says why."))
            }
        }
    }

    struct TakeBack: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "take-back",
            abstract: "Take back a change, with those that build on it.",
            discussion:
                "Its text stays among the note's versions; the text of a new note goes to the trash."
        )

        @OptionGroup var club: ClubOptions

        @Argument(help: "The number of the change, as “byteclub outbox” lists it.")
        var id: Int64

        func run() throws {
            let copy = try OutboxCommand.copy(club)
            do {
                for change in try copy.takeBack(id) {
                    Output.line(localized("Taken back: \(change.words)"))
                }
            } catch let error as LibraryError {
                throw CommandFailure(error.description)
            }
        }
    }

    private static func copy(_ club: ClubOptions) throws -> LocalCopy {
        let registry = ClubRegistry()
        return try copy(of: try club.choose(registry), registry)
    }

    private static func copy(of club: ClubSettings, _ registry: ClubRegistry) throws -> LocalCopy {
        let copy = LocalCopy(folder: registry.libraryFolder(of: club))
        if let notice = copy.takeNotice() { Output.complain(notice) }
        return copy
    }

    private struct Row: Encodable {
        var id: Int64
        var action: String
        var path: String
        var destination: String?
        var size: Int64
        var date: String
        var attempts: Int
        var problem: String?

        init(_ change: WaitingChange) {
            id = change.id
            path = change.path.string
            size = change.byteCount
            date = change.date.formatted(.iso8601)
            attempts = change.attempts
            problem = change.problem
            switch change.action {
            case .write: action = "write"
            case .move(let to): (action, destination) = ("move", to.string)
            case .delete: action = "delete"
            }
        }
    }
}

extension SyncEvent {
    /// The result of a change, in a line.
    var line: String {
        switch self {
        case .sent(let change, _): localized("Sent: \(change.words)")
        case .refused(let change, _):
            localized(
                "The club refused a change of “\(change.path.name)”: byteclub outbox shows why.")
        default: sentence ?? ""
        }
    }
}
