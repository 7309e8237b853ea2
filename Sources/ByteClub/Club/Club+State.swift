internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubFiles

/// The state of a club's tasks, grouped by concern.
extension Club {
    /// What is known of the folder besides its contents.
    struct Known {
        /// The cursor that ``Club/reported`` corresponds to; nil if the folder must be listed first, as after
        /// a refresh.
        var cursor: Cursor?
        /// Entries of the folder that cannot be addressed because of their names.
        var skipped: [String] = []
        /// Whether there is a listing to show: from the club, or from the last run.
        var isListed = false
        /// Whether the listing of the last run is being read, at the start.
        var isReading = false
        /// Counts listings and updates of the listing.
        var listingCount = 0
    }

    /// Callbacks besides the observers: set by the app, the list and the screen.
    struct Handlers {
        /// Called with the result of each change sent from the outbox.
        var didSync: ((SyncEvent) -> Void)?
        /// Called with changes made on this computer, in any program, before they are shown.
        var didRecognizeOwn: (([RemoteFile]) -> Void)?
        /// Called with a file or folder before and after it was renamed here.
        var didMove: ((_ before: RemoteEntry, _ after: RemoteEntry) -> Void)?
        /// Called with a message about the local copy for the user.
        var didNotice: ((String) -> Void)?
        /// Asks the user to sign in again, then calls `then`.
        var signInAgain: ((_ then: @escaping () -> Void) -> Void)?
        /// Called when a request waits before it is repeated.
        var willRetry: ((RetryNotice) -> Void)?
        /// The last call of which that was told has ended.
        var didStopWaiting: (() -> Void)?
    }

    /// Polling of the club, and of other programs' writes on this computer.
    struct PollingState {
        var watching: Task<Void, Never>?
        /// Follows what the shell does to the local copy.
        var shell: FolderWatch?
        /// Checks again whether another program has confirmed its write.
        var recognizing: Task<Void, Never>?
        /// Counts refreshes requested by the user.
        var refreshCount = 0
        var accountQuestion = AccountQuestion.none

        /// Asking for the account again.
        enum AccountQuestion {
            case none
            case asked
            /// Something has changed since it was asked.
            case due
        }

        mutating func stop() {
            watching?.cancel()
            watching = nil
            recognizing?.cancel()
            recognizing = nil
        }
    }

    /// Sending the outbox.
    struct Outgoing {
        /// A direct write that was given up and has not ended yet; the outbox would send the same beside it.
        var givenUp: Task<Void, Never>?
        var task: Task<Void, Never>?
        /// Reads the outbox.
        var reading: Task<Void, Never>?
        var later: Task<Void, Never>?
        /// Whether a change was added since sending began.
        var hasMore = false
        /// Consecutive failures.
        var failureCount = 0
    }

    /// Fetching texts that are not stored here.
    struct Incoming {
        var task: Task<Void, Never>?
        /// Whether there is more to fetch than when fetching began.
        var hasMore = false
    }

    /// The pending calls, and the revisions reported meanwhile; nil for deleted files.
    struct CallsInFlight {
        private var pending: Set<Int> = []
        /// Those that the user was told wait.
        private var waiting: Set<Int> = []
        private var last = 0
        var reported: [RemotePath: Revision?] = [:]

        var isEmpty: Bool { pending.isEmpty }

        mutating func begin() -> Int {
            if pending.isEmpty { reported = [:] }
            last += 1
            pending.insert(last)
            return last
        }

        func isPending(_ call: Int) -> Bool { pending.contains(call) }
        func isLastWaiting(_ call: Int) -> Bool { waiting == [call] }

        mutating func noteWaiting(_ call: Int) { waiting.insert(call) }

        mutating func end(_ call: Int) {
            pending.remove(call)
            waiting.remove(call)
        }
    }

    var skipped: [String] { known.skipped }
    /// Whether what was kept of the club is being read, before anything of it is known.
    var isReadingLocalCopy: Bool { known.isReading }
    var listingCount: Int { known.listingCount }
}
