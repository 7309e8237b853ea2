extension Task where Failure == Never {
    /// The value of work that several callers share, or nil as soon as the calling task is cancelled.
    ///
    /// This task goes on for the others. ``value`` would hold a cancelled caller until it ends.
    func valueUnlessCancelled() async -> Success? {
        let (values, first) = AsyncStream.makeStream(of: Success.self)
        let waiting = Task<Void, Never> { first.yield(await value) }
        defer { waiting.cancel() }
        for await value in values { return value }
        return nil
    }
}
