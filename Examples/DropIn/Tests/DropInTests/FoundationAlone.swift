import Foundation

// A file that imports only Foundation: an error handler of a program, far from its network code.

/// 1: the cast that compiles everywhere has to match.
func isTimeout(_ error: any Error) -> Bool {
    (error as? URLError)?.code == .timedOut
}

/// 2: by number and domain.
func isTimeoutByNumber(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSURLErrorDomain && error.code == NSURLErrorTimedOut
}

/// 3: in a `catch`.
func sentence(for work: () throws -> Void) -> String {
    do {
        try work()
        return "all is well"
    } catch let error as URLError where error.code == .timedOut {
        return "timed out at \(error.failingURL?.host ?? "nowhere")"
    } catch URLError.cancelled {
        return "cancelled"
    } catch {
        return "something else"
    }
}

/// 4: what a program shows of how far it is.
func percent(of progress: Progress) -> Int {
    Int(progress.fractionCompleted * 100)
}

/// 5: what a program sends.
func makeBody(_ text: String) -> InputStream {
    InputStream(data: Data(text.utf8))
}
