package import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures

extension TransferItem {
    /// Why it waits or has failed, in the reader's language. An earlier version wrote the sentence itself.
    package var reason: String? {
        status.failure?.sentence(about: order) ?? status.reason
    }

    /// The same for a place with little room: what is wrong comes first. Nil where it does so anyway.
    package var shortReason: String? {
        status.failure.flatMap { $0.pictureError?.shortUploadSentence }
    }
}

extension TransferStatus {
    /// Clears the reason when the transfer continues.
    mutating func forgetReason() {
        (failure, reason, nextAttempt) = (nil, nil, nil)
    }

    /// Records why it stopped. The sentence is for a program that does not know the cause.
    mutating func note(_ failure: TransferFailure, about order: TransferOrder) {
        self.failure = failure
        reason = failure.sentence(about: order)
    }
}

extension TransferFailure {
    /// Nil for a cause that only a newer version knows.
    func sentence(about order: TransferOrder) -> String? {
        switch kind {
        case .store: storeSentence(about: order)
        case .picture: pictureSentence(about: order)
        case .journal: journalSentence
        default: nil
        }
    }

    private func storeSentence(about order: TransferOrder) -> String? {
        if let sentence = destinationProblem?.sentence(about: order.file) { return sentence }
        if isMetered { return ErrorMessage.meteredText }
        if let proxyTrouble { return ErrorMessage.text(ofProxy: proxyTrouble) }
        return storeError.map { ErrorMessage($0, club: club).text }
    }

    private func pictureSentence(about order: TransferOrder) -> String? {
        pictureError?.uploadSentence(about: URL(filePath: order.file).lastPathComponent)
    }

    private var journalSentence: String? {
        let (folder, reason) = (journalFolder ?? "", journalReason ?? "")
        let problem: String
        switch journalProblem {
        case .cannotBeLocked:
            problem = localized("cannot be locked: \(reason)")
        case .hasNoLocks: problem = localized("cannot be locked by its file system")
        case nil: return nil
        }
        return localized(
            "The list of transfers in \(folder) \(problem). Set XDG_STATE_HOME to a folder "
                + "on a disk of this computer, or try again.")
    }
}
