import ArgumentParser
import ByteClub
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Messages

/// Which transfers a command is about.
struct ChosenTransfers: ParsableArguments {
    @Argument(help: "Their names, as “byteclub transfers” lists them.")
    var ids: [String] = []

    @Flag(help: "All that it can be done with.")
    var all = false

    func validate() throws {
        if all == ids.isEmpty { return }
        throw ValidationError(
            all
                ? localized("Name transfers or say --all, not both.")
                : localized("Name the transfers, or say --all. “byteclub transfers” lists them."))
    }
}

/// A club's transfers for the commands, and the process that carries them out.
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

    /// Orders transfers, and has them carried out.
    func add(_ orders: [TransferOrder]) async throws {
        do throws(TransferJournal.Failure) {
            try journal.write(orders)
        } catch {
            throw CommandFailure(error.description)
        }
        try await carryOut()
    }

    /// Changes what is wanted of some transfers.
    ///
    /// - Parameters:
    ///   - isPossible: What is asked for that it is not possible with fails the command.
    ///   - isNeeded: What needs no change is only carried out.
    func change(
        _ chosen: ChosenTransfers, if isPossible: (TransferItem) -> Bool,
        changing isNeeded: (TransferItem) -> Bool = { _ in true },
        _ change: (inout TransferOrder) -> Void
    ) async throws {
        let items = journal.items()
        for id in chosen.ids {
            guard let item = items.first(where: { $0.id == id }) else {
                throw CommandFailure(
                    localized(
                        "There is no transfer “\(id)”. “byteclub transfers” lists those there are.")
                )
            }
            guard isPossible(item) else {
                throw CommandFailure(
                    localized("The transfer of “\(item.shownName)” is \(item.stateWord)."))
            }
        }
        let targets = items.filter { chosen.all ? isPossible($0) : chosen.ids.contains($0.id) }
        do throws(TransferJournal.Failure) {
            try journal.change(targets.filter(isNeeded).map(\.id), change)
        } catch {
            throw CommandFailure(error.description)
        }
        try await carryOut()
    }

    /// Has carried out what waits though nobody carries it out: its process was killed.
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
                    + "\(reason). They go on at the next start."))
    }
}

extension TransferEvent {
    /// Says under which name a transfer is in the list.
    static func write(queued order: TransferOrder, asJSON isJSON: Bool) {
        guard isJSON else {
            return Output.line(localized("\(order.id)  \(order.name)  is left to the background"))
        }
        TransferEvent(event: "queued", name: order.name, id: order.id).write()
    }
}
