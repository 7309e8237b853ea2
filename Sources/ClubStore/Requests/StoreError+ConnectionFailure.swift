import CurlNetworking

extension StoreError {
    /// Why a connection failed, for a user who has just typed the address.
    package enum ConnectionFailure: Hashable, Sendable {
        /// The host name cannot be resolved.
        case unknownHost
        /// The host refuses the connection.
        case refused
        /// The server does not speak TLS.
        case noSecureConnection
        /// The server closes the connection without a response.
        case noAnswer
        /// The network is metered, and is not to be used therefore.
        case metered
        /// A proxy failed; the reason, worded for the middle of a sentence.
        case proxy(String)
    }

    /// Nil when the cause is unknown, or when there was a response.
    package var connectionFailure: ConnectionFailure? {
        guard code == .offline, let error = underlying as? URLError else { return nil }
        if let trouble = error.proxyTrouble { return .proxy(trouble) }
        return switch error.code {
        case .cannotFindHost, .dnsLookupFailed: .unknownHost
        case .cannotConnectToHost: .refused
        case .secureConnectionFailed: .noSecureConnection
        case .networkConnectionLost: .noAnswer
        case .dataNotAllowed: .metered
        default: nil
        }
    }
}
