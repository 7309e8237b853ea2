package import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import ByteClubPictures

extension TransferItem {
    /// What is wrong in a few words, without what to do about it: for a screen of twenty columns. Nil if only the whole
    /// sentence is known.
    package var briefReason: String? {
        guard let failure = status.failure else { return nil }
        return switch failure.kind {
        case .store: failure.briefStoreReason
        case .picture: failure.briefPictureReason
        case .journal: localized("The list of transfers cannot be locked")
        default: nil
        }
    }
}

extension TransferFailure {
    fileprivate var briefPictureReason: String? {
        pictureError.map { $0.reason.prefix(1).uppercased() + $0.reason.dropFirst() }
    }

    fileprivate var briefStoreReason: String? {
        if let problem = destinationProblem { return problem.briefReason }
        if isMetered { return localized("The network is metered") }
        guard !isAboutThisComputer, let code = storeCode else { return nil }
        return switch code {
        case .notFound: localized("It is no longer in the club")
        case .conflict: localized("The name is taken")
        case .unauthorized: localized("Sign in again")
        case .forbidden: localized("You may not do this")
        case .refused, .badRequest: localized("The server refused it")
        case .locked: localized("Another program has the file locked")
        case .rateLimited: localized("The server is busy")
        case .overQuota: localized("The club is full")
        case .serverUnavailable: localized("The server is not available")
        case .serverError: localized("The server failed")
        case .offline, .timedOut: localized("No connection to the club")
        case .badAnswer: localized("The answer was not understood")
        case .tooLarge: localized("It is too large for the server")
        case .damaged: localized("It arrived damaged")
        case .changedMeanwhile: localized("The file has changed")
        case .fileUnreadable: localized("The file cannot be read")
        case .fileUnwritable: localized("The file cannot be written")
        default: nil
        }
    }
}

extension DestinationProblem {
    fileprivate var briefReason: String {
        switch self {
        case .isThere: localized("A file has this name already")
        case .isFolder: localized("It is a folder")
        case .hasNoFolder: localized("There is no such folder")
        case .nameTooLong: localized("The name is too long")
        case .nameRefused: localized("The disk does not allow the name")
        case .forbidden: localized("You may not write in the folder")
        case .diskFull: localized("The disk is full")
        case .other: localized("The file cannot be written")
        }
    }
}
