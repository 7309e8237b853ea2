import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

/// Background uploads and downloads, of the screen and of `photos put|get --background`.
struct TransfersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers",
        abstract: "List, pause, resume and cancel transfers in the background.",
        discussion: """
            They run in a separate process, which continues when the screen is closed; the next start of \
            Byte Club resumes interrupted transfers. A transfer that cannot reach the club waits, and is \
            retried automatically.
            """,
        subcommands: [
            List.self, Pause.self, Resume.self, Cancel.self, Retry.self, Next.self, Limit.self,
            Clear.self, Run.self,
        ],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the transfers, the oldest first.",
            discussion: """
                With --json: an array of objects with id, name, direction (upload or download), state \
                (waiting, preparing, running, paused, done, failed or cancelled), bytes, total, speed (bytes a \
                second), path (in the club; of an upload, its destination until it is done), file (on this computer), reason, nextAttempt and created (ISO \
                8601, UTC).
                """)

        @OptionGroup var club: ClubOptions

        @Flag(help: "Write JSON.")
        var json = false

        func run() async throws {
            let orders = try Orders(club)
            let areCarried = await orders.areCarried
            let all = orders.journal.items()
            // Nothing moves that nobody carries, whatever was written before the process was killed.
            let items = areCarried ? all : all.map(\.uncarried)
            // What an earlier run has left goes on, as the page above promises.
            await orders.takeUp()
            if json { return try Output.json(items.map(Row.init)) }
            let now = Date()
            Output.table(
                items.map {
                    [$0.id, "\($0.arrow) \($0.shownName)", $0.stateWord, $0.words(at: now)]
                }, shortening: 1)
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause",
            abstract: "Pause transfers; the bytes transferred so far are kept.")

        @OptionGroup var club: ClubOptions
        @OptionGroup var chosen: ChosenTransfers

        func run() async throws {
            try await Orders(club).change(
                chosen, if: \.canPause,
                refusal: { item in
                    item.state == .paused
                        ? localized("“\(item.shownName)” is paused already.")
                        : Orders.refusal(item)
                }
            ) { $0.intent = .pause }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume",
            abstract: "Resume transfers that are paused, cancelled or failed.",
            discussion: "They continue where they stopped, if the club supports that.")

        @OptionGroup var club: ClubOptions
        @OptionGroup var chosen: ChosenTransfers

        func run() async throws {
            try await Orders(club).change(chosen, if: \.canResume) { $0.askAgain() }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Retry transfers now that have failed or wait for the next attempt.",
            discussion: """
                Active transfers continue; finished ones are not changed. With --all, neither are those that are paused \
                or cancelled: name them.
                """)

        @OptionGroup var club: ClubOptions
        @OptionGroup var chosen: ChosenTransfers

        func run() async throws {
            // What was stopped on purpose starts again only by its name.
            try await Orders(club).change(
                chosen, if: { chosen.all ? $0.isTriedAgain : $0.state != .done },
                changing: \.canTryAgain
            ) { $0.askAgain() }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "Cancel transfers. They can be resumed until cleared.")

        @OptionGroup var club: ClubOptions
        @OptionGroup var chosen: ChosenTransfers

        func run() async throws {
            try await Orders(club).change(chosen, if: \.canCancel) { $0.intent = .cancel }
        }
    }

    struct Next: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "next", abstract: "Start a waiting transfer before the others.",
            discussion: """
                Active transfers continue; it starts as soon as one of them ends. Several transfers start in the \
                given order.
                """)

        @OptionGroup var club: ClubOptions

        @Argument(
            help: "Identifiers, as “byteclub transfers” lists them.",
            completion: Proposals.transfers)
        var ids: [String]

        func run() async throws {
            let orders = try Orders(club)
            for id in ids.reversed() {
                let first = orders.journal.items().firstPrecedence
                try await orders.change([id], if: \.canGoFirst) { $0.precedence = first }
            }
        }
    }

    struct Limit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "limit", abstract: "Limit the speed of transfers, also while they run.")

        @OptionGroup var club: ClubOptions

        @Argument(
            help: "Maximum bytes per second: 500K, 4M; or none.",
            transform: { argument in
                guard let limit = RateLimit(argument: argument) else {
                    throw ValidationError("Rates are bytes a second: 500K, 4M; or none.")
                }
                return limit
            })
        var rate: RateLimit

        @OptionGroup var chosen: ChosenTransfers

        func run() async throws {
            let limit = rate.bytesPerSecond
            try await Orders(club).change(chosen, if: \.canCancel) {
                $0.bytesPerSecondLimit = limit
            }
        }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Forget the transfers that are done, failed or cancelled.",
            discussion: "The partial files of unfinished downloads are removed.")

        @OptionGroup var club: ClubOptions

        func run() throws {
            let journal = try Orders(club).journal
            for item in journal.items() where item.isFinished { journal.clear(item) }
        }
    }

    /// Is the process that carries the transfers out.
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Carry out the transfers.", shouldDisplay: false)

        @OptionGroup var club: ClubOptions

        func run() async throws {
            ProcessPriority.yieldToScreens()
            let registry = ClubRegistry()
            let settings = try ClubOptions.club(club.name, in: registry)
            let journal = TransferJournal(folder: registry.transfersFolder(of: settings))
            let waits = registry.settings().transfers.waitsOnMeteredNetworks
            let means = TransferCarrier.Means(
                club: settings.kind, changes: OwnChanges(in: settings, registry),
                slotCount: { registry.settings().transfers.atOnce }
            ) { () throws(StoreError) in
                try await ClubConnection.open(
                    settings, registry: registry, avoidsMeteredNetworks: waits,
                    uploadsAtOnce: TransferSettings.countsAtOnce.upperBound)
            }
            await CarrierProcess.carry(journal, means: means)
        }
    }

    /// A line of `ls --json`. These fields stay as they are.
    private struct Row: Encodable {
        var id, name, direction, state: String
        var bytes, total: Int64
        var speed: Double?
        var path, file: String
        var reason, nextAttempt: String?
        var created: String

        init(_ item: TransferItem) {
            id = item.id
            name = item.shownName
            direction = item.order.direction.rawValue
            state = item.isRetrying ? "waiting" : item.state.rawValue
            (bytes, total) = (item.status.byteCount, item.status.totalByteCount)
            speed = item.status.bytesPerSecond.map { $0.rounded() }
            path = item.status.path ?? item.order.path
            file = item.order.file
            reason = item.reason ?? item.retrySentence
            nextAttempt = item.status.nextAttempt?.formatted(.iso8601)
            created = item.order.created.formatted(.iso8601)
        }
    }
}
