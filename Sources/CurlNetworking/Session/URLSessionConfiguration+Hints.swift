// Jobs to Apple's systems that nothing here can grant. They are kept, so that a file that sets and
// reads them goes on compiling and reading what it set; loading takes no notice of them.

extension URLSessionConfiguration {
    /// Whether the system may choose the time of a background session's transfers. Kept, without
    /// effect: no service of a Linux system plans transfers.
    public var isDiscretionary: Bool {
        get { withSettings { $0.hints.isDiscretionary } }
        set { withSettings { $0.hints.isDiscretionary = newValue } }
    }

    /// Whether the system starts the app when a background transfer needs it. Kept, without effect: a
    /// program is started by its user, and then gets what has happened.
    public var sessionSendsLaunchEvents: Bool {
        get { withSettings { $0.hints.sendsLaunchEvents } }
        set { withSettings { $0.hints.sendsLaunchEvents = newValue } }
    }

    /// Whether connections stay open while the app is in the background. Kept, without effect: no
    /// program is put to sleep here.
    public var shouldUseExtendedBackgroundIdleMode: Bool {
        get { withSettings { $0.hints.usesExtendedBackgroundIdleMode } }
        set { withSettings { $0.hints.usesExtendedBackgroundIdleMode = newValue } }
    }

    /// Whether tasks may go over a network that is slower and dearer than mobile ones are (a satellite's);
    /// false unless set. Kept, without effect: nothing on Linux tells such a network from others.
    public var allowsUltraConstrainedNetworkAccess: Bool {
        get { withSettings { $0.hints.allowsUltraConstrained } }
        set { withSettings { $0.hints.allowsUltraConstrained = newValue } }
    }

    /// A folder an app shares with its extensions, for background transfers. Kept, without effect: a
    /// background session's files are its user's, whichever program made it.
    public var sharedContainerIdentifier: String? {
        get { withSettings { $0.hints.sharedContainerIdentifier } }
        set { withSettings { $0.hints.sharedContainerIdentifier = newValue } }
    }

    /// Which connections may use several networks at once. The numbers are Apple's.
    public enum MultipathServiceType: Int, Sendable {
        case none = 0
        case handover = 1
        case interactive = 2
        case aggregate = 3
    }

    /// Whether a connection may use several networks at once. Kept, without effect: libcurl opens plain
    /// TCP connections.
    public var multipathServiceType: MultipathServiceType {
        get { withSettings { $0.hints.multipathServiceType } }
        set { withSettings { $0.hints.multipathServiceType = newValue } }
    }
}

/// See ``URLSessionConfiguration/isDiscretionary`` and its neighbours.
struct SessionHints: Hashable, Sendable {
    var isDiscretionary = false
    var sendsLaunchEvents = false
    var usesExtendedBackgroundIdleMode = false
    var allowsUltraConstrained = false
    var sharedContainerIdentifier: String?
    var multipathServiceType = URLSessionConfiguration.MultipathServiceType.none
}
