import Dispatch

/// The program on the terminal: its event loop, its frame and the focus.
///
/// Everything happens on the main queue. Whatever a turn of the queue changed is drawn once, after
/// it; a key is drawn as soon as it was handled. At rest nothing runs.
///
/// ```swift
/// let application = Application(screen: CursesScreen())
/// let status = try await application.run(root: TabBarController([notes, photos]))
/// ```
@MainActor
public final class Application: Responder {
    /// What can be chosen when the program begins.
    public struct Configuration: Sendable {
        public var bindings = KeyBindings()
        /// The looks the user chose; the theme has the others.
        public var styles: [Role: Style] = [:]
        /// How the other roles look.
        public var scheme = Theme.Scheme.automatic
        /// For a screen that is read aloud: no lines, no pictures, nothing that turns, one thing at a time, and
        /// the cursor where the keys go.
        public var isPlain = false
        /// A lone Esc counts after this long; what follows sooner belongs to it.
        public var escapeDelay: Duration = .milliseconds(25)
        /// Whether the last row shows the keys.
        public var showsFooter = true
        /// Gets a line each time all is drawn and nothing is pending; see ``IdleReporter``.
        public var idleDescriptor: Int32?

        public init() {}
    }

    public var configuration: Configuration
    public weak var delegate: (any ApplicationDelegate)?

    public let screen: any Screen
    public let scheduler: any Scheduler

    public internal(set) var rootViewController: ViewController?
    public internal(set) weak var firstResponder: Responder?

    let window = Window()
    var presentations: [PresentationView] = []

    var surface: Surface
    var matcher = KeySequenceMatcher()
    var input: InputLoop?
    var signals: SignalLoop?
    var idle: IdleReporter
    var frames: FrameClock
    var layers = DrawnLayers()
    var exit: CheckedContinuation<Int32, Never>?
    var exitStatus: Int32?
    public internal(set) var message: StatusMessage?
    var messageTimer: ScheduledAction?
    var hint: [String] = []
    var hintTimer: ScheduledAction?

    /// - Parameters:
    ///   - screen: The terminal; a ``TestScreen`` in tests.
    ///   - scheduler: The clock of timers; a ``ManualScheduler`` in tests.
    public init(
        screen: any Screen, configuration: Configuration = Configuration(),
        scheduler: (any Scheduler)? = nil
    ) {
        self.screen = screen
        self.configuration = configuration
        self.scheduler = scheduler ?? DispatchScheduler()
        surface = Surface(size: .zero)
        idle = IdleReporter(descriptor: configuration.idleDescriptor)
        frames = FrameClock()
        super.init()
        window.owner = self
    }

    public override var application: Application? { self }

    public override var keyTable: KeyTable { makeKeyTable() }

    public override var keyTableSignature: Int? { presentations.isEmpty ? 0 : 1 }
}

/// Told about the life of the application.
@MainActor
public protocol ApplicationDelegate: AnyObject {
    /// A signal asked the program to end (`SIGTERM`, `SIGHUP`, `SIGINT`). Save what is unsaved; the
    /// program ends when this returns.
    func applicationWillTerminate(_ application: Application)

    /// `q` or its like was pressed. Return false to stay, e.g. after asking with an alert.
    func applicationShouldTerminate(_ application: Application) -> Bool

    /// The commands that can be typed after `:`.
    func applicationCommands(_ application: Application) -> [PaletteCommand]

    /// The program is back after `^Z` or an external editor.
    func applicationDidResume(_ application: Application)
}

extension ApplicationDelegate {
    public func applicationWillTerminate(_ application: Application) {}
    public func applicationShouldTerminate(_ application: Application) -> Bool { true }
    public func applicationCommands(_ application: Application) -> [PaletteCommand] { [] }
    public func applicationDidResume(_ application: Application) {}
}
