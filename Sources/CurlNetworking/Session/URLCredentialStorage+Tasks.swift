import Dispatch

// Apple's forms with a task.

extension URLCredentialStorage {
    /// Calls a handler, on the delegate queue of the task's session, with all credentials of a protection
    /// space by user name.
    public func getCredentials(
        for space: URLProtectionSpace, task: URLSessionTask,
        completionHandler: @escaping @Sendable ([String: URLCredential]?) -> Void
    ) {
        let found = credentials(for: space)
        task.session.callbackQueue.async { completionHandler(found) }
    }

    /// Calls a handler with the default credential for a protection space.
    public func getDefaultCredential(
        for space: URLProtectionSpace, task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLCredential?) -> Void
    ) {
        let found = defaultCredential(for: space)
        task.session.callbackQueue.async { completionHandler(found) }
    }

    /// Returns all credentials of a protection space by user name; nil if there are none.
    public func credentials(
        for space: URLProtectionSpace, task: URLSessionTask
    ) async -> [String: URLCredential]? {
        credentials(for: space)
    }

    /// Returns the default credential of a protection space.
    public func defaultCredential(
        for space: URLProtectionSpace, task: URLSessionTask
    ) async -> URLCredential? {
        defaultCredential(for: space)
    }

    /// Stores a credential for a protection space.
    public func set(
        _ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask
    ) {
        set(credential, for: space)
    }

    /// Stores a credential as the default of a protection space.
    public func setDefaultCredential(
        _ credential: URLCredential, for space: URLProtectionSpace, task: URLSessionTask
    ) {
        setDefaultCredential(credential, for: space)
    }

    /// Removes a credential of a protection space.
    public func remove(
        _ credential: URLCredential, for space: URLProtectionSpace,
        options: [String: any Sendable]?, task: URLSessionTask
    ) {
        remove(credential, for: space)
    }
}
