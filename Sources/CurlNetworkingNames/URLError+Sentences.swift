#if Foundation
    import Foundation
#endif

extension URLError.Code {
    /// - Parameter number: Read from somewhere.
    package init(number: Int) {
        #if Foundation
            self = Self(rawValue: number) ?? .unknown
        #else
            self.init(rawValue: number)
        #endif
    }

    /// What happened, in a sentence for a person.
    var sentence: String {
        switch self {
        // The shortest are Apple's own words: files compare with them.
        case .cancelled: "cancelled"
        case .badURL: "bad URL"
        case .timedOut: "The server did not answer in time."
        case .unsupportedURL: "unsupported URL"
        case .cannotFindHost, .dnsLookupFailed: "The server's name could not be found."
        case .cannotConnectToHost: "The server could not be reached."
        case .networkConnectionLost: "The connection to the server was lost."
        case .httpTooManyRedirects: "too many HTTP redirects"
        case .notConnectedToInternet: "There is no network connection."
        case .dataNotAllowed: "The network may not be used for this transfer."
        case .redirectToNonExistentLocation: "The server redirected to an unusable address."
        case .badServerResponse, .cannotParseResponse: "The server sent an answer that is not HTTP."
        case .cannotDecodeContentData: "The server's answer could not be decompressed."
        // Reported only for resume data.
        case .cannotDecodeRawData: "The resume data is damaged or not of this kind."
        case .requestBodyStreamExhausted: "The body to send ended early or could not be read again."
        case .fileDoesNotExist: "The file does not exist."
        case .fileIsDirectory: "The file is a folder."
        case .noPermissionsToReadFile: "The file may not be read."
        case .dataLengthExceedsMaximum: "resource exceeds maximum size"
        case .secureConnectionFailed: "No secure connection to the server could be made."
        case .serverCertificateHasBadDate: "The server's certificate has expired."
        case .serverCertificateUntrusted: "The server's certificate cannot be trusted."
        case .serverCertificateHasUnknownRoot:
            "The server's certificate is signed by an unknown authority."
        case .serverCertificateNotYetValid: "The server's certificate is not valid yet."
        case .clientCertificateRejected: "The server rejected the client certificate."
        case .clientCertificateRequired: "The server requires a client certificate."
        case .cannotCreateFile: "The file could not be created."
        case .cannotOpenFile: "The file could not be opened."
        case .cannotCloseFile, .cannotWriteToFile: "The file could not be written."
        case .cannotRemoveFile: "The file could not be removed."
        case .cannotMoveFile: "The file could not be moved."
        default: "The transfer failed."
        }
    }
}
