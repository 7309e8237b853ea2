internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import ByteClubPictures

// Errors that any club may have.

extension ErrorMessage {
    static func title(of error: StoreError) -> String {
        switch error.code {
        case .cancelled: localized("Cancelled")
        case .conflict where error.wasAccepted: localized("Stored differently")
        case .conflict where error.operation.isWrite:
            localized("The name is taken, or the file has changed")
        case .unauthorized: localized("Sign in again")
        case .offline: localized("No connection to the club")
        case .untrusted where error.untrustedServer?.differsFromPin == true:
            UntrustedServer.changedKeyTitle
        case .overQuota: localized("The club is full")
        default: localized("Could not \(error.operation.verb)")
        }
    }

    /// Includes the server's own message as plain text.
    private static func refused(_ error: StoreError) -> String {
        let words = ServerText.line(error.userMessage ?? "")
        return words.isEmpty
            ? localized(
                "The server refused this and did not say why. Try again later, or ask the owner of the club's "
                    + "folder.")
            : localized("The server refused this. It says: “\(withoutFullStop(words))”.")
    }

    /// Includes the server's message if it is text and not a page.
    private static func badRequest(_ error: StoreError) -> String {
        let words = ServerText.line(error.refusedWords)
        let said =
            words.isEmpty || words.contains("<")
            ? "" : localized(" It says: “\(withoutFullStop(words))”.")
        return
            localized(
                "The server did not accept the request.\(said) This is a fault of Byte Club: please report "
                    + "it, with what you were doing.")
    }

    /// A server's words, for a sentence that ends with them.
    private static func withoutFullStop(_ words: String) -> String {
        words.hasSuffix(".") ? String(words.dropLast()) : words
    }

    static func text(of error: StoreError) -> String {
        connectionText(of: error) ?? fileText(of: error) ?? entryText(of: error)
    }

    /// What an error is about.
    private enum Subject {
        /// The club as a whole.
        case club(name: String)
        /// An entry in the club.
        case entry(name: String)

        init(of error: StoreError) {
            let name = ErrorMessage.name(in: error)
            let isClub = error.operation != .naming && error.path?.isRoot ?? true
            self = isClub ? .club(name: name) : .entry(name: name)
        }

        /// As it is called in a sentence.
        var name: String {
            switch self {
            case .club(let name), .entry(let name): name
            }
        }
    }

    /// Nil if neither the connection nor the server as a whole is the problem.
    private static func connectionText(of error: StoreError) -> String? {
        switch error.code {
        case .unauthorized:
            unauthorizedText(of: error)
        case .refused:
            refused(error)
        case .badRequest:
            badRequest(error)
        case .rateLimited(let wait):
            localized("The server is receiving too many requests. Try again \(later(wait)).")
        case .serverUnavailable(let wait):
            localized("The club's server cannot answer just now. Try again \(later(wait)).")
        case .serverError:
            localized("The club's server failed. Try again in a few minutes.")
        case .offline: offlineText(of: error)
        case .untrusted: untrustedText(of: error)
        case .timedOut:
            localized("The club's server took too long to answer. Check the network and try again.")
        case .cancelled:
            localized("Nothing was changed in the club, unless it was finished already.")
        case .badAnswer:
            localized(
                "The server's answer was not understood. It may be the wrong address, or a network "
                    + "sign-in page: "
                    + "sign in there first, and try again.")
        case .cursorReset:
            localized("The list is out of date. Refresh it.")
        default: nil
        }
    }

    /// Nil if no file's content is the problem.
    private static func fileText(of error: StoreError) -> String? {
        let subject = Subject(of: error)
        let name = subject.name
        return switch (error.code, subject) {
        case (.tooLarge, _) where error.operation == .fetch:
            localized(
                "\(capitalized(name)) is too large for a note: \(RemoteFile.fetchLimit >> 20) MiB is "
                    + "the most that "
                    + "is opened here.")
        case (.tooLarge, .club):
            localized(
                "The club's server does not accept a request of this size. Ask its administrator.")
        case (.tooLarge, .entry):
            localized(
                "\(capitalized(name)) is too large for the club's server.")
        case (.noThumbnail, _):
            noThumbnail(error, name: name)
        // It is removed again where that is possible.
        case (.damaged, _) where error.operation == .upload:
            localized(
                "What arrived of \(name) is not what was sent: only a part, or other bytes. Your version is kept here. "
                    + "Check whether the club has a file of this name now, and ask the owner of its server."
            )
        case (.damaged, _) where error.operation.isWrite:
            localized(
                "What the club stored under \(name) is not what was sent: only a part, or other bytes. Your version "
                    + "is kept here. Check the club's version, and ask the owner of its server."
            )
        case (.damaged, _):
            localized("\(capitalized(name)) arrived damaged. Nothing was kept; try again.")
        case (.changedMeanwhile, _):
            localized(
                "\(capitalized(name)) changed during the transfer. Try again when no one is writing to it."
            )
        case (.fileUnreadable, _):
            localized(
                "The file on your computer cannot be read. Check that it is still there, that it is a file, "
                    + "and that you may read it.")
        case (.fileUnwritable, _):
            copyText(of: error)
                ?? localized(
                    "The file on your computer cannot be written. Check that the folder is there, that you may "
                        + "write to it, and that the disk has room.")
        default: nil
        }
    }

    /// What is wrong with the club's local copy, if that is the file.
    private static func copyText(of error: StoreError) -> String? {
        guard let reason = error.underlying as? LibraryError, reason != .notDurable else {
            return nil
        }
        return reason.description
    }

    /// What is wrong with an entry or its name, or with the club's folder.
    private static func entryText(of error: StoreError) -> String {
        let subject = Subject(of: error)
        let name = subject.name
        return switch (error.code, subject) {
        case (.notFound, .club):
            localized(
                "The club's folder no longer exists. Ask its owner, or sign in to the club again "
                    + "with another folder.")
        case (.notFound, .entry) where error.isMissingAddress && error.operation.addsEntry:
            localized(
                "There is no club at this address, so \(name) was not stored. Check the address (that of a gateway: "
                    + "--api-url); if it is wrong, sign in to the club again with the right one.")
        case (.notFound, .entry):
            localized(
                "\(error.path == nil ? localized("It") : name) is no longer in the club. Another "
                    + "member may have moved or removed it; "
                    + "the list shows what is there now.")
        case (.conflict, _) where error.wasAccepted:
            localized(
                "What is in the club under \(name) is not what was sent: the server has changed it, or someone else "
                    + "wrote it in the same moment. Your version is kept here. Check the club's version first."
            )
        case (.conflict(let revision), _):
            conflict(error.operation, name: name, hasRevision: revision != nil)
        case (.notEmpty, _):
            localized(
                "\(capitalized(name)) has hidden files in it, or others that are not shown here. Nothing was "
                    + "removed: remove them on the server first.")
        case (.wrongKind, _):
            localized(
                "\(capitalized(name)) is not what was expected: a folder in a file's place, or a file in "
                    + "a folder's. Choose another name.")
        case (.forbidden, .club):
            localized("You may not do this in the club's folder. Ask its owner.")
        case (.forbidden, .entry):
            localized("You may not do this with \(name). Ask the owner of the club's folder.")
        case (.locked, .club):
            localized("Someone else has locked the club's folder. Try again later.")
        case (.locked, .entry):
            localized(
                "Someone else is writing to \(name) right now. Try again later."
            )
        case (.overQuota, .club):
            localized(
                "There is no room left in the club. Remove something from it, or free space on the disk it "
                    + "lives on, and try again.")
        case (.overQuota, .entry):
            localized(
                "There is no room left for \(name). Remove something from the club, or free space on the "
                    + "disk it lives on, and try again.")
        case (.withoutEffect, _):
            withoutEffect(error.operation, name: name)
        case (.nameNotAllowed, _) where error.operation == .list:
            localized(
                "The name \(name) is not one that Byte Club can ask for: it is not written in UTF-8, or too "
                    + "long. Rename it there.")
        case (.nameNotAllowed, _):
            localized(
                "The club cannot keep anything under the name \(name). Choose another one, without slashes "
                    + "and control characters, and without a space or a full stop at either end.")
        case (.unauthorized, _), (.refused, _), (.badRequest, _), (.rateLimited, _),
            (.serverUnavailable, _), (.serverError, _), (.offline, _), (.untrusted, _),
            (.timedOut, _), (.cancelled, _), (.badAnswer, _), (.tooLarge, _), (.cursorReset, _),
            (.noThumbnail, _), (.damaged, _), (.changedMeanwhile, _), (.fileUnreadable, _),
            (.fileUnwritable, _):
            preconditionFailure("the other texts are for \(error.code)")
        }
    }

    private static func offlineText(of error: StoreError) -> String {
        switch error.connectionFailure {
        case .metered: meteredText
        case .proxy(let trouble): text(ofProxy: trouble)
        default:
            localized(
                "The server does not answer, or the connection broke. Check the network and try again."
            )
        }
    }

    private static func unauthorizedText(of error: StoreError) -> String {
        if let scope = error.missingScope { return SignInError.sentence(missing: [scope]) }
        return error.isNotSignedIn
            ? localized("You are not signed in to this club. Sign in again.")
            : localized("The club no longer accepts this sign-in. Sign in again.")
    }

    private static func untrustedText(of error: StoreError) -> String {
        if let server = error.untrustedServer, server.differsFromPin {
            return server.changedKeyText
        }
        return
            localized(
                "The server's identity could not be verified. Check the address, and this "
                    + "computer's clock. If the server has a certificate of its own, sign in to the club again."
            )
    }

    /// - Parameter trouble: What the proxy failed with, worded for the middle of a sentence.
    static func text(ofProxy trouble: String) -> String {
        localized(
            "The club's server cannot be reached: \(trouble). Check the proxy (https_proxy, http_proxy, "
                + "all_proxy) and try again.")
    }

    static var meteredText: String {
        localized(
            "The network is metered: photos wait for another one, as the settings say (wait-on-metered)."
        )
    }

    private static func name(in error: StoreError) -> String {
        // An invalid name is distinguished from an invalid folder.
        if error.operation == .naming, let name = error.detail {
            return "“\(ServerText.name(name))”"
        }
        guard let path = error.path else { return localized("it") }
        return path.isRoot ? localized("the club's folder") : "“\(ServerText.name(path.name))”"
    }

    private static func conflict(
        _ operation: StoreError.Operation, name: String, hasRevision: Bool
    ) -> String {
        switch operation {
        case .put where hasRevision:
            localized(
                "There is another version of \(name) in the club than the one you began with, or the name "
                    + "is taken. Nothing was overwritten: save it under another name, or open the other "
                    + "version first.")
        case .delete:
            localized(
                "\(capitalized(name)) has changed since it was listed. Nothing was removed: look at it "
                    + "first.")
        case .move:
            localized(
                "The name is taken in the club there. It was not changed; choose another name.")
        default:
            localized(
                "The name \(name) is taken in the club. Nothing was changed; choose another name.")
        }
    }

    private static func withoutEffect(_ operation: StoreError.Operation, name: String) -> String {
        let what =
            switch operation {
            case .delete: localized("\(name) is still there")
            case .move: localized("\(name) is not there")
            default: localized("\(name) is not stored there")
            }
        return
            localized(
                "The club's server accepted this, but \(what). If this network has a sign-in page, sign in "
                    + "there first and try again.")
    }

    private static func noThumbnail(_ error: StoreError, name: String) -> String {
        localized("\(capitalized(name)) could not be shown because ")
            + ((error.underlying as? PictureError)?.reason
                ?? localized(
                    "it is not a picture, is damaged, or takes too much work to open"))
            + "."
    }

    /// `in 20 seconds`, `in 5 minutes`, `in a minute` when unknown.
    private static func later(_ wait: Duration?) -> String {
        guard let wait else { return localized("in a minute") }
        let seconds = max(1, Int(clamping: wait.components.seconds))
        if seconds == 1 { return localized("in a second") }
        return RetryNotice.later(seconds) ?? localized("in \(seconds) seconds")
    }

    private static func capitalized(_ name: String) -> String {
        guard let first = name.first else { return name }
        return first.uppercased() + name.dropFirst()
    }
}

extension StoreError.Operation {
    fileprivate var isWrite: Bool {
        switch self {
        case .put, .upload: true
        default: false
        }
    }

    /// Whether it may make what was not there before.
    fileprivate var addsEntry: Bool { isWrite || self == .createFolder }

    /// The failed operation, after "Could not".
    fileprivate var verb: String {
        switch self {
        case .connect: localized("open the club")
        case .account: localized("see the account")
        case .list, .changes, .waitForChanges: localized("list the club")
        case .metadata, .search: localized("look that up")
        case .fetch: localized("open it")
        case .put: localized("save it")
        case .upload: localized("upload it")
        case .download: localized("download it")
        case .thumbnail: localized("show a preview")
        case .delete: localized("remove it")
        case .move: localized("rename it")
        case .createFolder: localized("make the folder")
        case .naming: localized("use that name")
        }
    }
}
