internal import ClubStore

/// The connection to a club's store, which is opened on demand.
@MainActor final class StoreLink {
    var connect: Club.Connect
    /// Nil until needed, and after a failure.
    var store: (any RemoteStore)?
    /// What other programs on this computer have confirmed, and no store knows yet.
    private var confirmed: [RemoteFile] = []
    /// The last store whose sign-in was rejected.
    private var refused: (any RemoteStore)?
    /// Counts reconnections: a store requested before the latest one is discarded.
    private var generation = 0

    init(connect: @escaping Club.Connect) {
        self.connect = connect
    }

    /// Opens the store again when it is needed next, with a sign-in that was rejected, too.
    func reset() {
        generation += 1
        store = nil
        refused = nil
    }

    /// The store, connected on demand.
    func openStore() async throws(StoreError) -> any RemoteStore {
        if let store { return store }
        let asked = generation
        let opened = try await connect(refused)
        if asked == generation { store = opened }
        await noteConfirmed([])
        return opened
    }

    /// Tells the store, now or when it is open, which files other programs on this computer have confirmed.
    func noteConfirmed(_ files: [RemoteFile]) async {
        confirmed += files
        guard let store, !confirmed.isEmpty else { return }
        let untold = confirmed
        confirmed = []
        await Self.tell(store, untold)
    }

    @concurrent private nonisolated static func tell(
        _ store: any RemoteStore, _ confirmed: [RemoteFile]
    ) async {
        for file in confirmed { store.noteConfirmed(file) }
    }

    /// Runs a call on the store. If the sign-in is rejected and a newer one exists, repeats it once with
    /// that.
    func ask<Value: Sendable>(
        _ call: (any RemoteStore) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let store = try await openStore()
        do throws(StoreError) {
            return try await call(store)
        } catch {
            guard error.code == .unauthorized, let newer = await openStore(inPlaceOf: store)
            else { throw error }
            return try await call(newer)
        }
    }

    /// Opens the store again after its sign-in was rejected: the user may have signed in since, perhaps in
    /// another program. A rejected sign-in is not used again.
    ///
    /// - Returns: Nil without a newer sign-in.
    private func openStore(inPlaceOf refused: any RemoteStore) async -> (any RemoteStore)? {
        self.refused = refused
        letGo(of: refused)
        if let opened = try? await openStore(), !Self.areSame(opened, refused) { return opened }
        // The next request tries again.
        letGo(of: refused)
        return nil
    }

    private func letGo(of refused: any RemoteStore) {
        if let store, Self.areSame(store, refused) { self.store = nil }
    }

    private static func areSame(_ one: any RemoteStore, _ other: any RemoteStore) -> Bool {
        (one as AnyObject) === (other as AnyObject)
    }
}
