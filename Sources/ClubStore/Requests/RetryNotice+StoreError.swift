import CurlNetworking

extension StoreError {
    /// Whether no connection could be made, as in ``RetryNotice/Reason/unreachable``.
    package var isUnreachable: Bool {
        guard code == .offline, let error = underlying as? URLError else { return false }
        return HTTPLoader.Failure.transport(error).retryable == .unreachable
    }
}
