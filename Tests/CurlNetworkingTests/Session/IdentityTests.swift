import CurlNetworking
import Foundation
import Testing

@Suite struct IdentityTests {
    @Test func sessionsAndConfigurationsAreEqualToThemselvesAlone() {
        let session = makeSession()
        #expect(session == session)
        #expect(session != makeSession())
        #expect(Set([session, session]).count == 1)
        let configuration = URLSessionConfiguration.default
        #expect(configuration == configuration)
        #expect(configuration != URLSessionConfiguration.default)
    }

    @Test func challengesMetricsAndProgressesAreEqualToThemselvesAlone() {
        func isByIdentity<Object: Hashable & AnyObject>(_ kind: Object.Type) -> Bool { true }
        #expect(isByIdentity(URLAuthenticationChallenge.self))
        #expect(isByIdentity(URLSessionTaskMetrics.self))
        #expect(isByIdentity(URLSessionTaskTransactionMetrics.self))
        let progress = Progress(totalUnitCount: 1)
        #expect([progress: 1][progress] == 1)
        #expect(progress != Progress(totalUnitCount: 1))
    }
}
