import Glibc

/// What a worker does when a test asks it to: the worker of a test program is the test program.
enum WorkerProbe: Int {
    case tellProcess = 1
    /// SIGSEGV.
    case readNothing
    /// As much memory as it can get; says how many megabytes that was.
    case takeMemory
    /// More memory than Swift can get.
    case takeTooMuchMemory
    case spin
    /// Waits for what never comes.
    case hang
    case leave
    // From here on: the error of what it tries, 0 where that works.
    case openForReading = 100
    case openForWriting
    case listFolder
    case makeSocket
    case startProgram
    case fork
    case signalProgram
    case mapCode
    case raiseLimit
    case shareMemory
    case changeFolder
    case removeFile

    static let attempts: [WorkerProbe] = [
        .openForReading, .openForWriting, .listFolder, .makeSocket, .startProgram, .fork,
        .signalProgram, .mapCode, .raiseLimit, .shareMemory, .changeFolder, .removeFile,
    ]
}

/// Called in the worker.
@_cdecl("byteclub_picture_probe")
public func probeWorker(_ number: CInt) -> CInt {
    guard let probe = WorkerProbe(rawValue: Int(number)) else { return -1 }
    switch probe {
    case .tellProcess: return getpid()
    case .readNothing:
        raise(SIGSEGV)
        return 0
    case .takeMemory:
        var megabytes: CInt = 0
        while megabytes < 4096, let piece = malloc(1 << 20) {
            memset(piece, 1, 1 << 20)
            megabytes += 1
        }
        return megabytes
    case .takeTooMuchMemory: return CInt([UInt8](repeating: 1, count: 1 << 30).count >> 20)
    case .spin:
        var count: UInt64 = 1
        while count != 0 { count = count &* 3 }
        return 0
    case .hang:
        var lock = pthread_mutex_t()
        pthread_mutex_init(&lock, nil)
        pthread_mutex_lock(&lock)
        pthread_mutex_lock(&lock)
        return 0
    case .leave: _exit(0)
    default: return attempt(probe) < 0 ? errno : 0
    }
}

private func attempt(_ probe: WorkerProbe) -> CInt {
    switch probe {
    case .openForReading: return open("/etc/passwd", O_RDONLY)
    case .openForWriting: return open("/tmp/byteclub-escaped", O_WRONLY | O_CREAT, 0o600)
    case .listFolder: return opendir("/") == nil ? -1 : 0
    case .makeSocket: return socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    case .startProgram:
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        return execv("/bin/true", &words)
    case .fork:
        var process: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        errno = posix_spawn(&process, "/bin/true", nil, nil, &words, nil)
        return errno == 0 ? 0 : -1
    case .signalProgram: return kill(getppid(), 0)
    case .mapCode:
        let code = mmap(
            nil, 4096, PROT_READ | PROT_EXEC, CInt(MAP_PRIVATE) | CInt(MAP_ANONYMOUS), -1, 0)
        return code == MAP_FAILED ? -1 : 0
    case .raiseLimit:
        var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
        return setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
    case .shareMemory: return shm_open("/byteclub-escaped", O_RDWR | O_CREAT, 0o600)
    case .changeFolder: return chdir("/tmp")
    case .removeFile: return unlink("/tmp/byteclub-escaped")
    default: return 0
    }
}
