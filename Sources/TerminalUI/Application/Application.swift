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
    /// The application's options.
    public struct Configuration: Sendable {
        /// The keys the user chose; commands without an entry keep their own.
        public var bindings = KeyBindings()
        /// The looks the user chose; the theme has the others.
        public var styles: [Role: Style] = [:]
        /// How the other roles look.
        public var scheme = Theme.Scheme.automatic
        /// For screen readers: no lines, pictures or animations, one thing at a time, and the cursor follows
        /// the focus.
        public var isPlain = false
        /// A lone Esc counts as a key after this delay; faster input belongs to a sequence.
        public var escapeDelay: Duration = .milliseconds(25)
        /// Whether the last row shows the keys.
        public var showsFooter = true
        /// Gets a line for each command that is done, each message and each presented controller.
        public var logHandler: (@MainActor @Sendable (String) -> Void)?
        /// Gets a line each time all is drawn and nothing is pending; see ``IdleReporter``.
        public var idleDescriptor: Int32?
        /// Calls the closure that stops the process (`^Z`), at a moment when nobody else waits for what it is doing; it
        /// returns when the process is continued. Nil to stop at once.
        public var stopHandler: (@MainActor @Sendable (_ stop: @MainActor () -> Void) -> Void)?

        /// The standard choices: the commands' own keys, the theme's styles, a footer.
        public init() {}
    }

    /// The options. The styles are read when the application starts, the idle descriptor when it is created,
    /// the rest at each use.
    public var configuration: Configuration
    /// Receives signals and requests to quit, and provides commands.
    public weak var delegate: (any ApplicationDelegate)?

    /// The terminal that frames are shown on; opened by ``start(root:)``, closed by
    /// ``terminate(_:)``.
    public let screen: any Screen
    /// The clock of all timers in the user interface.
    public let scheduler: any Scheduler

    /// The controller beneath all presented ones; nil before ``start(root:)``.
    public internal(set) var rootViewController: ViewController?
    /// The view or controller that gets keys first; nil before the start, and once it is released.
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
    var typeAhead = TypeAhead()
    var ending = Ending()
    var said = Said()

    /// - Parameters:
    ///   - screen: The terminal; ``TestScreen`` in tests.
    ///   - scheduler: The clock of timers; ``ManualScheduler`` in tests.
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

    /// The sentence in the last row; nil while the row lists the keys.
    public internal(set) var message: StatusMessage? {
        get { said.message }
        set { said.message = newValue }
    }

    struct Ending {
        /// The caller that waits for the end.
        var continuation: CheckedContinuation<Int32, Never>?
        /// nil while the program runs.
        var status: Int32?
    }

    public override var application: Application? { self }

    public override var keyTable: KeyTable { makeKeyTable() }

    public override var keyTableSignature: Int? { presentations.isEmpty ? 0 : 1 }
}

/// Receives the events of the application's life cycle.
@MainActor
public protocol ApplicationDelegate: AnyObject {
    /// A signal asked the program to end (`SIGTERM`, `SIGHUP`, `SIGINT`). Save what is unsaved; the
    /// program ends when this returns.
    func applicationWillTerminate(_ application: Application)

    /// A quit command was given. Return false to stay, e.g. after asking with an alert.
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
