import CurlNetworking

extension StoreError {
    /// Why nothing came of an attempt to reach a server, for somebody who has just typed its address.
    package enum ConnectionFailure: Hashable, Sendable {
        /// There is no such name.
        case unknownHost
        /// The machine is there, and nobody listens.
        case refused
        /// Somebody listens, and does not speak TLS.
        case noSecureConnection
        /// Somebody listens, and ends the connection without an answer.
        case noAnswer
        /// A proxy stands in between: what is the matter with it, as the middle of a sentence.
        case proxy(String)
    }

    /// Nil when it is not known, or when something answered.
    package var silence: ConnectionFailure? {
        guard code == .offline, let error = underlying as? URLError else { return nil }
        if let trouble = error.proxyTrouble { return .proxy(trouble) }
        return switch error.code {
        case .cannotFindHost, .dnsLookupFailed: .unknownHost
        case .cannotConnectToHost: .refused
        case .secureConnectionFailed: .noSecureConnection
        case .networkConnectionLost: .noAnswer
        default: nil
        }
    }
}
