/// Every parser of bytes from outside, by name: what `make fuzz` runs one after the other, and what the
/// tests run over the corpora that it has gathered.
package enum FuzzingDoors {
    /// Takes any bytes, and must neither trap nor hang.
    package typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    /// The names are those of the corpora.
    package static let all: [String: Door] = [
        "response-head": { ResponseFuzzing.head($0) },
        "content-disposition": { ResponseFuzzing.disposition($0) },
        "location": { ResponseFuzzing.location($0) },
        "set-cookie": { CookieFuzzing.setCookie($0) },
        "joined-cookies": { CookieFuzzing.joinedLines($0) },
        "cookie-date": { CookieFuzzing.date($0) },
        "cookie-file": { CookieFuzzing.file($0) },
        "host": { CookieFuzzing.host($0) },
        "suffix-list": { CookieFuzzing.suffixList($0) },
        "cache-head": { CacheFuzzing.head($0) },
        "cache-control": { CacheFuzzing.cacheControl($0) },
        "cache-file": { CacheFuzzing.file($0) },
        "http-date": { CacheFuzzing.date($0) },
        "challenge": { AuthenticationFuzzing.challenges($0) },
        "certificate": { AuthenticationFuzzing.certificate($0) },
        "credential-file": { AuthenticationFuzzing.credentialFile($0) },
        "resume-data": { ResumingFuzzing.resumeData($0) },
        "resumed-answers": { ResumingFuzzing.answers($0) },
        "content-range": { ResumingFuzzing.contentRange($0) },
        "journal": { BackgroundFuzzing.journal($0) },
        "background-messages": { BackgroundFuzzing.messages($0) },
        "websocket-frames": { WebSocketFuzzing.frames($0) },
        "bus-message": { NetworkFuzzing.busMessage($0) },
    ]
}
