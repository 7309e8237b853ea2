extension Responder {
    /// Starts work that will change the screen: until it ends, the screen does not count as idle.
    ///
    /// Cancelled work must return soon for the same reason.
    @discardableResult
    public func startPending(_ body: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
        let application = application
        application?.beginActivity()
        return Task {
            await body()
            application?.endActivity()
        }
    }
}
