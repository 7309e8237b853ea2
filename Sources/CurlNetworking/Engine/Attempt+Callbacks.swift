import CByteClubCurl
import FoundationEssentials

// libcurl's callbacks during an attempt. They run on the engine's thread, inside a call to libcurl, with the
// attempt as context: the engine keeps the attempt while its easy handle is in the multi handle. A callback
// records what happened and marks the transfer; apart from pausing or aborting its own handle, it does not
// act.
//
// The callbacks are global functions, because a closure could inherit an isolation that libcurl does not
// respect. `Attempt+Connecting`, `Attempt+Sending`, `Attempt+Receiving` and `ConnectionLoss` contain them.

extension Attempt {
    /// The user pointer that is passed to the callbacks.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ context: UnsafeMutableRawPointer) -> Attempt {
        Unmanaged<Attempt>.fromOpaque(context).takeUnretainedValue()
    }

    /// Returns the attempt that uses an easy handle.
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
            handshake.onPause(noteHandshakePause, context)
            _ = byteclub_easy_set_tls_callback(easy.raw, attachHandshake)
            easy.set(CURLOPT_SSL_CTX_DATA, pointer: context)
        }
        if watchesForRefusal {
            easy.set(CURLOPT_DEBUGDATA, pointer: context)
            _ = byteclub_easy_set_debug_callback(easy.raw, noteRemark)
            easy.set(CURLOPT_VERBOSE, 1)
        }
        if body.isNone { return }  // without a body there is no progress to record
        if case .produced(let pipe) = body.content, pipe.byteCount < 0 {
            easy.set(CURLOPT_TRAILERDATA, pointer: context)
            _ = byteclub_easy_set_trailer_callback(easy.raw, addTrailers)
        }
        easy.set(CURLOPT_XFERINFODATA, pointer: context)
        easy.set(CURLOPT_NOPROGRESS, 0)
        _ = byteclub_easy_set_progress_callback(easy.raw, noteProgress)
    }
}
