// Hints to Apple's systems that have no effect here. They are stored, so that code that uses them compiles
// and reads back what it has set.

extension URLSessionConfiguration {
    /// Whether the system may choose the time of a background session's transfers. Has no effect: no service
    /// of Linux schedules transfers.
    public var isDiscretionary: Bool {
        get { withSettings { $0.hints.isDiscretionary } }
        set { withSettings { $0.hints.isDiscretionary = newValue } }
    }

    /// Whether the system launches the app for background transfers. Has no effect: the program receives its
    /// events when the user runs it next.
    public var sessionSendsLaunchEvents: Bool {
        get { withSettings { $0.hints.sendsLaunchEvents } }
        set { withSettings { $0.hints.sendsLaunchEvents = newValue } }
    }

    /// Whether connections stay open while the app is in the background. Has no effect: programs are not
    /// suspended here.
    public var shouldUseExtendedBackgroundIdleMode: Bool {
        get { withSettings { $0.hints.usesExtendedBackgroundIdleMode } }
        set { withSettings { $0.hints.usesExtendedBackgroundIdleMode = newValue } }
    }

    /// Whether tasks may use ultra-constrained networks, such as a satellite's; false by default. Has no
    /// effect: Linux cannot recognize them.
    public var allowsUltraConstrainedNetworkAccess: Bool {
        get { withSettings { $0.hints.allowsUltraConstrained } }
        set { withSettings { $0.hints.allowsUltraConstrained = newValue } }
    }

    /// The container that an app shares with its extensions, for background transfers. Has no effect: the
    /// files of background sessions belong to the user, not to a program.
    public var sharedContainerIdentifier: String? {
        get { withSettings { $0.hints.sharedContainerIdentifier } }
        set { withSettings { $0.hints.sharedContainerIdentifier = newValue } }
    }

    /// How connections may use several networks at once. The raw values are Apple's.
    public enum MultipathServiceType: Int, Sendable {
        case none = 0
        case handover = 1
        case interactive = 2
        case aggregate = 3
    }

    /// How connections may use several networks at once. Has no effect: libcurl uses plain TCP.
    public var multipathServiceType: MultipathServiceType {
        get { withSettings { $0.hints.multipathServiceType } }
        set { withSettings { $0.hints.multipathServiceType = newValue } }
    }
}

/// The stored values of ``URLSessionConfiguration/isDiscretionary`` and similar properties.
struct SessionHints: Hashable, Sendable {
    var isDiscretionary = false
    var sendsLaunchEvents = false
    var usesExtendedBackgroundIdleMode = false
    var allowsUltraConstrained = false
    var sharedContainerIdentifier: String?
    var multipathServiceType = URLSessionConfiguration.MultipathServiceType.none
}
