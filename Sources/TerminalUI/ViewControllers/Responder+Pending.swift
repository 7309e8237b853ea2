extension Responder {
    /// Starts work whose end will change the screen: until then the screen does not count as settled.
    ///
    /// Cancelled work must return soon, or the screen will not settle either.
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
