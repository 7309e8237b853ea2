internal import CMainLoop

/// Runs a program on its first thread, so that a key goes from the terminal to the screen without another.
///
/// ```swift
/// @main struct Groceries {
///     static func main() {
///         MainLoop.run { try? await Application(screen: CursesScreen()).run(root: list) }
///     }
/// }
/// ```
///
/// An `async` `main()` works too: Dispatch then hands each key from thread to thread, which takes longer on a
/// busy machine.
public enum MainLoop {
    /// Runs a function and then everything that is sent to the main actor or the main queue, for ever: the
    /// program ends with `exit`. To be called from the first thread, once.
    public static func run(_ main: @escaping @MainActor @Sendable () async -> Void) -> Never {
        Task { @MainActor in await main() }
        byteclub_run_main_loop()
    }
}
