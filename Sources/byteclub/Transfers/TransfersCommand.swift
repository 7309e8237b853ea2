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
            any Byte Club goes on with what was interrupted. A transfer that cannot reach the club waits \
            and tries again by itself.
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
                second), path (in the club; where an upload is to go, until it is done), file (on this computer), reason, nextAttempt and created (ISO \
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
            abstract: "Stop transfers for now; what has moved is kept.")

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
            abstract: "Go on with transfers that are paused, cancelled or failed.",
            discussion: "They continue where they stopped, as far as the club allows it.")

        @OptionGroup var club: ClubOptions
        @OptionGroup var chosen: ChosenTransfers

        func run() async throws {
            try await Orders(club).change(chosen, if: \.canResume) { $0.askAgain() }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Try again now what has failed or waits for the next attempt.",
            discussion: "What is on its way already goes on; what is done stays as it is.")

        @OptionGroup var club: ClubOptions
        @OptionGroup var chosen: ChosenTransfers

        func run() async throws {
            try await Orders(club).change(
                chosen, if: { $0.state != .done }, changing: \.canTryAgain
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
            commandName: "next", abstract: "Begin a waiting transfer before the others.",
            discussion: """
                What is on its way goes on: it begins as soon as one of these has ended. Of several the one named \
                first is the first.
                """)

        @OptionGroup var club: ClubOptions

        @Argument(
            help: "Their names, as “byteclub transfers” lists them.",
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
            commandName: "limit", abstract: "Change how fast transfers may be, while they run too.")

        @OptionGroup var club: ClubOptions

        @Argument(
            help: "At most so many bytes a second: 500K, 4M; or none.",
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
            discussion: "What has arrived of an unfinished download is removed.")

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
