import CurlNetworking
import Foundation
import Testing

@testable import ClubStore

/// Large transfers keep off a network that is paid by volume, where the person wants that.
@Suite struct MeteredNetworkTests {
    @Test func asksForNoMeteredNetworkOnlyWhereItIsTold() {
        let usual = HTTPLoader.makeConfiguration(timeout: .seconds(1))
        #expect(usual.allowsExpensiveNetworkAccess)
        let careful = HTTPLoader.makeConfiguration(
            timeout: .seconds(1), avoidsMeteredNetworks: true)
        #expect(!careful.allowsExpensiveNetworkAccess)
    }

    /// As offline, so that a transfer waits; and not as any offline, so that it says why.
    @Test func knowsTheRefusalOfAMeteredNetwork() {
        let failure = HTTPLoader.Failure.transport(URLError(.dataNotAllowed))
        #expect(failure.retryable == nil)
        let error = failure.error(during: .put, at: nil)
        #expect(error.code == .offline)
        #expect(error.connectionFailure == .metered)
    }
}
