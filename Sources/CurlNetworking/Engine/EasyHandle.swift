import CByteClubCurl

/// An easy handle of libcurl, which can be reset and reused.
///
/// Keeps alive what libcurl only points to: the list of header lines and the error buffer.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    private var proxyHeaderLines: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    /// The first option that libcurl has not taken since the last reset, and its reason.
    private var refusal: (option: CURLoption, code: CURLcode)?

    /// Creates a handle.
    ///
    /// - Parameter share: What it shares with other handles: TLS sessions. It must outlive the handle.
    init?(share: UnsafeMutableRawPointer? = nil) {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
        if let share { check(byteclub_easy_set_share(raw, share), CURLOPT_SHARE) }
    }

    deinit {
        curl_easy_cleanup(raw)
        byteclub_list_erase(headerLines)
        byteclub_list_erase(proxyHeaderLines)
        errorText.deallocate()
    }

    /// Resets the handle for another request. Open connections belong to the multi handle and stay open.
    func reset() {
        curl_easy_reset(raw)
        byteclub_list_erase(headerLines)
        headerLines = nil
        byteclub_list_erase(proxyHeaderLines)
        proxyHeaderLines = nil
        errorText[0] = 0
        refusal = nil
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
    }

    /// libcurl's text about a failure.
    var message: String? {
        errorText[0] == 0 ? nil : String(cString: errorText)
    }

    // MARK: - Options

    func set(_ option: CURLoption, _ value: Int) {
        check(byteclub_easy_set_long(raw, option, value), option)
    }

    func set(_ option: CURLoption, offset value: Int64) {
        check(byteclub_easy_set_offset(raw, option, curl_off_t(value)), option)
    }

    /// Sets a text option. libcurl copies the text.
    func set(_ option: CURLoption, _ value: String?) {
        check(byteclub_easy_set_string(raw, option, value), option)
    }

    func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) {
        check(byteclub_easy_set_pointer(raw, option, value), option)
    }

    func set(_ option: CURLoption, callback: @escaping byteclub_bytes_callback) {
        check(byteclub_easy_set_bytes_callback(raw, option, callback), option)
    }

    /// Sets header lines that only the proxy receives; the other lines then go to the server only.
    func setProxyHeaderLines(_ lines: [String]) {
        for line in lines {
            guard let longer = curl_slist_append(proxyHeaderLines, line) else { continue }
            proxyHeaderLines = longer
        }
        check(
            byteclub_easy_set_list(raw, CURLOPT_PROXYHEADER, proxyHeaderLines), CURLOPT_PROXYHEADER)
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    }

    func setHeaderLines(_ lines: [String]) {
        for line in lines {
            guard let longer = curl_slist_append(headerLines, line) else { continue }
            headerLines = longer
        }
        check(byteclub_easy_set_list(raw, CURLOPT_HTTPHEADER, headerLines), CURLOPT_HTTPHEADER)
    }

    /// The oldest supported libcurl has every option, and every value comes from this code. So it is a mistake of
    /// ours, or memory is short.
    private func check(_ code: CURLcode, _ option: CURLoption) {
        assert(code == CURLE_OK, "libcurl refused option \(option.rawValue) with \(code.rawValue)")
        if code != CURLE_OK, refusal == nil { refusal = (option, code) }
    }

    /// Verifies that libcurl has taken all options: without some of them, a request would be less safe than was
    /// asked for.
    ///
    /// - Throws: `.unknown`.
    func checkOptions() throws(URLError) {
        guard let refusal else { return }
        throw URLError(
            .unknown,
            underlyingText:
                "libcurl refused option \(refusal.option.rawValue) with \(refusal.code.rawValue)")
    }

    // MARK: - Facts and control

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        byteclub_easy_get_long(raw, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        byteclub_easy_get_offset(raw, info, &value)
        return Int64(value)
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        byteclub_easy_get_pointer(raw, info, &value)
        return value.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Pauses or resumes each direction. Has no effect before there is a connection.
    func pause(receiving: Bool, sending: Bool) {
        let mask = (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0)
        curl_easy_pause(raw, mask)
    }
}
