import CurlNetworking

/// The code of the error a call throws; nil when it succeeds or throws something else.
func errorCode<Result>(_ body: () async throws -> Result) async -> URLError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? URLError)?.code
    }
}
