import Foundation

/// The mutable state of a ``TerminalLine``, under its lock.
struct TerminalLineState {
    /// Whether output is left where it is.
    var isPaused = false
    let emulator: EmulatedTerminal
    var life = ProgramLife.running

    // Input.
    private(set) var outgoing: [UInt8] = []
    /// Counted like ``IdleLine/readByteCount``.
    var typedByteCount = 0

    // The program's output.
    private(set) var receivedByteCount = 0
    private(set) var output: [UInt8] = []
    /// Bytes held back because they may begin a mark.
    private var held: [UInt8] = []
    var marksSent = 0
    private(set) var marksSeen = 0
    /// The mark written after the program's exit.
    var endMark = 0
    private var cachedScreen: TerminalScreen?

    // The program's idle lines.
    private var idleText = ""
    var lastIdle: IdleLine?
    /// How many lines arrived since the last key or resize.
    private var freshIdleCount = 0
    private(set) var idleCount = 0
    var idleHasEnded = false
    var hasNewReader = true

    var waits: [Int: TerminalLine.Wait] = [:]
    var nextWait = 0
    var isHungUp = false
    var isClosed = false
    /// The threads have ended; no wait can be resumed.
    var isFinished = false
    var descriptorsAreOpen = true

    init(emulator: EmulatedTerminal) { self.emulator = emulator }

    /// The current screen; rendered once per change.
    var screen: TerminalScreen {
        mutating get {
            if let cachedScreen { return cachedScreen }
            let screen = emulator.screen()
            cachedScreen = screen
            return screen
        }
    }

    /// Whether the latest idle line includes the latest key and size.
    var isIdle: Bool {
        guard let lastIdle, hasNewReader else { return false }
        guard let read = lastIdle.readByteCount else { return freshIdleCount > 0 }
        return read >= typedByteCount && (lastIdle.size ?? emulator.size) == emulator.size
    }

    mutating func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        outgoing += bytes
        typedByteCount += bytes.count
        freshIdleCount = 0
    }

    /// Removes bytes that were written.
    mutating func removeOutgoing(_ count: Int) { outgoing.removeFirst(count) }

    mutating func resize(to size: TerminalSize) {
        emulator.resize(to: size)
        cachedScreen = nil
        freshIdleCount = 0
    }

    mutating func expectNewReader() {
        hasNewReader = false
        lastIdle = nil
        freshIdleCount = 0
    }

    /// Processes output from the terminal, without the marks.
    mutating func receive(_ bytes: ArraySlice<UInt8>, mark: [UInt8]) {
        var data = held + bytes
        held = []
        var start = 0
        var shown: [UInt8] = []
        while let escape = data[start...].firstIndex(of: 0x1B) {
            let length = min(mark.count, data.count - escape)
            guard data[escape..<escape + length].elementsEqual(mark[..<length]) else {
                shown += data[start...escape]
                start = escape + 1
                continue
            }
            shown += data[start..<escape]
            start = escape + length
            if length == mark.count {
                marksSeen += 1
            } else {
                held = Array(data[escape...])
            }
        }
        shown += data[start...]
        data = shown
        guard !data.isEmpty else { return }
        receivedByteCount += data.count
        output += data
        if output.count > 8 << 20 { output.removeFirst(4 << 20) }
        emulator.write(data)
        cachedScreen = nil
        send(emulator.takeReplies())
    }

    mutating func receiveIdle(_ bytes: ArraySlice<UInt8>) {
        idleText += String(decoding: bytes, as: UTF8.self)
        while let end = idleText.firstIndex(of: "\n") {
            lastIdle = IdleLine(idleText[..<end])
            idleText.removeSubrange(...end)
            freshIdleCount += 1
            idleCount += 1
            hasNewReader = true
        }
    }

    mutating func failure(of wait: TerminalLine.Wait, _ reason: String) -> TerminalFailure {
        let read = lastIdle?.readByteCount.map(String.init) ?? "unknown"
        return TerminalFailure(
            goal: wait.goal, reason: reason, screen: screen,
            circumstances: """
                program: \(life); written: \(receivedByteCount) bytes; typed: \(typedByteCount) \
                bytes, \(outgoing.count) not taken; idle lines: \(idleCount), the last after \
                reading \(read) bytes at \(lastIdle?.size?.description ?? "unknown size")
                """)
    }
}
