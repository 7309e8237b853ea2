internal import CByteClubMainLoop

/// Runs a program on its first thread, so that a key is handled without a thread switch.
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
    /// Runs a function and then the main actor and the main queue forever: the program ends with `exit`. Call
    /// it once, on the first thread.
    public static func run(_ main: @escaping @MainActor @Sendable () async -> Void) -> Never {
        Task { @MainActor in await main() }
        byteclub_run_main_loop()
    }
}
