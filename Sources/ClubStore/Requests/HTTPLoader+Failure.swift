import CurlNetworking

extension HTTPLoader.Failure {
    /// The failure for the retry policy; nil when sending it again cannot help.
    var retryable: RetryPolicy.Failure? {
        guard case .transport(let error) = self else { return nil }
        return switch error.code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
            .unreachable
        case .networkConnectionLost: .broken
        default: nil
        }
    }

    func error(during operation: StoreError.Operation, at path: RemotePath?) -> StoreError {
        switch self {
        case .refusedBySink(let error): error
        case .tooLarge: StoreError(.tooLarge, during: operation, at: path)
        case .compressed:
            StoreError(.badAnswer, during: operation, at: path, detail: "compressed unasked")
        case .transport(let error):
            StoreError(Self.code(of: error), during: operation, at: path, underlying: error)
        }
    }

    private static func code(of error: URLError) -> StoreError.Code {
        switch error.code {
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .badServerResponse, .cannotParseResponse, .httpTooManyRedirects,
            .redirectToNonExistentLocation, .cannotDecodeRawData, .cannotDecodeContentData:
            .badAnswer
        case .dataLengthExceedsMaximum: .tooLarge
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotOpenFile:
            .fileUnreadable
        case .requestBodyStreamExhausted: .changedMeanwhile
        case .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            .untrusted
        default: .offline
        }
    }
}
