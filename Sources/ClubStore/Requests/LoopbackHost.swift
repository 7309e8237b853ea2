import CurlNetworking

/// The hosts that are this machine: a password may be sent there without TLS, since nobody else
/// can listen.
package enum LoopbackHost {
    /// - Parameter host: A name or an address, with or without brackets, in any case.
    package static func contains(_ host: String) -> Bool {
        var bare = host.lowercased()
        if bare.hasPrefix("["), bare.hasSuffix("]") { bare = String(bare.dropFirst().dropLast()) }
        return bare.isLoopbackHost
    }
}
