import CCurl
import FoundationEssentials

// What libcurl calls during an attempt, always on the engine's thread, with the attempt as context. The
// engine keeps the attempt for as long as its easy handle is with the multi handle. A callback only notes
// what has happened, and marks the transfer.
//
// The callbacks are functions of their own, since a closure could inherit an isolation that libcurl does not
// keep. They are in the files named for what they do: `Attempt+Connecting`, `Attempt+Sending`,
// `Attempt+Receiving`, and `ConnectionLoss`.

extension Attempt {
    /// The pointer libcurl hands back to the callbacks.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ context: UnsafeMutableRawPointer) -> Attempt {
        Unmanaged<Attempt>.fromOpaque(context).takeUnretainedValue()
    }

    /// The attempt that libcurl moves by a handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> Attempt? {
        var context: UnsafeMutablePointer<CChar>?
        byteclub_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { Attempt.from($0) }
    }

    func installCallbacks(on easy: EasyHandle) {
        easy.set(CURLOPT_PRIVATE, pointer: context)
        easy.set(CURLOPT_HEADERFUNCTION, callback: receiveHeaderLine)
        easy.set(CURLOPT_HEADERDATA, pointer: context)
        easy.set(CURLOPT_WRITEFUNCTION, callback: receiveBody)
        easy.set(CURLOPT_WRITEDATA, pointer: context)
        easy.set(CURLOPT_READFUNCTION, callback: sendBody)
        easy.set(CURLOPT_READDATA, pointer: context)
        easy.set(CURLOPT_SEEKDATA, pointer: context)
        easy.set(CURLOPT_PREREQDATA, pointer: context)
        easy.set(CURLOPT_OPENSOCKETDATA, pointer: context)
        _ = byteclub_easy_set_open_socket_callback(easy.raw, openSocket)
        _ = byteclub_easy_set_seek_callback(easy.raw, seekBody)
        _ = byteclub_easy_set_prereq_callback(easy.raw, noteConnection)
        if let handshake = tls.handshake {
            handshake.whenHeld(noteHandshake, context)
            _ = byteclub_easy_set_tls_callback(easy.raw, attachHandshake)
            easy.set(CURLOPT_SSL_CTX_DATA, pointer: context)
        }
        if watchesForRefusal {
            easy.set(CURLOPT_DEBUGDATA, pointer: context)
            _ = byteclub_easy_set_debug_callback(easy.raw, noteRemark)
            easy.set(CURLOPT_VERBOSE, 1)
        }
        if body.isNone { return }  // nobody waits for news of what is sent
        if case .produced(let pipe) = body.content, pipe.byteCount < 0 {
            easy.set(CURLOPT_TRAILERDATA, pointer: context)
            _ = byteclub_easy_set_trailer_callback(easy.raw, addTrailers)
        }
        easy.set(CURLOPT_XFERINFODATA, pointer: context)
        easy.set(CURLOPT_NOPROGRESS, 0)
        _ = byteclub_easy_set_progress_callback(easy.raw, noteProgress)
    }
}
