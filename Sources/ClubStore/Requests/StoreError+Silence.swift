import CurlNetworking

extension StoreError {
    /// Why nothing came of an attempt to reach a server, for somebody who has just typed its address.
    package enum Silence: Hashable, Sendable {
        /// There is no such name.
        case unknownHost
        /// The machine is there, and nobody listens.
        case refused
        /// Somebody listens, and does not speak TLS.
        case noSecureConnection
    }

    /// Nil when it is not known, or when something answered.
    package var silence: Silence? {
        guard code == .offline, let error = underlying as? URLError else { return nil }
        return switch error.code {
        case .cannotFindHost, .dnsLookupFailed: .unknownHost
        case .cannotConnectToHost: .refused
        case .secureConnectionFailed: .noSecureConnection
        default: nil
        }
    }
}
