internal import ClubAccess
internal import ClubLibrary
internal import ClubStore

/// What a club keeps of its own work: each of these is one concern, and is asked of it by name.
extension Club {
    /// What is known of the folder beside what is in it.
    struct Known {
        /// What ``Club/told`` is up to; nil when the folder has to be listed first, as after a refresh.
        var cursor: Cursor?
        /// What is in the folder, too, but has no name that could be asked for.
        var skipped: [String] = []
        /// Whether there is a listing to show: from the club, or from the last time.
        var isListed = false
        /// Counts how often the whole folder has been listed, or what was known of it brought up to date.
        var listingCount = 0
    }

    /// Who is told what, beside the observers: set by the app, the list and the screen.
    struct Handlers {
        /// Told what became of changes that waited.
        var didSync: ((SyncEvent) -> Void)?
        /// Told what was done on this computer, in any program, before it is shown.
        var didRecognizeOwn: (([RemoteFile]) -> Void)?
        /// Told what a person should know of the local copy.
        var didNotice: ((String) -> Void)?
        /// Has the person sign in again and then goes on.
        var signInAgain: ((_ then: @escaping () -> Void) -> Void)?
        /// Told that a call waits before it is sent again.
        var willRetry: ((RetryNotice) -> Void)?
    }

    /// The looking at the club, and at what other programs of this computer write.
    struct Looking {
        var watching: Task<Void, Never>?
        /// Looks again whether another program has confirmed what it was writing.
        var recognizing: Task<Void, Never>?
        /// Counts how often the person has asked to look again.
        var refreshCount = 0

        mutating func stop() {
            watching?.cancel()
            watching = nil
            recognizing?.cancel()
            recognizing = nil
        }
    }

    /// The sending of what waits.
    struct Outgoing {
        var task: Task<Void, Never>?
        var later: Task<Void, Never>?
        /// Whether something was added since the sending under way began.
        var hasMore = false
        /// How often in a row it has failed.
        var failureCount = 0
    }

    /// The fetching of texts that were never seen here.
    struct Incoming {
        var task: Task<Void, Never>?
        /// Whether there is more to fetch than the fetch under way knows of.
        var hasMore = false
    }

    /// The connection to the store.
    struct Link {
        var connect: Connect
        var store: (any RemoteStore)?
        /// The last store whose sign-in the server has refused.
        var refused: (any RemoteStore)?
        /// Counts reconnections: a store that was requested before the latest one is discarded.
        var generation = 0
    }

    /// How many calls are in flight, and the revisions of what was told meanwhile; nil for what was deleted.
    struct CallsInFlight {
        var count = 0
        var told: [RemotePath: Revision?] = [:]
    }

    var skipped: [String] { known.skipped }
    var listingCount: Int { known.listingCount }
}
