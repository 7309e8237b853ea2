import ClubStore
import Foundation
import Testing

/// One requirement of `RemoteStore`, checked on an empty club of any kind.
struct ContractCheck: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (any RemoteStore) async throws -> Void

    init(_ promise: String, check: @escaping @Sendable (any RemoteStore) async throws -> Void) {
        testDescription = promise
        self.check = check
    }
}

/// Expects a call to fail with a code, ignoring its revision or time.
func expectFailure(
    _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Void
) async {
    let error = await failure(sourceLocation: sourceLocation, of: call)
    #expect(
        error?.code.bare == code.bare, "\(error.map(\.description) ?? "")",
        sourceLocation: sourceLocation)
}

/// The error that a call must fail with.
func failure(
    sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> Void
) async -> StoreError? {
    do {
        try await call()
        Issue.record("did not fail", sourceLocation: sourceLocation)
    } catch let error as StoreError {
        return error
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
    return nil
}

extension StoreError.Code {
    /// The code without associated values.
    var bare: StoreError.Code {
        switch self {
        case .conflict: .conflict(serverRevision: nil)
        case .rateLimited: .rateLimited(retryAfter: nil)
        case .serverUnavailable: .serverUnavailable(retryAfter: nil)
        default: self
        }
    }
}

func path(_ string: String) throws -> RemotePath { try RemotePath(validating: string) }

func data(_ text: String) -> Data { Data(text.utf8) }
