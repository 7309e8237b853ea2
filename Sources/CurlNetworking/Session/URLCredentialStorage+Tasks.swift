import Dispatch

// With a task, as Apple has them.

extension URLCredentialStorage {
    /// Calls back on the delegate queue of the task's session.
    public func getCredentials(
        for space: URLProtectionSpace, task: URLSessionTask,
        completionHandler: @escaping @Sendable ([String: URLCredential]?) -> Void
    ) {
        let found = credentials(for: space)
        task.session.callbackQueue.async { completionHandler(found) }
    }

    /// Hands over the default credential for a task's space.
    public func getDefaultCredential(
        for space: URLProtectionSpace, task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLCredential?) -> Void
    ) {
        let found = defaultCredential(for: space)
        task.session.callbackQueue.async { completionHandler(found) }
    }

    /// All credentials of a task's space by user name; nil when there are none.
    public func credentials(
        for space: URLProtectionSpace, task: URLSessionTask
    ) async -> [String: URLCredential]? {
        credentials(for: space)
    }

    /// The default credential of a task's space.
    public func defaultCredential(
        for space: URLProtectionSpace, task: URLSessionTask
    ) async -> URLCredential? {
        defaultCredential(for: space)
    }

    /// Keeps a credential for a task's space.
    public func set(
        _ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask
    ) {
        set(credential, for: space)
    }

    /// Makes a credential the default of a task's space.
    public func setDefaultCredential(
        _ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask
    ) {
        setDefaultCredential(credential, for: space)
    }

    /// Forgets a credential of a task's space.
    public func remove(
        _ credential: URLCredential, for space: URLProtectionSpace,
        options: [String: any Sendable]?, task: URLSessionTask
    ) {
        remove(credential, for: space)
    }
}
