import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

/// The option that chooses transfers.
struct ChosenTransfers: ParsableArguments {
    @Argument(
        help:
            "Identifiers, as “byteclub transfers” lists them, or prefixes of them; or names of photos.",
        completion: Proposals.transfers
    )
    var ids: [String] = []

    @Flag(help: "All applicable transfers.")
    var all = false

    func validate() throws {
        if all == ids.isEmpty { return }
        throw ValidationError(
            all
                ? localized("Name transfers or say --all, not both.")
                : localized("Name the transfers, or say --all. “byteclub transfers” lists them."))
    }
}

/// A club's transfers for the commands, and the process that performs them.
struct Orders {
    let journal: TransferJournal
    private let carrier: CarrierProcess

    init(_ club: ClubOptions) throws {
        let registry = ClubRegistry()
        self.init(try club.choose(registry), registry)
    }

    init(_ club: ClubSettings, _ registry: ClubRegistry) {
        journal = TransferJournal(folder: registry.transfersFolder(of: club))
        carrier = CarrierProcess(club, registry: registry)
    }

    /// Adds transfers and starts the process.
    func add(_ orders: [TransferOrder]) async throws {
        do throws(TransferJournal.Failure) {
            try journal.write(orders)
        } catch {
            throw CommandFailure(error.description)
        }
        try await carryOut()
    }

    /// Changes the orders of transfers.
    ///
    /// - Parameters:
    ///   - isPossible: The command fails for a transfer for which this is false.
    ///   - isNeeded: Whether the order must change; otherwise only the process is started.
    func change(
        _ chosen: ChosenTransfers, if isPossible: (TransferItem) -> Bool,
        changing isNeeded: (TransferItem) -> Bool = { _ in true },
        refusal: (TransferItem) -> String = Self.refusal,
        _ change: (inout TransferOrder) -> Void
    ) async throws {
        try await self.change(
            chosen.ids, all: chosen.all, if: isPossible, changing: isNeeded, refusal: refusal,
            change)
    }

    /// - Parameter all: Those that it is possible with, instead of those named.
    func change(
        _ ids: [String], all: Bool = false, if isPossible: (TransferItem) -> Bool,
        changing isNeeded: (TransferItem) -> Bool = { _ in true },
        refusal: (TransferItem) -> String = Self.refusal,
        _ change: (inout TransferOrder) -> Void
    ) async throws {
        let items = journal.items()
        var chosen: Set<TransferItem.ID> = []
        for id in ids {
            let item = try Self.find(id, among: items, preferring: isPossible)
            guard isPossible(item) else {
                throw CommandFailure(refusal(item))
            }
            chosen.insert(item.id)
        }
        let targets = items.filter { all ? isPossible($0) : chosen.contains($0.id) }
        do throws(TransferJournal.Failure) {
            try journal.change(targets.filter(isNeeded).map(\.id), change)
        } catch {
            throw CommandFailure(error.description)
        }
        try await carryOut()
    }

    /// Finds a transfer by its identifier, the beginning of one, or the name of its photo, whose ending may be left off.
    ///
    /// - Parameter isPossible: Whether the command can be about it.
    static func find(
        _ word: String, among items: [TransferItem], preferring isPossible: (TransferItem) -> Bool
    ) throws(CommandFailure) -> TransferItem {
        if let item = items.first(where: { $0.id == word }) { return item }
        let exact = items.filter { $0.shownName == word || $0.id.hasPrefix(word) }
        let all =
            exact.isEmpty
            ? items.filter { PhotoName.isShortened(word, from: $0.shownName) } : exact
        let possible = all.filter(isPossible)
        let found = possible.isEmpty ? all : possible
        guard let item = found.first, !word.isEmpty else {
            throw CommandFailure(
                localized(
                    "There is no transfer “\(word)”. “byteclub transfers” lists them."))
        }
        guard found.count == 1 else {
            throw CommandFailure(
                localized(
                    "“\(word)” can be \(found.count) transfers. “byteclub transfers” lists their identifiers."
                ))
        }
        return item
    }

    static func refusal(_ item: TransferItem) -> String {
        localized("The transfer of “\(item.shownName)” is \(item.stateWord).")
    }

    /// Whether a process carries the transfers out now.
    var areCarried: Bool {
        get async { await carrier.isRunning() }
    }

    /// Starts the process for waiting transfers if it was killed.
    func takeUp() async {
        guard journal.items().contains(where: \.isWanted), await !carrier.isRunning() else {
            return
        }
        _ = await carrier.start()
    }

    private func carryOut() async throws {
        guard journal.items().contains(where: \.needsCarrier) else { return }
        guard let reason = await carrier.start() else { return }
        throw CommandFailure(
            localized(
                "The transfers are in the list, but their background program cannot be started: "
                    + "\(reason). They continue at the next start."
            ))
    }
}

extension TransferEvent {
    /// Writes the identifier of a queued transfer.
    static func write(queued order: TransferOrder, asJSON isJSON: Bool) {
        guard isJSON else {
            return Output.line(localized("\(order.id)  \(order.name)  continues in the background"))
        }
        TransferEvent(event: "queued", name: order.name, id: order.id).write()
    }
}
